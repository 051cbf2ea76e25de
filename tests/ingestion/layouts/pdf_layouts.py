"""Pages as word processors and typesetters make them in PDF."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from importlib import import_module
from textwrap import wrap
from typing import Any

from tests.ingestion.layouts.layout import Layout

pymupdf: Any = import_module("pymupdf")

_STYLE = """
    body { font-family: serif; font-size: 10px; } h1 { font-size: 20px; } h2 { font-size: 14px; }
    table { border-collapse: collapse; } td, th { border: 1px solid black; padding: 3px; }
    pre, code { font-family: monospace; font-size: 9px; }
"""
_PROSE = (
    "The chassis holds two control cards and up to sixteen traffic cards, each of which needs an "
    "airflow from front to back that the fan tray provides while its filters are clean."
)
_MORE = (
    "Where a filter is not clean the fans run faster, which is heard in the room, and an alarm is "
    "raised that only goes away once somebody has put a new filter into the fan tray."
)


def _typeset(body: str, expected: str) -> Layout:
    """HTML that MuPDF sets on as many A4 pages as it needs."""
    story = pymupdf.Story(body, user_css=_STYLE)
    paper = pymupdf.paper_rect("a4")
    out, more = io.BytesIO(), 1
    writer = pymupdf.DocumentWriter(out)
    while more:
        device = writer.begin_page(paper)
        more, _ = story.place(pymupdf.Rect(72, 90, paper.x1 - 72, paper.y1 - 90))
        story.draw(device)
        writer.end_page()
    writer.close()
    return Layout("guide.pdf", out.getvalue(), expected)


def _drawn(draw: Callable[..., None], expected: str, pages: int = 1) -> Layout:
    """Pages that are drawn stroke by stroke."""
    with pymupdf.open() as pdf:
        for _ in range(pages):
            pdf.new_page(width=595, height=842)
        draw(*(pdf[number] for number in range(pages)))
        return Layout("guide.pdf", pdf.tobytes(), expected)


def _text(
    page: Any, x: float, y: float, text: str, font: str = "tiro", size: float = 10, wide: int = 95
) -> float:
    """Set a paragraph in lines of so many letters; return where the next one would begin."""
    for line in wrap(text, wide):
        page.insert_text((x, y), line, fontname=font, fontsize=size)
        y += 1.2 * size
    return y


def _grid(page: Any, x: float, y: float, rows: Sequence[Sequence[str]], step: float = 100) -> None:
    """A ruled table with a bold header."""
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            box = pymupdf.Rect(x + c * step, y + r * 18, x + (c + 1) * step, y + (r + 1) * 18)
            page.draw_rect(box)
            font = "hebo" if r == 0 else "helv"
            page.insert_text((box.x0 + 4, box.y0 + 12), text, fontname=font, fontsize=9)


def _two_columns(page: Any) -> None:
    y = _text(page, 72, 100, "Cooling", "tibo", 16)
    for x, text in ((72, _PROSE), (310, _MORE)):
        _text(page, x, y + 20, f"{text} {text}", wide=45)


def _columns_around_a_table(page: Any) -> None:
    for x, text in ((72, _PROSE), (310, _MORE)):
        _text(page, x, 100, text, wide=45)
    _grid(page, 72, 200, [["Card", "Slots", "Watts", "Notes"], ["CC", "2", "40", "control"]], 112)
    for x, text in ((72, _MORE), (310, _PROSE)):
        _text(page, x, 270, text, wide=45)


def _three_columns(page: Any) -> None:
    for x, text in ((50, _PROSE), (220, _MORE), (390, _PROSE)):
        _text(page, x, 100, text, wide=32, size=9)


def _footnote(page: Any) -> None:
    x = 72.0
    for text, up, size in (
        ("The valve holds 16 bar", 0, 10),
        ("1", 3, 6),
        (" all the time.", 0, 10),
    ):
        page.insert_text((x, 100 - up), text, fontname="tiro", fontsize=size)
        x += pymupdf.get_text_length(text, fontname="tiro", fontsize=size)
    _text(page, 72, 130, _PROSE)
    page.draw_line((72, 690), (200, 690))
    page.insert_text((72, 697), "1", fontname="tiro", fontsize=5)
    page.insert_text((76, 700), " At 20 degrees, and not longer.", fontname="tiro", fontsize=8)


def _furniture(*pages: Any) -> None:
    for number, page in enumerate(pages, 1):
        page.insert_text((72, 40), "Valve guide", fontname="tiro", fontsize=8)
        page.insert_text((400, 40), "Release 17.2", fontname="tiro", fontsize=8)
        page.insert_text((290, 815), f"{number} of {len(pages)}", fontname="tiro", fontsize=8)
        _text(page, 72, 100 + 20 * number, f"This is said on sheet {number} of the guide alone.")


def _table_over_pages(first: Any, second: Any) -> None:
    _text(first, 72, 90, _PROSE)
    _grid(first, 72, 700, [["Card", "Slots"], ["CC", "2"], ["TC", "16"]])
    for r, row in enumerate([["FT", "1"], ["PS", "2"]]):
        for c, text in enumerate(row):
            box = pymupdf.Rect(72 + c * 100, 72 + r * 18, 172 + c * 100, 90 + r * 18)
            second.draw_rect(box)
            second.insert_text((box.x0 + 4, box.y0 + 12), text, fontname="helv", fontsize=9)
    _text(second, 72, 160, _MORE)


def _repeated_header(first: Any, second: Any) -> None:
    _text(first, 72, 90, _PROSE)
    _grid(first, 72, 700, [["Card", "Slots"], ["CC", "2"], ["TC", "16"]])
    _grid(second, 72, 72, [["Card", "Slots"], ["FT", "1"], ["PS", "2"]])
    _text(second, 72, 160, _MORE)


def _rotated_table(page: Any) -> None:
    for r, row in enumerate([["Card", "Slots"], ["CC", "2"], ["TC", "16"]]):
        for c, text in enumerate(row):
            box = pymupdf.Rect(100 + r * 18, 500 - c * 100, 118 + r * 18, 600 - c * 100)
            page.draw_rect(box)
            font = "hebo" if r == 0 else "helv"
            at = (box.x0 + 12, box.y1 - 4)
            page.insert_text(at, text, fontname=font, fontsize=9, rotate=90)


def _turned(page: Any) -> None:
    _text(page, 72, 100, "Cooling", "tibo", 16)
    _text(page, 72, 130, _PROSE)
    page.set_rotation(90)


def _turned_cells(page: Any) -> None:
    """A header whose words stand upright above narrow columns."""
    for c, text in enumerate(("Card", "Slots", "Watts")):
        box = pymupdf.Rect(72 + c * 60, 100, 132 + c * 60, 150)
        page.draw_rect(box)
        at = (box.x0 + 20, box.y1 - 5)
        page.insert_text(at, text, fontname="hebo", fontsize=9, rotate=90)
    for r, row in enumerate((("CC", "2", "40"), ("TC", "16", "25"))):
        for c, text in enumerate(row):
            box = pymupdf.Rect(72 + c * 60, 150 + r * 18, 132 + c * 60, 168 + r * 18)
            page.draw_rect(box)
            page.insert_text((box.x0 + 4, box.y0 + 12), text, fontname="helv", fontsize=9)
    _text(page, 72, 250, _PROSE)


def _ruled_by_lines(page: Any) -> None:
    """A table as typesetters like it: three level strokes and no others."""
    _text(page, 72, 100, _PROSE)
    for y in (150, 168, 214):
        page.draw_line((72, y), (372, y))
    for r, row in enumerate((("Card", "Slots", "Watts"), ("CC", "2", "40"), ("TC", "16", "25"))):
        for c, text in enumerate(row):
            font = "tibo" if r == 0 else "tiro"
            page.insert_text((76 + c * 100, 162 + r * 20), text, fontname=font, fontsize=10)
    _text(page, 72, 260, _MORE)


def _nested(page: Any) -> None:
    for x0, x1 in ((72, 172), (172, 472)):
        page.draw_rect(pymupdf.Rect(x0, 100, x1, 118))
        page.draw_rect(pymupdf.Rect(x0, 118, x1, 180))
    for x, text in ((76, "Card"), (176, "Limits")):
        page.insert_text((x, 112), text, fontname="hebo", fontsize=9)
    page.insert_text((76, 132), "CC", fontname="helv", fontsize=9)
    for r, row in enumerate((("Watts", "40"), ("Heat", "80"))):
        for c, text in enumerate(row):
            box = pymupdf.Rect(182 + c * 100, 126 + r * 20, 282 + c * 100, 146 + r * 20)
            page.draw_rect(box)
            page.insert_text((box.x0 + 4, box.y0 + 13), text, fontname="helv", fontsize=9)
    _text(page, 72, 250, _PROSE)


def _listing(page: Any) -> None:
    _text(page, 72, 100, _PROSE)
    for i, line in enumerate(("def close():", "    if hot:", "        wait()", "    shut()")):
        y = 150 + 12 * i
        page.insert_text((60, y), str(i + 1), fontname="cour", fontsize=7)
        page.insert_text((80, y), line, fontname="cour", fontsize=9)


def _listing_of_one_size(page: Any) -> None:
    _text(page, 72, 100, _PROSE)
    for i, line in enumerate(("def close():", "    if hot:", "        wait()", "    shut()")):
        y = 150 + 12 * i
        page.insert_text((60, y), f"{i + 1:2}", fontname="cour", fontsize=9)
        page.insert_text((84, y), line, fontname="cour", fontsize=9)


def _hyphens(page: Any) -> None:
    lines = (
        "The environment of the configuration is kept, and the envi-",
        "ronment variables are read by it, as the one-to-one con-",
        "figuration says in the \ufb01le of the \ufb02ow that lies there.",
    )
    writer = pymupdf.TextWriter(page.rect)
    for i, line in enumerate(lines):
        writer.append((72, 100 + 12 * i), line, font=pymupdf.Font("tiro"), fontsize=10)
    writer.write_text(page)


def _paragraph_over_pages(first: Any, second: Any) -> None:
    for y in range(100, 700, 60):
        _text(first, 72, y, _PROSE)
    first.insert_text((72, 760), "The last line of this sheet ends in the", fontname="tiro")
    second.insert_text((72, 90), "middle of a sentence.", fontname="tiro")
    _text(second, 72, 130, _MORE)


def _note_in_a_box(page: Any) -> None:
    _text(page, 72, 100, _PROSE)
    page.draw_rect(pymupdf.Rect(72, 140, 520, 185))
    page.insert_text((80, 155), "WARNING", fontname="hebo", fontsize=10)
    page.insert_text((80, 170), "The valve is hot: wear gloves.", fontname="helv", fontsize=10)
    _text(page, 72, 220, _MORE)


LAYOUTS = {
    "two columns below a heading": _drawn(
        _two_columns,
        f"""heading Cooling
