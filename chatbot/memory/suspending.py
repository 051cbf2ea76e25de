"""Suspension of saved answers whose cited pages have changed or gone (provenance).

Whatever changes what serves a release has its answers reviewed in the same transaction, since the
database is opened here.
"""

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, selectinload

from chatbot.settings import Settings
from corpora.catalog.catalog import require_product, require_release
from corpora.database import engine
from corpora.database.engine import Database, delete_in_portions, portions
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow, MemoryUseRow
from corpora.database.tables import DocumentRow, MemberRow, PageRow, ReleaseRow

_AT_ONCE = 500
_RETIRED = "the release is retired"

_Place = tuple[int, int]
"""The id and the number of the page where a text stands now."""


@dataclass(frozen=True)
class CitedPage:
    """The page behind a citation; its text was last found at `page_id` and `number`."""

    file: str
    page_hash: bytes
    page_id: int
    number: int


def open_database(settings: Settings) -> Database:
    """Open the database of the settings; raises as the one of `corpora`."""
    return with_memory(engine.open_database(settings.database, settings.originals_url))


def with_memory(database: Database) -> Database:
    """A database that reviews a release's saved answers on changes, and deletes them with it."""
    return replace(database, on_change=review_release, on_delete=_forget)


def reason_unusable(session: Session, release_id: int, pages: Sequence[CitedPage]) -> str:
    """The reason why an answer that cites these pages may not be used now; empty if it may."""
    release = session.get_one(ReleaseRow, release_id)
    if release.retired:
        return _RETIRED
    located = _look_for(session, release.published_generation_id, pages)
    return next((place for page in pages if isinstance(place := located[page], str)), "")


def review_release(session: Session, release_id: int) -> str:
    """Suspend the answers of a release whose pages do not serve, restore the others; say so.

    It belongs into the transaction that changes what serves.
    """
    before = _suspended(session, release_id)
    release = session.get_one(ReleaseRow, release_id)
    moved: dict[int, dict[int, _Place]] = {}
    if release.retired:
        now = dict.fromkeys(before, _RETIRED)
    else:
        now, moved = _check_pages(session, release_id, release.published_generation_id)
    other = {pair_id for pair_id, why in before.items() if why != now.get(pair_id, "")}
    for some in portions(sorted({*moved, *other}), _AT_ONCE):
        pairs = select(MemoryPairRow).where(MemoryPairRow.id.in_(some))
        for pair in session.scalars(pairs.options(selectinload(MemoryPairRow.pages))):
            citations = list(pair.answer.get("citations", ()))
            for n, (page_id, number) in moved.get(pair.id, {}).items():
                pair.pages[n].page_id = page_id
                citations[n] = {**citations[n], "page_id": page_id, "page": number}
            pair.answer = {**pair.answer, "citations": citations}
            pair.suspended = now.get(pair.id, "")
        session.flush()
    return _summary(before, now)


def preview(database: Database, product: str, release: str, generation_id: int) -> str:
    """The summary of a review as if another generation served; nothing is changed."""
    with database.reading() as session:
        release_id = require_release(session, product, release).id
        now, _ = _check_pages(session, release_id, generation_id)
        return _summary(_suspended(session, release_id), now)


def count_affected(
    database: Database, product: str, release: str = "", files: Sequence[str] | None = None
) -> int:
    """Count the answers that go with a product or a release, or are suspended without `files`."""
    with database.reading() as session:
        owner = require_product(session, product)
        of = [require_release(session, product, release)] if release else owner.releases
        pairs = select(func.count()).where(MemoryPairRow.release_id.in_([row.id for row in of]))
        if files is not None:
            citing = select(MemoryPageRow.pair_id).where(MemoryPageRow.file.in_(files))
            pairs = pairs.where(MemoryPairRow.suspended == "", MemoryPairRow.id.in_(citing))
        return session.scalar(pairs) or 0


def page_hash(text: str) -> bytes:
    """Return the hash that identifies a cited page: the SHA-256 of its text as it is stored."""
    return sha256(text.encode()).digest()


def _forget(database: Database, release_id: int) -> None:
    """Delete the saved answers of a release in small transactions, from the leaves up."""
    of_release = MemoryPairRow.release_id == release_id
    pairs = select(MemoryPairRow.id).where(of_release)
    delete_in_portions(database, MemoryUseRow.turn_id, MemoryUseRow.pair_id.in_(pairs))
    delete_in_portions(database, MemoryPairRow.id, of_release)


def _suspended(session: Session, release_id: int) -> dict[int, str]:
    pairs = select(MemoryPairRow.id, MemoryPairRow.suspended)
    rows = session.execute(pairs.where(MemoryPairRow.release_id == release_id))
    return {row.id: row.suspended for row in rows}


def _check_pages(
    session: Session, release_id: int, serving: int | None
) -> tuple[dict[int, str], dict[int, dict[int, _Place]]]:
    """Why pairs may not be used now, by their ids, and where moved pages are, by ordinal."""
    of_member = and_(
        MemberRow.document_id == PageRow.document_id, MemberRow.generation_id == serving
    )
    rows = session.execute(
        select(MemoryPageRow, MemoryPairRow.answer)
        .join(MemoryPairRow, MemoryPairRow.id == MemoryPageRow.pair_id)
        .outerjoin(PageRow, PageRow.id == MemoryPageRow.page_id)
        .outerjoin(MemberRow, of_member)
        .where(MemoryPairRow.release_id == release_id, MemberRow.document_id.is_(None))
        .order_by(MemoryPageRow.pair_id, MemoryPageRow.ordinal)
    )
    absent = {
        (p.pair_id, p.ordinal): CitedPage(
            p.file, p.page_hash, p.page_id, answer["citations"][p.ordinal]["page"]
        )
        for p, answer in rows
    }
    located = _look_for(session, serving, absent.values())
    why: dict[int, str] = {}
    moved: defaultdict[int, dict[int, _Place]] = defaultdict(dict)
    for (pair, ordinal), cited in absent.items():
        place = located[cited]
        if isinstance(place, str):
            why.setdefault(pair, place)
        else:
            moved[pair][ordinal] = place
    return why, moved


def _look_for(
    session: Session, serving: int | None, pages: Collection[CitedPage]
) -> dict[CitedPage, _Place | str]:
    """The place where each page's text is served, nearest to its number, or why there is none."""
    places: defaultdict[str, defaultdict[bytes, list[_Place]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for some in portions(sorted({page.file for page in pages}), _AT_ONCE):
        rows = session.execute(
            select(DocumentRow.file, PageRow.id, PageRow.number, PageRow.text)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == serving, DocumentRow.file.in_(some)),
            execution_options={"yield_per": _AT_ONCE},
        )
        for file, page_id, number, text in rows:
            places[file][page_hash(text)].append((page_id, number))

    def locate(page: CitedPage) -> _Place | str:
        if page.file not in places:
            return f"the document {page.file} is gone"
        return min(
            places[page.file][page.page_hash],
            key=lambda place: (abs(place[1] - page.number), place[1]),
            default=f"the page {page.number} of {page.file} has changed",
        )

    return {page: locate(page) for page in pages}


def _summary(before: dict[int, str], now: dict[int, str]) -> str:
    """The changes in sentences for people; empty where there are none."""
    both = [(bool(why), pair in now) for pair, why in before.items()]
    changed = (both.count((False, True)), "suspended"), (both.count((True, False)), "in use again")
    return " ".join(
        f"{number:,} saved {'answer is' if number == 1 else 'answers are'} {what}."
        for number, what in changed
        if number
    )
