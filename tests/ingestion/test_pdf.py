from __future__ import annotations

import io
import textwrap
from importlib import import_module
from typing import Any

import pytest

from ingestion.loaders.pdf import load
from ingestion.page import Block, BlockKind, Document, DocumentKind, Page, UnreadableFile

pymupdf: Any = import_module("pymupdf")

FILLER = (
    "The chassis holds two control cards and up to sixteen traffic cards, each of which needs "
    "an airflow from front to back that the fan tray provides while its filters are clean."
)
STYLE = """
    body { font-family: serif; font-size: 10px; }
    h1 { font-size: 20px; } h2 { font-size: 14px; }
    table { border-collapse: collapse; width: 100%; }
    td, th { border: 1px solid black; padding: 3px; text-align: left; }
    pre, code { font-family: monospace; font-size: 9px; }
"""


def _story(body: str) -> Any:
    """Set HTML on as many A4 pages as it needs."""
    story = pymupdf.Story(body, user_css=STYLE)
    paper = pymupdf.paper_rect("a4")
    body_area = pymupdf.Rect(72, 90, paper.x1 - 72, paper.y1 - 90)
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    more = 1
    while more:
        device = writer.begin_page(paper)
        more, _ = story.place(body_area)
        story.draw(device)
        writer.end_page()
    writer.close()
    return pymupdf.open("pdf", out.getvalue())


def _blank(pages: int = 1) -> Any:
    pdf = pymupdf.open()
    for _ in range(pages):
        pdf.new_page(width=595, height=842)
    return pdf


def _write(page: Any, x: float, y: float, *parts: tuple[str, str], size: float = 10) -> None:
    """Write parts of a line, each with its font, one after the other."""
    for font, text in parts:
        page.insert_text((x, y), text, fontname=font, fontsize=size)
        x += pymupdf.get_text_length(text, fontname=font, fontsize=size)


def _lines(
    page: Any, x: float, y: float, *lines: str, font: str = "tiro", size: float = 10
) -> None:
    for i, line in enumerate(lines):
        _write(page, x, y + i * 1.2 * size, (font, line), size=size)


def _load(pdf: Any, file: str = "guide.pdf") -> Document:
    with pdf:
        return load(pdf.tobytes(), file)


def _texts(page: Page, *kinds: BlockKind) -> list[str]:
    return [block.text for block in page.blocks if block.kind in (kinds or BlockKind)]


def _block(page: Page, start: str) -> Block:
    return next(block for block in page.blocks if block.text.startswith(start))


def test_every_page_of_the_file_is_a_page_even_an_empty_one() -> None:
    pdf = _blank(3)
    _lines(pdf[0], 72, 100, FILLER[:80])
    _lines(pdf[2], 72, 100, "The end of it.")
    document = _load(pdf)
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.pages[1].blocks == ()
    assert document.pages[2].text == "The end of it."


def test_headings_are_told_by_their_size_and_own_what_follows() -> None:
    sections = "".join(f"<h2>1.{i} Part {i}</h2><p>{FILLER}</p>" for i in (1, 2))
    page = _load(_story(f"<h1>1 Cabling</h1><p>{FILLER}</p>{sections}")).pages[0]
    assert _texts(page, BlockKind.HEADING) == ["1 Cabling", "1.1 Part 1", "1.2 Part 2"]
    assert [b.path for b in page.blocks if b.kind is BlockKind.PARAGRAPH] == [
        ("1 Cabling",),
        ("1 Cabling", "1.1 Part 1"),
        ("1 Cabling", "1.2 Part 2"),
    ]


def test_the_outline_decides_the_level_of_headings() -> None:
    pdf = _blank(2)
    _lines(pdf[0], 72, 100, "Safety", font="tibo", size=12)
    _lines(pdf[0], 72, 130, FILLER[:80])
    _lines(pdf[0], 72, 200, "Laser radiation", font="tibo", size=12)
    _lines(pdf[0], 72, 230, FILLER[:80])
    _lines(pdf[1], 72, 100, "The section goes on here.")
    pdf.set_toc([[1, "Safety", 1], [2, "Laser radiation", 1]])
    document = _load(pdf)
    assert document.pages[0].blocks[-1].path == ("Safety", "Laser radiation")
    assert document.pages[1].blocks[0].path == ("Safety", "Laser radiation")