paragraph {_PROSE} {_PROSE}
paragraph {_MORE} {_MORE}""",
    ),
    "two columns above and below a wide table": _drawn(
        _columns_around_a_table,
        f"""paragraph {_PROSE}
paragraph {_MORE}
table_header Card — Slots — Watts — Notes
table_row CC — 2 — 40 — control
paragraph {_MORE}
paragraph {_PROSE}""",
    ),
    "three columns": _drawn(
        _three_columns, f"paragraph {_PROSE}\nparagraph {_MORE}\nparagraph {_PROSE}"
    ),
    "a footnote below a rule": _drawn(
        _footnote,
        f"""paragraph The valve holds 16 bar^1 all the time.
paragraph {_PROSE}
paragraph 1 At 20 degrees, and not longer.""",
    ),
    "running heads and feet": _drawn(
        _furniture,
        "\n".join(
            f"{f'# {i}' if i > 1 else ''}\nparagraph This is said on sheet {i} of the guide alone."
            for i in range(1, 6)
        ),
        pages=5,
    ),
    "a table over two pages": _drawn(
        _table_over_pages,
        f"""paragraph {_PROSE}
table_header Card — Slots
table_row CC — 2
table_row TC — 16
# 2
table_header Card — Slots
table_row FT — 1
table_row PS — 2
paragraph {_MORE}""",
        pages=2,
    ),
    "a table over two pages that repeats its header": _drawn(
        _repeated_header,
        f"""paragraph {_PROSE}
