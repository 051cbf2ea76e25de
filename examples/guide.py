"""A guide becomes a PDF with a cover, a contents page, running lines and bookmarks."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from html import escape
from typing import Any

import pymupdf
from facts import Edition

_PAPER = pymupdf.paper_rect("a4")
_BODY = pymupdf.Rect(62, 78, _PAPER.x1 - 62, _PAPER.y1 - 78)
_GREY = (0.35, 0.35, 0.35)
_DRAWING = re.compile(r"<svg [^>]*(width=\S+ height=\S+)[^>]*>.*?</svg>", re.S)


@dataclass(frozen=True)
class _Place:
    """Where an element with an id stands; `level` is 0 for what is no heading."""

    level: int
    text: str
    page: int
    rect: pymupdf.Rect


def write_guide(title: str, cover: str, body: str, css: str, edition: Edition) -> bytes:
    """Set cover and body on A4 and return the bytes of the PDF, the same at every call.

    The guide is set twice: the contents page, which names page numbers, stands before the body.
    A drawing leaves its room empty while text is set, which would make an image of it, and is put
    there afterwards, so that its labels stay text.
    """
    drawings = [drawing[0] for drawing in _DRAWING.finditer(body)]
    body = _DRAWING.sub(r'<div id="drawing"><svg \1></svg></div>', body)
    _, places = _set(cover + _contents([]) + body, css)
    pdf, places = _set(cover + _contents(places) + body, css)
    with pymupdf.open("pdf", pdf) as document:
        for page in list(document)[1:]:
            _add_running_lines(page, title, edition)
        spaces = [place for place in places if not place.level]
        for space, drawing in zip(spaces, drawings, strict=True):
            _add_drawing(document[space.page - 1], space.rect, drawing)
        document.set_toc([[p.level, p.text, p.page] for p in places if p.level])
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


def _set(html: str, css: str) -> tuple[bytes, list[_Place]]:
    story = pymupdf.Story(html, user_css=css)
    out = io.BytesIO()
    writer = pymupdf.DocumentWriter(out)
    places: list[_Place] = []
    page, more = 0, True

    def note(element: Any) -> None:
        if element.id and element.open_close & 1:
            rect = pymupdf.Rect(element.rect)
            places.append(_Place(element.heading, element.text, page, rect))

    while more:
        page += 1
        device = writer.begin_page(_PAPER)
        more, _ = story.place(_BODY)
        story.element_positions(note)
        story.draw(device)
        writer.end_page()
    writer.close()
    return out.getvalue(), places


def _contents(places: list[_Place]) -> str:
    rows = "".join(
        f'<tr><td class="level{place.level}">{escape(place.text)}</td>'
        f'<td class="page">{place.page}</td></tr>'
        for place in places
        if place.level
    )
    return f'<h1>Contents</h1><table class="contents">{rows}</table>'


def _add_drawing(page: pymupdf.Page, space: pymupdf.Rect, svg: str) -> None:
    with pymupdf.open(stream=svg.encode(), filetype="svg") as source:
        size = source[0].rect
        with pymupdf.open("pdf", source.convert_to_pdf()) as drawing:
            corner = space.top_left
            page.show_pdf_page(pymupdf.Rect(corner, corner + size.bottom_right), drawing)


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
