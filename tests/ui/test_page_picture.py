from __future__ import annotations

from typing import Any

import pymupdf
import pytest

from tests.ui.valve_corpus import mounting_guide
from ui.page_picture import NoPicture, page_picture

TORQUE = "The cover screw needs a torque of 4.5 N m."


def yellow(png: bytes) -> tuple[int, int, int, int] | None:
    """The box around everything that is yellow, in points of the page."""
    picture: Any = pymupdf.Pixmap(png)  # type: ignore[no-untyped-call]
    found = [
        (x / 2, y / 2)
        for y in range(0, picture.height, 2)
        for x in range(0, picture.width, 2)
        if picture.pixel(x, y)[2] < 140 < picture.pixel(x, y)[0]
    ]
    if not found:
        return None
    columns, rows = zip(*found, strict=True)
    return int(min(columns)), int(min(rows)), int(max(columns)), int(max(rows))


def test_the_quoted_words_are_marked_on_the_printed_page() -> None:
    left, top, right, bottom = yellow(page_picture(mounting_guide(), 2, TORQUE)) or (0, 0, 0, 0)

    # The line's baseline is at 90; the lines above and below it are at 60 and 120.
    assert 70 < top < bottom < 105
    assert left < 50
    assert right > 200


def test_nothing_is_marked_without_a_quote_or_on_another_page() -> None:
    assert yellow(page_picture(mounting_guide(), 2)) is None
    assert yellow(page_picture(mounting_guide(), 1, TORQUE)) is None


@pytest.mark.parametrize(
    ("pdf", "number"),
    [(b"%PDF-1.7 broken", 1), (b"", 1), (b"<svg/>", 1), (mounting_guide(), 9)],
)
def test_what_cannot_be_drawn_is_told(pdf: bytes, number: int) -> None:
    with pytest.raises(NoPicture, match=f"{number} cannot be drawn"):
        page_picture(pdf, number, TORQUE)