table_header Card — Slots
table_row CC — 2
table_row TC — 16
# 2
table_header Card — Slots
table_row FT — 1
table_row PS — 2
paragraph {_MORE}""",
        pages=2,
    ),
    "a table on its side": _drawn(
        _rotated_table, "table_header Card — Slots\ntable_row CC — 2\ntable_row TC — 16"
    ),
    "a page that is turned": _drawn(_turned, f"heading Cooling\nparagraph {_PROSE}"),
    "a header that stands upright": _drawn(
        _turned_cells,
        f"""table_header Card — Slots — Watts
table_row CC — 2 — 40
table_row TC — 16 — 25
paragraph {_PROSE}""",
    ),
    "a table of three rules": _drawn(
        _ruled_by_lines,
        f"""paragraph {_PROSE}
table_header Card — Slots — Watts
table_row CC — 2 — 40
table_row TC — 16 — 25
paragraph {_MORE}""",
    ),
    "a table in a cell": _drawn(
        _nested,
        f"""table_header Card — Limits
table_row CC — Watts: 40; Heat: 80
paragraph {_PROSE}""",
    ),
    "code with small numbers": _drawn(
        _listing, f"paragraph {_PROSE}\ncode def close():⏎    if hot:⏎        wait()⏎    shut()"
    ),
    "code with numbers of its own size": _drawn(
        _listing_of_one_size,
        f"paragraph {_PROSE}\ncode def close():⏎    if hot:⏎        wait()⏎    shut()",
    ),
    "broken words and ligatures": _drawn(
        _hyphens,
        "paragraph The environment of the configuration is kept, and the environment variables are "
        "read by it, as the one-to-one configuration says in the file of the flow that lies "
        "there.",
    ),
    "a warning in a box": _drawn(
        _note_in_a_box,
        f"""paragraph {_PROSE}
