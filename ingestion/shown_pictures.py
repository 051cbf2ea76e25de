"""The pictures of a document's figures, each drawn anew in the child process, without furniture."""

from base64 import b64decode
from collections import Counter
from collections.abc import Callable
from contextlib import closing

from ingestion.archives import Archive
from ingestion.includes import LARGEST_READ
from ingestion.messages import message
from ingestion.page import Document, Picture, Rejected, UnreadableFile
from ingestion.sandbox import Sandbox

MOST_PICTURES = 400
"""Of one document."""
_FEW_PAGES = 3
_ICON = "an icon"
_ABSENT = "not in what was given"
"""Told to nobody: whoever gives single files of text knows."""


def pictures_of(
    document: Document, data: bytes, beside: Callable[[str], bytes | None], sandbox: Sandbox
) -> tuple[dict[str, Picture], tuple[str, ...]]:
    """Return the pictures of a document by their places, and remarks on those that are lacking.

    `data` are the document's bytes, `beside` returns those of what lies beside it. What stands on
    most pages of a longer document is its furniture, such as a logo, and left out.
    """
    pages = Counter(
        place for page in document.pages for place in dict.fromkeys(f.place for f in page.figures)
    )
    most = max(_FEW_PAGES, len(document.pages) / 2)
    places = [place for place, count in pages.items() if count <= most]
    drawn: dict[str, Picture] = {}
    failed: list[str] = []
    for place in places[:MOST_PICTURES]:
        picture = _drawn(place, data, beside, sandbox)
        if isinstance(picture, Picture):
            drawn[place] = picture
        elif picture not in (_ICON, _ABSENT):
            where = message("one within it") if place.startswith("data:") else place
            failed.append(message("{place}: {reason}", place=where, reason=picture))
    remarks = []
    if failed:
        remarks.append(
            message(
                "{number} of its pictures cannot be shown (such as {example})",
                number=len(failed),
                example=failed[0],
            )
        )
    if len(places) > MOST_PICTURES:
        remarks.append(
            message(
                "of its {number:,} pictures the first {most} are shown",
                number=len(places),
                most=MOST_PICTURES,
            )
        )
    return drawn, tuple(remarks)


def _drawn(
    place: str, data: bytes, beside: Callable[[str], bytes | None], sandbox: Sandbox
) -> Picture | str:
    """Return a picture, or why there is none."""
    original: bytes | None
    if place.startswith("page="):
        original = data
    elif place.startswith("part:"):
        original = _part(data, place.removeprefix("part:"))
    elif place.startswith("data:"):
        original = _written(place)
    else:
        original = beside(place)
    if not original:
        return _ABSENT
    made = sandbox.picture(original, place)
    return made.reason if isinstance(made, Rejected) else made


def _part(data: bytes, name: str) -> bytes | None:
    try:
        with closing(Archive(data)) as archive:
            return archive.named(name, LARGEST_READ)
    except UnreadableFile:
        return None


def _written(place: str) -> bytes:
    try:
        return b64decode(place.partition(",")[2])
    except ValueError:
        return b""
