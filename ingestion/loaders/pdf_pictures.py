"""The pictures of a PDF, which are not read, counted without what only decorates its pages."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ingestion.unread import Unread

_SMALLEST = 36.0
"""Points: half an inch. What is smaller, in width or height, is an icon or a rule."""


def unread_pictures(pages: Iterable[tuple[int, Any]]) -> tuple[str, ...]:
    """Return what is to be said of the pictures on pages, given with their numbers.

    A picture that stands on several pages is furniture, such as a logo. `pages` are of
    `pymupdf.Page`.
    """
    seen: Counter[tuple[int, int, int]] = Counter()
    first: dict[tuple[int, int, int], int] = {}
    for number, page in pages:
        on_page = {
            (picture["width"], picture["height"], picture["size"])
            for picture in page.get_image_info()
            if _is_large(*picture["bbox"])
        }
        seen.update(on_page)
        first |= dict.fromkeys(on_page, number)
    unread = Unread()
    for kind, count in seen.items():
        if count == 1:
            unread.add("picture", f"on page {first[kind]}")
    return unread.remarks()


def _is_large(x0: float, y0: float, x1: float, y1: float) -> bool:
    return min(x1 - x0, y1 - y0) >= _SMALLEST