def test_an_outline_entry_without_a_heading_takes_effect_on_the_pages_after() -> None:
    pdf = _blank(3)
    for number, page in enumerate(pdf):
        _lines(page, 72, 200, f"This is said on sheet {number}.")
    pdf.set_toc([[1, "Scanned chapter title", 1]])
    assert _load(pdf).pages[2].blocks[0].path == ("Scanned chapter title",)


def test_lines_of_a_paragraph_are_joined_and_hyphens_undone_with_care() -> None:
    pdf = _blank()
    _lines(
        pdf[0],
        *(72, 100),
        "The protection scheme is one-to-one in the environment of the control card, where MPI-",
        "2 was taken for the configuration, so that all traffic stays as it is in this one-to-",
        "one scheme, unless the operator of the network element changes all of the environ-",
        "ment or, at night, the config-",
        "uration of the can-",
        "cel_futures parameter. The value of cancel_futures is kept as it was before.",
    )
    text = _load(pdf).pages[0].text
    for whole in ("MPI-2 was", "one-to-one scheme, unless", "all of the environment or, at"):
        assert whole in text
    assert text.endswith(
        "the configuration of the cancel_futures parameter. "
        "The value of cancel_futures is kept as it was before."
    )


def test_identifiers_broken_at_a_line_end_are_whole_again() -> None:
    pdf = _blank()
    page = pdf[0]
    _write(
        page,
        72,
        100,
        ("tiro", "This is the longest line of the paragraph, and names "),
        ("cour", "sys."),
    )
    _write(
        page,
        72,
        112,
        ("cour", "executable"),
        ("tiro", " and another thing that is as long, "),
        ("cour", "MPI_"),
    )
    _write(page, 72, 124, ("cour", "Init"), ("tiro", " at last."))
    text = _load(pdf).pages[0].text
    assert "names sys.executable and" in text
    assert "long, MPI_Init at last." in text


def test_columns_are_read_one_after_the_other() -> None:
    pdf = _blank()
    left = [f"left line {i} with words enough to fill it" for i in range(12)]
    right = [f"right line {i} with words enough to fill" for i in range(12)]
    _lines(
        pdf[0],
        72,
        80,
        "A line that reaches across both of the columns, as the head of an article does it",
    )
    _lines(pdf[0], 72, 110, *left)
    _lines(pdf[0], 310, 110, *right)
    _lines(
        pdf[0],
        72,
        300,
        "A second line across both of the columns, which comes after everything above it",
    )
    text = _load(pdf).pages[0].text
    order = [
        text.index(part) for part in ("as the head", "left line 0", "left line 11", "right line 0")
    ]
    assert order == sorted(order)
    assert text.index("right line 11") < text.index("A second line")
    assert "fill it left line 1 " in text


def test_a_paragraph_goes_on_in_the_next_column() -> None:
    pdf = _blank()
    lines = textwrap.wrap(f"{FILLER[:-1]}, and {FILLER[4:-1]}, and {FILLER[4:]}", 48)
    _lines(pdf[0], 72, 200, *lines[:5])
    _lines(pdf[0], 310, 200, *lines[5:])
    assert _texts(_load(pdf).pages[0]) == [" ".join(lines)]


def test_running_lines_and_page_numbers_are_left_out() -> None:
    pdf = _blank(3)
    for number, page in enumerate(pdf, 1):
        _lines(page, 72, 40, "Orbis NX 17.20 Installation guide")
        _lines(page, 72, 200, f"What is said on sheet {number} only.")
        _lines(page, 280, 810, f"Page {number} of 3")
        _lines(page, 400, 822, "© 2026 Orbis. All rights reserved.", size=8)
    assert [page.text for page in _load(pdf).pages] == [
        f"What is said on sheet {number} only." for number in (1, 2, 3)
    ]


def test_a_table_cut_by_a_page_end_has_its_header_on_both_pages() -> None:
    rows = "".join(
        f"<tr><td>ALM-{1000 + i}</td><td>major</td><td>Feed {i} has no power.</td></tr>"
        for i in range(60)
    )
    header = "<tr><th>Alarm</th><th>Severity</th><th>Meaning</th></tr>"
    document = _load(_story(f"<h1>Alarms</h1><table>{header}{rows}</table>"))
    assert len(document.pages) > 1
    found = []
    for page in document.pages:
        first = next(b for b in page.blocks if b.kind is not BlockKind.HEADING)
        assert (first.kind, first.text) == (BlockKind.TABLE_HEADER, "Alarm — Severity — Meaning")
        for block in page.blocks:
            if block.kind is BlockKind.TABLE_ROW:
                assert block.header == ("Alarm", "Severity", "Meaning")
                assert block.path == ("Alarms",)
                found.append(block.text)
    assert found == [f"ALM-{1000 + i} — major — Feed {i} has no power." for i in range(60)]


