import time

import pytest
from lxml import etree

from ingestion.safe_svg import UnsafeDrawing, harmless_svg
from tests.ui.hostile_drawings import REFUSED, TAMED, bomb, drawing, laughs

FORBIDDEN = (
    *("script", "alert", "evil", "passwd", "secret", "iframe", "foreign", "import", "onload"),
    *("data:", "include", "animate", "<style", "<set", "filter", "font-face"),
)


def names(svg: bytes) -> list[str]:
    return [etree.QName(e).localname for e in etree.fromstring(svg).iter()]


def words(root: etree._Element) -> str:
    return " ".join("".join(map(str, root.itertext())).split())


@pytest.mark.parametrize("inside", TAMED.values(), ids=TAMED.keys())
def test_only_what_draws_is_kept(inside: str) -> None:
    kept = harmless_svg(drawing(inside))
    assert names(kept)[:2] == ["svg", "rect"]
    assert [word for word in FORBIDDEN if word in kept.decode()] == []


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_made_harmless_is_refused(data: bytes) -> None:
    with pytest.raises(UnsafeDrawing):
        harmless_svg(data)


@pytest.mark.parametrize("data", [laughs(30), bomb(60)], ids=["laughs", "squares"])
def test_a_bomb_costs_nothing(data: bytes) -> None:
    started = time.process_time()
    with pytest.raises(UnsafeDrawing):
        harmless_svg(data)
    assert time.process_time() - started < 1


def test_a_drawing_keeps_its_shapes_words_and_own_references() -> None:
    kept = harmless_svg(
        drawing(
            '<defs><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient>'
            '<g id="part"><circle r="3"/></g></defs>'
            '<use href="#part" x="9"/><rect width="9" height="9" style="fill:url(#g)"/>'
            '<a href="http://evil.test"><text x="1" font-size="8">one <tspan>two</tspan> three'
            "</text></a>"
        )
    )
    root = etree.fromstring(kept)
    assert words(root) == "one two three"
    assert b'xlink:href="#part"' in kept
    assert b'style="fill:url(#g)"' in kept
    assert names(kept).count("g") == 2


def test_of_a_label_that_is_written_twice_the_one_that_can_be_drawn_is_kept() -> None:
    kept = harmless_svg(
        drawing(
            "<switch><foreignObject>HTML</foreignObject><text>short</text><text>x</text></switch>"
        )
    )
    assert words(etree.fromstring(kept)) == "short"


def test_a_picture_inside_the_drawing_itself_stays() -> None:
    own = '<image width="9" height="9" href="data:image/png;base64,iVBORw0KGgo="/>'
    assert b"iVBORw0KGgo=" in harmless_svg(drawing(own))


def test_the_words_of_other_languages_and_encodings_stay() -> None:
    text = drawing("<text>Köln 东京</text>").decode()
    for data in (text.encode(), text.encode("utf-16"), b'<?xml version="1.0"?>' + text.encode()):
        assert "Köln 东京" in harmless_svg(data).decode()
