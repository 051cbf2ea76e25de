"""A guide becomes a PDF with a cover, a contents page, running lines and bookmarks."""

from __future__ import annotations

import io
from dataclasses import dataclass
from html import escape
from typing import Any

import pymupdf
from facts import Edition

_PAPER = pymupdf.paper_rect("a4")
_BODY = pymupdf.Rect(62, 78, _PAPER.x1 - 62, _PAPER.y1 - 78)
_GREY = (0.35, 0.35, 0.35)


@dataclass(frozen=True)
class _Heading:
    level: int
    text: str
    page: int


def write_guide(title: str, cover: str, body: str, css: str, edition: Edition) -> bytes:
    """Set cover and body on A4 and return the bytes of the PDF, the same at every call.

    The guide is set twice: the contents page, which names page numbers, stands before the body.
    """
    _, headings = _set(cover + _contents([]) + body, css)
    pdf, headings = _set(cover + _contents(headings) + body, css)
    with pymupdf.open("pdf", pdf) as document:
        for page in list(document)[1:]:
            _add_running_lines(page, title, edition)
        document.set_toc([[heading.level, heading.text, heading.page] for heading in headings])
        date = edition.fill("$stamp")
        document.set_metadata(
            {
                "title": edition.fill("$name $title, release $release", title=title),
                "author": edition.fill("$vendor"),
                "creationDate": date,
                "modDate": date,
            }
        )
        return bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))


def _set(html: str, css: str) -> tuple[bytes, list[_Heading]]:
    story = pymupdf.Story(html, user_css=css)
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    headings: list[_Heading] = []
    page, more = 0, True

    def note(place: Any) -> None:
        if place.heading and place.id and place.open_close & 1:
            headings.append(_Heading(place.heading, place.text, page))

    while more:
        page += 1
        device = writer.begin_page(_PAPER)
        more, _ = story.place(_BODY)
        story.element_positions(note)
        story.draw(device)
        writer.end_page()
    writer.close()
    return out.getvalue(), headings


def _contents(headings: list[_Heading]) -> str:
    rows = "".join(
        f'<tr><td class="level{heading.level}">{escape(heading.text)}</td>'
        f'<td class="page">{heading.page}</td></tr>'
        for heading in headings
    )
    return f'<h1>Contents</h1><table class="contents">{rows}</table>'


def _add_running_lines(page: pymupdf.Page, title: str, edition: Edition) -> None:
    left, right, bottom = _BODY.x0, _BODY.x1, _PAPER.y1
    for y in (58, bottom - 58):
        page.draw_line((left, y), (right, y), color=_GREY, width=0.5)
    for text, y, flush_right in (
        (edition.fill("$name $title", title=title), 50, False),
        (edition.fill("Release $release"), 50, True),
        (edition.fill("© $year $vendor. All rights reserved."), bottom - 44, False),
        (f"Page {page.number + 1} of {page.parent.page_count}", bottom - 44, True),
    ):
        x = right - pymupdf.get_text_length(text, fontsize=8) if flush_right else left
        page.insert_text((x, y), text, fontsize=8, color=_GREY)