def _grid(page: Any, xs: list[float], ys: list[float]) -> None:
    for y in ys:
        page.draw_line((xs[0], y), (xs[-1], y))
    for x in xs:
        page.draw_line((x, ys[0]), (x, ys[-1]))


def test_cells_that_span_columns_and_rows_are_repeated() -> None:
    pdf = _blank()
    page = pdf[0]
    for y in (100, 140, 160, 180):
        page.draw_line((72, y), (372, y))
    page.draw_line((172, 120), (372, 120))
    for x in (72, 172, 372):
        page.draw_line((x, 100), (x, 180))
    page.draw_line((272, 120), (272, 160))
    for x, y, text in (
        (80, 122, "Card"),
        (180, 114, "Power"),
        (180, 134, "typical"),
        (280, 134, "most"),
    ):
        _lines(page, x, y, text, font="tibo")
    for x, y, text in (
        (80, 154, "CC-2"),
        (180, 154, "90 W"),
        (280, 154, "120 W"),
        (80, 174, "TC-16"),
    ):
        _lines(page, x, y, text)
    _lines(page, 180, 174, "180 W")
    assert _texts(_load(pdf).pages[0]) == [
        "Card — Power typical — Power most",
        "CC-2 — 90 W — 120 W",
        "TC-16 — 180 W — 180 W",
    ]


def test_wrapped_cells_and_narrow_gaps_stay_apart() -> None:
    pdf = _blank()
    page = pdf[0]
    _grid(page, [72, 132, 232, 432], [100, 118, 148, 166])
    for x, text in ((74, "Parameter"), (134, "Default value of it"), (234, "Meaning")):
        _lines(page, x, 113, text, font="tibo")
    _lines(page, 74, 131, "hold-time")
    _lines(page, 134, 131, "180")
    _lines(page, 234, 131, "Seconds after which a session that is", "silent is torn down.")
    for x, text in ((74, "keepalive"), (134, "60"), (234, "Seconds between two messages.")):
        _lines(page, x, 161, text)
    assert _texts(_load(pdf).pages[0], BlockKind.TABLE_ROW) == [
        "hold-time — 180 — Seconds after which a session that is silent is torn down.",
        "keepalive — 60 — Seconds between two messages.",
    ]


def test_columns_without_rules_are_a_table() -> None:
    pdf = _blank()
    rows = [("Parameter", "Default", "Unit"), ("hold-time", "180", "s"), ("keepalive", "60", "s")]
    rows.append(("max-sessions", "4096", "sessions"))
    for i, row in enumerate(rows):
        for x, text in zip((72, 200, 300), row, strict=True):
            _lines(pdf[0], x, 100 + 16 * i, text, font="tiro" if i else "tibo")
    _lines(pdf[0], 72, 220, FILLER[:90])
    page = _load(pdf).pages[0]
    assert _texts(page)[:2] == ["Parameter — Default — Unit", "hold-time — 180 — s"]
    assert page.blocks[1].header == ("Parameter", "Default", "Unit")
    assert page.blocks[-1].kind is BlockKind.PARAGRAPH


def test_a_framed_paragraph_is_no_table() -> None:
    pdf = _blank()
    _grid(pdf[0], [70, 520], [85, 130])
    _lines(pdf[0], 76, 100, "Note: " + FILLER[:70], FILLER[70:140])
    assert {b.kind for b in _load(pdf).pages[0].blocks} == {BlockKind.PARAGRAPH}


def test_code_keeps_its_lines_its_indentation_and_its_empty_lines() -> None:
    code = "if ready:\n    start(slot=2,  card='CC-2')\n\n    wait()\ndone()"
    page = _load(_story(f"<p>{FILLER}</p><pre>{code}</pre><p>{FILLER}</p>")).pages[0]
    assert _texts(page, BlockKind.CODE) == [code]
    assert len(_texts(page, BlockKind.PARAGRAPH)) == 2


