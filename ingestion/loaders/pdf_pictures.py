"""The pictures of a PDF, which are not read, counted without what only decorates its pages."""

from collections.abc import Iterable
from typing import Any

from ingestion.loaders.pdf_figures import repeated
from ingestion.messages import message
from ingestion.unread import Unread

_SMALLEST = 36.0
"""Points: half an inch. What is smaller, in width or height, is an icon or a rule."""


def unread_pictures(pages: Iterable[tuple[int, Any]]) -> tuple[str, ...]:
    """Return what is to be said of the pictures on pages, given with their numbers.

    Furniture is not counted. `pages` are of `pymupdf.Page`.
    """
    numbers, on_pages = [], []
    for number, page in pages:
        numbers.append(number)
        on_pages.append(
            {
                (picture["width"], picture["height"], picture["size"])
                for picture in page.get_image_info()
                if _is_large(*picture["bbox"])
            }
        )
    told = set(repeated(on_pages))
    unread = Unread()
    for number, on_page in zip(numbers, on_pages, strict=True):
        for kind in on_page - told:
            unread.add("picture", message("on page {number}", number=number))
            told.add(kind)
    return unread.remarks()


def _is_large(x0: float, y0: float, x1: float, y1: float) -> bool:
    return min(x1 - x0, y1 - y0) >= _SMALLEST