heading WARNING
paragraph The valve is hot: wear gloves.
paragraph {_MORE}""",
    ),
    "chapters, lists and code": _typeset(
        f"<h1>1 Cooling</h1><p>{_PROSE}</p><ul><li>fans<ul><li>front</li><li>back</li></ul></li>"
        "<li>filters</li></ul><h2>1.1 Steps</h2><ol><li>Open the tray.</li><li>Close it.</li></ol>"
        "<pre>fan open\n  fan close</pre>",
        f"""heading 1 Cooling
paragraph {_PROSE}
list_item - fans
list_item   - front
list_item   - back
list_item - filters
heading 1.1 Steps
list_item 1. Open the tray.
list_item 2. Close it.
code fan open⏎  fan close""",
    ),
    "terms and what they mean": _typeset(
        f"<p>{_PROSE}</p><p><b>seal</b></p>"
        "<dl><dt><b>gasket</b></dt><dd>Keeps it tight all the time.</dd><dt><b>stem</b></dt>"
        "<dd>Moves the disc up and down.</dd></dl>",
        f"""paragraph {_PROSE}
heading seal
definition gasket: Keeps it tight all the time.
definition stem: Moves the disc up and down.""",
    ),
    "a table with its caption": _typeset(
        f"<p>{_PROSE}</p><p>Table 3: What the cards need</p><table><tr><th>Card</th><th>Watts</th>"
        f"</tr><tr><td>CC</td><td>40</td></tr></table><p>{_MORE}</p>",
        f"""paragraph {_PROSE}
paragraph Table 3: What the cards need
table_header Card — Watts
table_row CC — 40
paragraph {_MORE}""",
    ),
    "powers and indices": _typeset(
        f"<p>{_PROSE}</p><p>At 10<sup>3</sup> Pa the water boils, as we all know from school.</p>",
        f"""paragraph {_PROSE}
paragraph At 10^3 Pa the water boils, as we all know from school.""",
    ),
    "a paragraph over two pages": _drawn(
        _paragraph_over_pages,
        "\n".join([f"paragraph {_PROSE}"] * 10)
        + f"""
paragraph The last line of this sheet ends in the
# 2
paragraph middle of a sentence.
paragraph {_MORE}""",
        pages=2,
    ),
}