def test_quotes_in_code_are_straight_and_in_text_as_printed() -> None:
    pdf = _blank()
    _lines(pdf[0], 72, 100, FILLER[:80])
    for y, font, text in (
        (130, "cour", "data = {’a’: 7}"),
        (160, "tiro", "It isn’t changed here."),
    ):
        writer = pymupdf.TextWriter(pdf[0].rect)
        writer.append((72, y), text, font=pymupdf.Font(font), fontsize=9)
        writer.write_text(pdf[0])
    assert _texts(_load(pdf).pages[0])[1:] == ["data = {'a': 7}", "It isn’t changed here."]


def test_numbers_beside_a_listing_are_left_out() -> None:
    pdf = _blank()
    _lines(pdf[0], 72, 80, FILLER[:80])
    for i, line in enumerate(["def f(x):", "    y = x", "", "    return y"]):
        _lines(pdf[0], 72, 110 + 12 * i, str(i + 1), size=6)
        indent = len(line) - len(line.lstrip())
        _lines(pdf[0], 90 + 5.4 * indent, 110 + 12 * i, line.strip(), font="cour", size=9)
    code = _texts(_load(pdf).pages[0], BlockKind.CODE)
    assert code == ["def f(x):\n    y = x\n\n    return y"]


def test_lists_keep_their_marks_and_their_levels() -> None:
    html = (
        f"<p>{FILLER}</p><ol><li>Log in.</li><li>{FILLER}</li></ol>"
        "<ul><li>outer<ul><li>inner one</li><li>inner two</li></ul></li><li>outer again</li></ul>"
    )
    assert _texts(_load(_story(html)).pages[0], BlockKind.LIST_ITEM) == [
        "1. Log in.",
        f"2. {FILLER}",
        "- outer",
        "  - inner one",
        "  - inner two",
        "- outer again",
    ]


def test_bullets_that_are_drawn_are_bullets() -> None:
    pdf = _blank()
    _lines(pdf[0], 72, 100, FILLER[:80])
    for i, text in enumerate(("the first point", "the second point")):
        pdf[0].draw_circle((82, 127 + 20 * i), 1.5, fill=(0, 0, 0))
        _lines(pdf[0], 90, 130 + 20 * i, text)
    assert _texts(_load(pdf).pages[0])[1:] == ["- the first point", "- the second point"]


def _api_page(pdf: Any) -> Any:
    page = pdf[0]
    _lines(page, 72, 80, FILLER[:85])
    signature = [("cobo", "class"), ("cour", " pool.futures."), ("cobo", "Executor")]
    _write(
        page,
        72,
        110,
        *signature,
        ("tiro", "("),
        ("tiit", "workers=None"),
        ("tiro", ", "),
        ("tiit", "**kw"),
        ("tiro", ")"),
    )
    _lines(page, 97, 125, "Runs calls with a pool of workers.")
    _write(page, 97, 150, ("cobo", "shutdown"), ("tiro", "("), ("tiit", "wait=True"), ("tiro", ")"))
    _lines(page, 119, 165, "Frees everything that the pool holds.")
    _lines(page, 119, 190, "Return type", font="tibo")
    _lines(page, 137, 202, "None")
    _write(page, 72, 230, ("cobo", "POOL_WORKERS"))
    _lines(page, 97, 245, "Sets how many there are.")
    _lines(page, 72, 280, FILLER[:85])
    return pdf


def test_signatures_own_what_is_indented_below_them() -> None:
    page = _load(_api_page(_blank())).pages[0]
    assert _texts(page, BlockKind.SIGNATURE) == [
        "class pool.futures.Executor(workers=None, **kw)",
        "shutdown(wait=True)",
        "POOL_WORKERS",
    ]
    assert _block(page, "class pool").path == ("Executor",)
    assert _block(page, "Runs calls").path == ("Executor",)
    assert _block(page, "Frees everything").path == ("Executor.shutdown",)
    assert _block(page, "Sets how many").path == ("POOL_WORKERS",)
    assert page.blocks[-1].path == ()


def test_a_term_and_what_explains_it_are_one_definition() -> None:
    page = _load(_api_page(_blank())).pages[0]
    definition = _block(page, "Return type")
    assert (definition.kind, definition.text) == (BlockKind.DEFINITION, "Return type: None")
    assert definition.path == ("Executor.shutdown",)


