"""Figures as they are stored: rows beside their page, with pictures that are kept as files."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sqlalchemy import Select, func, select, true
from sqlalchemy.orm import Session, aliased

from corpora.database.engine import Database, portions
from corpora.database.originals import Originals
from corpora.database.tables import DocumentRow, FigureRow, PageRow
from ingestion.figures import WITHIN
from ingestion.page import Figure, Page, Picture

SECTION_DELIMITER = " › "
"""Between the headings of a section."""
_AT_ONCE = 500
_KEPT = "kept:"

_FARTHEST = 1
"""Pages from the one that is asked about."""
_MOST_FIGURES = 4
_MOST_DOCUMENTS = 10
"""What more documents of a release show is its furniture."""

PageT = TypeVar("PageT", bound=Page)


@dataclass(frozen=True, slots=True)
class StoredFigure:
    """A figure of a page; its picture is kept by its hash, `width` and `height` are in pixels."""

    page_id: int
    content_hash: str
    caption: str
    description: str
    width: int
    height: int


def figure_rows(
    page_id: int, page: Page, pictures: Mapping[str, Picture]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of the figures of a page whose pictures are there, each picture once."""
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for number, block in enumerate(page.blocks):
        for figure in block.figures:
            picture = pictures.get(figure.place)
            if picture is None or (picture.content_hash, block.path) in seen:
                continue
            seen.add((picture.content_hash, block.path))
            yield {
                "page_id": page_id,
                "block": number,
                "content_hash": picture.content_hash,
                "section": SECTION_DELIMITER.join(block.path),
                "caption": figure.caption,
                "description": figure.description,
                "width": picture.width,
                "height": picture.height,
                "place": "" if figure.place.startswith(WITHIN) else figure.place,
                "original": picture.original,
            }


def with_kept_figures(
    session: Session, pages: Sequence[PageT]
) -> tuple[tuple[PageT, ...], dict[str, Picture]]:
    """Return the stored pages of a document with the figures at their blocks, and the pictures."""
    query = (
        select(PageRow.number, FigureRow)
        .join(PageRow, PageRow.id == FigureRow.page_id)
        .where(PageRow.document_id == _document(pages))
        .order_by(FigureRow.id)
    )
    at: dict[tuple[int, int], tuple[Figure, ...]] = {}
    pictures: dict[str, Picture] = {}
    for number, row in session.execute(query):
        place = row.place or f"{_KEPT}{row.content_hash}"
        pictures[place] = Picture(row.content_hash, row.width, row.height, row.original)
        figure = Figure(place, row.caption, row.description)
        at[number, row.block] = (*at.get((number, row.block), ()), figure)
    if not at:
        return tuple(pages), {}
    return tuple(_shown(page, at) for page in pages), pictures


def _document(pages: Sequence[Any]) -> int:
    document_id: int = pages[0].document.id
    return document_id


def _shown(page: PageT, at: Mapping[tuple[int, int], tuple[Figure, ...]]) -> PageT:
    blocks = (
        replace(block, figures=at.get((page.number, number), ()))
        for number, block in enumerate(page.blocks)
    )
    return replace(page, blocks=tuple(blocks))


def originals_beside(database: Database, documents: Collection[int]) -> dict[int, dict[str, str]]:
    """Return the sha256 of what was shown from beside documents, by their ids and its place."""
    found: dict[int, dict[str, str]] = {}
    with database.reading() as session:
        for some in portions(sorted(documents), _AT_ONCE):
            rows = session.execute(
                select(PageRow.document_id, FigureRow.place, FigureRow.original)
                .join(PageRow, PageRow.id == FigureRow.page_id)
                .where(PageRow.document_id.in_(some), FigureRow.place != "")
            )
            for document_id, place, original in rows:
                found.setdefault(document_id, {})[place] = original
    return found


def picture_beside(database: Database, document_id: int, place: str) -> str | None:
    """Return the hash of the picture that a document shows from a place beside it."""
    with database.reading() as session:
        return session.scalar(
            select(FigureRow.content_hash)
            .join(PageRow, PageRow.id == FigureRow.page_id)
            .where(PageRow.document_id == document_id, FigureRow.place == place)
            .limit(1)
        )


def figures_of(database: Database, page_id: int, section: str) -> tuple[StoredFigure, ...]:
    """Return the figures of a section of a page, nearest first; a section may go on beyond it.

    What many documents of the release show, such as a logo, is left out.
    """
    own = aliased(PageRow)
    distance = func.abs(PageRow.number - own.number)
    query = (
        _not_repeated()
        .join(own, own.document_id == PageRow.document_id)
        .where(own.id == page_id, FigureRow.section == section, distance <= _FARTHEST)
        .where((PageRow.id == own.id) if not section else true())
        .order_by(distance, FigureRow.id)
        .limit(_MOST_FIGURES)
    )
    return _read(database, query)


def figures_on(database: Database, page_ids: Sequence[int]) -> tuple[StoredFigure, ...]:
    """Return the figures of pages, in the order of these, without furniture."""
    query = _not_repeated().where(FigureRow.page_id.in_(page_ids)).order_by(FigureRow.id)
    return tuple(sorted(_read(database, query), key=lambda f: page_ids.index(f.page_id)))


def _not_repeated() -> Select[FigureRow]:
    """A query for figures, with their pages and documents, that few documents of a release show."""
    page, document, other = aliased(PageRow), aliased(DocumentRow), aliased(FigureRow)
    repeated = (
        select(func.count(document.file.distinct()))
        .select_from(other)
        .join(page, page.id == other.page_id)
        .join(document, document.id == page.document_id)
        .where(other.content_hash == FigureRow.content_hash)
        .where(document.release_id == DocumentRow.release_id)
        .correlate(FigureRow, DocumentRow)
        .scalar_subquery()
    )
    return (
        select(FigureRow)
        .join(PageRow, PageRow.id == FigureRow.page_id)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(repeated <= _MOST_DOCUMENTS)
    )


def _read(database: Database, query: Select[FigureRow]) -> tuple[StoredFigure, ...]:
    with database.reading() as session:
        return tuple(
            StoredFigure(
                *(row.page_id, row.content_hash, row.caption, row.description),
                *(row.width, row.height),
            )
            for row in session.scalars(query)
        )


def figure_bytes(database: Database, page_id: int, content_hash: str) -> bytes:
    """Return the picture of a figure of a page; raise LookupError where it has no such one."""
    with database.reading() as session:
        there = session.scalar(
            select(FigureRow.id)
            .where(FigureRow.page_id == page_id, FigureRow.content_hash == content_hash)
            .limit(1)
        )
    data = Originals(database).read(content_hash) if there is not None else None
    if data is None:
        raise LookupError("This page has no such figure.")
    return data
