"""Pages that answers cite are found in what serves by their file and the hash of their text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpora.database.tables import DocumentRow, MemberRow, PageRow

_FILES_AT_ONCE = 500
_PAGES_AT_ONCE = 500


class Cited(Protocol):
    """The page behind a citation: its file, the hash of its text, and the page read then."""

    @property
    def file(self) -> str:
        """The file of its document."""

    @property
    def page_hash(self) -> bytes:
        """The `page_hash` of its text."""

    @property
    def page_id(self) -> int:
        """The page that held this text when it was last looked for."""


@dataclass(frozen=True, slots=True)
class Place:
    """A page of what serves."""

    page_id: int
    number: int


@dataclass(frozen=True)
class ServingPages:
    """What there is, in what serves, of pages that were looked for."""

    files: Collection[str]
    places: Mapping[tuple[str, bytes], Sequence[Place]]

    def place(self, cited: Cited, number: int | None) -> Place | None:
        """The page that holds the text now; of several the one nearest to the number it had."""
        places = self.places.get((cited.file, cited.page_hash), ())
        return min(places, key=lambda p: (abs(p.number - (number or 0)), p.number), default=None)

    def why_not(self, cited: Cited, number: int | None) -> str:
        """Why a page that is not among them is not."""
        if cited.file not in self.files:
            return f"the document {cited.file} is gone"
        page = "a page" if number is None else f"the page {number}"
        return f"{page} of {cited.file} has changed"


def page_hash(text: str) -> bytes:
    """Return what a cited page is known by: the SHA-256 of its text as it is stored."""
    return sha256(text.encode()).digest()


def look_for(session: Session, serving: int | None, pages: Sequence[Cited]) -> ServingPages:
    """Look for pages by the hash of their text in the files of that name that serve."""
    wanted = {(page.file, page.page_hash) for page in pages}
    files: set[str] = set()
    places: defaultdict[tuple[str, bytes], list[Place]] = defaultdict(list)
    ordered = sorted({page.file for page in pages})
    for first in range(0, len(ordered), _FILES_AT_ONCE):
        some = ordered[first : first + _FILES_AT_ONCE]
        rows = session.execute(
            select(DocumentRow.file, PageRow.id, PageRow.number, PageRow.text)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == serving, DocumentRow.file.in_(some)),
            execution_options={"yield_per": _PAGES_AT_ONCE},
        )
        for file, page_id, number, text in rows:
            files.add(file)
            key = file, page_hash(text)
            if key in wanted:
                places[key].append(Place(page_id, number))
    return ServingPages(files, places)