def test_labels_of_a_schematic_are_read_line_by_line() -> None:
    pdf = _blank()
    page = pdf[0]
    _lines(page, 72, 60, FILLER[:85])
    for y in (120, 220):
        for x in (72, 222, 372):
            page.draw_rect((x, y, x + 110, y + 40))
        page.draw_line((182, y + 20), (222, y + 20))
        page.draw_line((332, y + 20), (372, y + 20))
    page.draw_line((277, 160), (277, 220))
    for y, names in (
        (145, ("Power A", "Control card 1", "Router 1")),
        (245, ("Power B", "Control card 2", "Router 2")),
    ):
        for x, name in zip((80, 230, 380), names, strict=True):
            _lines(page, x, y, name)
    _lines(page, 285, 190, "SYNC cable, 2 m")
    _lines(page, 72, 320, FILLER[:85])
    read = _load(pdf).pages[0]
    assert _texts(read, BlockKind.DRAWING) == [
        "Power A — Control card 1 — Router 1",
        "SYNC cable, 2 m",
        "Power B — Control card 2 — Router 2",
    ]
    assert [b.kind for b in read.blocks][:: len(read.blocks) - 1] == [BlockKind.PARAGRAPH] * 2


def test_tables_of_contents_are_left_out() -> None:
    pdf = _blank(2)
    _lines(pdf[0], 72, 100, "Contents", font="tibo", size=14)
    for i, title in enumerate(("Safety", "Power", "Cabling", "Alarms")):
        _lines(pdf[0], 72, 130 + 14 * i, f"{i + 1} {title} " + ". " * 40 + f"{i + 2}")
    _lines(pdf[1], 72, 100, FILLER[:85])
    pages = _load(pdf).pages
    assert pages[0].blocks == ()
    assert pages[1].text == FILLER[:85]


def test_pages_set_sideways_are_read_as_they_are_meant() -> None:
    pdf = _blank()
    for i, text in enumerate(("The first line of a wide page,", "and the second line of it.")):
        pdf[0].insert_text((100 + 12 * i, 700), text, fontname="tiro", fontsize=10, rotate=90)
    assert _load(pdf).pages[0].text == "The first line of a wide page, and the second line of it."


def test_a_turned_page_is_read_like_any_other() -> None:
    pdf = _blank()
    _lines(pdf[0], 72, 100, "upper line of the page", "lower line of the page")
    pdf[0].set_rotation(90)
    assert _load(pdf).pages[0].text == "upper line of the page lower line of the page"


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Orbis NX Installation guide", "Orbis NX Installation guide"),
        ("Microsoft Word - install_v3.docx", "Installation guide"),
        ("untitled", "Installation guide"),
        ("", "Installation guide"),
    ],
)
def test_the_title_is_the_stated_one_or_the_largest_text(stated: str, title: str) -> None:
    pdf = _story(f"<p>{FILLER}</p><h1>Installation guide</h1><p>{FILLER}</p>")
    pdf.set_metadata({"title": stated})
    document = _load(pdf, "a/x.pdf")
    assert document.title == title
    assert document.kind is DocumentKind.GUIDE
    assert document.file == "a/x.pdf"


def test_the_same_bytes_give_the_same_document() -> None:
    with _api_page(_blank()) as pdf:
        data = pdf.tobytes()
    assert load(data, "a.pdf") == load(data, "a.pdf")


def test_a_locked_file_says_so() -> None:
    with _blank() as pdf:
        _lines(pdf[0], 72, 100, "secret")
        data = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="a", owner_pw="b")
    with pytest.raises(UnreadableFile, match="locked with a password"):
        load(data, "a.pdf")


def test_a_file_that_only_forbids_changes_is_read() -> None:
    with _blank() as pdf:
        _lines(pdf[0], 72, 100, "not secret at all")
        data = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="b")
    assert load(data, "a.pdf").pages[0].text == "not secret at all"


def test_scanned_pages_say_what_they_need() -> None:
    pdf = _blank(2)
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 20, 20), False)
    pixels.clear_with(128)
    for page in pdf:
        page.insert_image(page.rect, pixmap=pixels)
    with pytest.raises(UnreadableFile, match="OCR"):
        _load(pdf)


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n", b"%PDF-1.7\nnot a word of it is true", b"\0" * 99]
)
def test_damaged_files_say_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        load(data, "a.pdf")


def test_a_file_cut_in_the_middle_never_breaks_the_loader() -> None:
    with _story(f"<h1>Guide</h1>{f'<p>{FILLER}</p>' * 60}") as pdf:
        data = pdf.tobytes()
    for share in range(1, 10):
        try:
            document = load(data[: len(data) * share // 10], "a.pdf")
        except UnreadableFile:
            continue
        assert document.pages
