"""Suspension of saved answers whose cited pages have changed or gone (provenance).

Whatever changes what serves a release has its answers reviewed in the same transaction, since the
database is opened here.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256

from sqlalchemy import ColumnElement, and_, select
from sqlalchemy.orm import Session, selectinload

from chatbot.memory.accepted import order_check
from chatbot.settings import Settings
from corpora.database import engine
from corpora.database.engine import Database, delete_in_portions, portions
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.database.tables import DocumentRow, MemberRow, PageRow, ReleaseRow
from ingestion.messages import counted, counted_noop, message, sentences

_AT_ONCE = 500
_RETIRED = message("the release is retired")
_CHANGED = {
    True: counted_noop(
        "{number} saved answer is suspended.", "{number} saved answers are suspended."
    ),
    False: counted_noop(
        "{number} saved answer is in use again.", "{number} saved answers are in use again."
    ),
}
"""What is said of answers, by whether they are suspended now."""

ServedPlaces = Mapping[str, Mapping[bytes, Sequence[tuple[int, int]]]]
"""For each file that serves, and the hash of a text in it, the ids and numbers of its pages."""


def open_database(settings: Settings) -> Database:
    """Open the database of the settings; raises as the one of `corpora`."""
    database = with_memory(engine.open_database(settings.database, settings.originals_url))
    is_checked = settings.release_check == "on"
    return database if is_checked else replace(database, on_built=lambda session, generation: "")


def with_memory(database: Database) -> Database:
    """A database that reviews a release's saved answers on changes, and deletes them with it.

    What was built is held against accepted answers: a job does that.
    """
    return replace(database, on_change=review_release, on_delete=_forget, on_built=order_check)


def review_release(session: Session, release_id: int, only: int | None = None) -> str:
    """Suspend the answers of a release whose pages do not serve, restore the others; say so.

    It belongs into the transaction that changes what serves, or adds the `only` pair to review.
    """
    release = session.get_one(ReleaseRow, release_id)
    of_release = MemoryPairRow.release_id == release_id
    chosen = of_release if only is None else and_(of_release, MemoryPairRow.id == only)
    rows = session.execute(select(MemoryPairRow.id, MemoryPairRow.suspended).where(chosen))
    before = {row.id: row.suspended for row in rows}
    serving = release.published_generation_id
    absent = {} if release.retired else _absent_pages(session, serving, chosen)
    places = served_places(session, serving, set(absent.values()))
    doubtful = {pair for pair, _ in absent} | {pair for pair, why in before.items() if why}
    changed: Counter[bool] = Counter()
    for some in portions(sorted(before if release.retired else doubtful), _AT_ONCE):
        pairs = select(MemoryPairRow).where(MemoryPairRow.id.in_(some))
        for pair in session.scalars(pairs.options(selectinload(MemoryPairRow.pages))):
            why = _RETIRED if release.retired else _look_for_pages(pair, absent, places)
            if bool(why) != bool(pair.suspended):
                changed[bool(why)] += 1
            pair.suspended = why
        session.flush()
    return sentences(counted(*_CHANGED[to], changed[to]) for to in _CHANGED if changed[to])


def page_hash(text: str) -> bytes:
    """Return the hash that identifies a cited page: the SHA-256 of its text as it is stored."""
    return sha256(text.encode()).digest()


def _forget(database: Database, release_id: int) -> None:
    """Delete the saved answers of a release, with what hangs on them, in small transactions."""
    delete_in_portions(database, MemoryPairRow.id, MemoryPairRow.release_id == release_id)


def _absent_pages(
    session: Session, serving: int | None, chosen: ColumnElement[bool]
) -> dict[tuple[int, int], str]:
    """The files of cited pages that do not serve where they stood, by pair and ordinal."""
    serves = and_(MemberRow.document_id == PageRow.document_id, MemberRow.generation_id == serving)
    rows = session.execute(
        select(MemoryPageRow.pair_id, MemoryPageRow.ordinal, MemoryPageRow.file)
        .join(MemoryPairRow, MemoryPairRow.id == MemoryPageRow.pair_id)
        .outerjoin(PageRow, PageRow.id == MemoryPageRow.page_id)
        .outerjoin(MemberRow, serves)
        .where(chosen, MemberRow.document_id.is_(None))
    )
    return {(pair, ordinal): file for pair, ordinal, file in rows}


def served_places(session: Session, serving: int | None, files: Collection[str]) -> ServedPlaces:
    """Where each text of some files is served by a generation."""
    places: defaultdict[str, defaultdict[bytes, list[tuple[int, int]]]]
    places = defaultdict(lambda: defaultdict(list))
    for some in portions(sorted(files), _AT_ONCE):
        rows = session.execute(
            select(DocumentRow.file, PageRow.id, PageRow.number, PageRow.text)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == serving, DocumentRow.file.in_(some)),
            execution_options={"yield_per": _AT_ONCE},
        )
        for file, page_id, number, text in rows:
            places[file][page_hash(text)].append((page_id, number))
    return places


def _look_for_pages(
    pair: MemoryPairRow, absent: Collection[tuple[int, int]], places: ServedPlaces
) -> str:
    """Let a pair cite its absent pages where they are now; return why it cannot, or nothing."""
    reasons = []
    citations = list(pair.answer.get("citations", ()))
    for page in pair.pages:
        if (pair.id, page.ordinal) not in absent:
            continue
        number = citations[page.ordinal]["page"]
        if page.file not in places:
            reasons.append(message("the document {file} is gone", file=page.file))
        elif there := places[page.file].get(page.page_hash):
            # Of several pages with this text, the one nearest to where it stood.
            page.page_id, at = min(there, key=lambda at: (abs(at[1] - number), at[1]))
            moved = {"page_id": page.page_id, "page": at}
            citations[page.ordinal] = {**citations[page.ordinal], **moved}
        else:
            place = {"page": number, "file": page.file}
            reasons.append(message("the page {page} of {file} has changed", **place))
    pair.answer = {**pair.answer, "citations": citations}
    return next(iter(reasons), "")
