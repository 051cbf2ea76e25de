"""Remembered answers rest on pages: those whose pages are no more are not used (provenance).

A page is known by its file and the hash of its text, whatever its number. Whatever changes what
serves a release reviews its answers in the same transaction, so that nobody ever sees an answer
as usable whose pages do not serve.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from sqlalchemy import ColumnElement, and_, case, func, insert, select, update
from sqlalchemy.orm import Session

from corpora.database.memory_tables import MemoryEventRow, MemoryPageRow, MemoryPairRow
from corpora.database.tables import DocumentRow, MemberRow, PageRow, ReleaseRow

_AT_ONCE = 500
_RETIRED = "the release is retired"

T = TypeVar("T")


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
class _Place:
    """A page of what serves."""

    page_id: int
    number: int


@dataclass(frozen=True)
class _ServingPages:
    """What there is, in what serves, of pages that were looked for."""

    files: Collection[str]
    places: Mapping[tuple[str, bytes], Sequence[_Place]]

    def place(self, cited: Cited, number: int | None) -> _Place | None:
        """The page that holds the text now; of several the one nearest to the number it had."""
        places = self.places.get((cited.file, cited.page_hash), ())
        return min(places, key=lambda p: (abs(p.number - (number or 0)), p.number), default=None)

    def why_not(self, cited: Cited, number: int | None) -> str:
        """Why a page that is not among them is not."""
        if cited.file not in self.files:
            return f"the document {cited.file} is gone"
        page = "a page" if number is None else f"the page {number}"
        return f"{page} of {cited.file} has changed"


@dataclass(frozen=True, slots=True)
class MemoryReview:
    """How many remembered answers of a release stay in use, are suspended, or are used again."""

    kept: int = 0
    suspended: int = 0
    restored: int = 0

    @property
    def told(self) -> str:
        """What changed, in sentences for people; empty where nothing did."""
        changed = ((self.suspended, "suspended"), (self.restored, "in use again"))
        return " ".join(
            f"{number:,} saved {'answer is' if number == 1 else 'answers are'} {what}."
            for number, what in changed
            if number
        )


@dataclass(frozen=True, slots=True)
class Remembered:
    """How many answers of a release are remembered, and how many of them are suspended."""

    answers: int = 0
    suspended: int = 0

    @property
    def told(self) -> str:
        """Both in words: "12 saved answers, 3 of them suspended"."""
        if self.answers == 1:
            return "1 saved answer" + (", suspended" if self.suspended else "")
        suspended = f", {self.suspended:,} of them suspended" if self.suspended else ""
        return f"{self.answers:,} saved answers{suspended}"


@dataclass(frozen=True, slots=True)
class _Citation:
    """A page that a pair cites; `number` is None where the page read then is not kept any more."""

    pair_id: int
    ordinal: int
    file: str
    page_hash: bytes
    page_id: int
    number: int | None = None
    serves: bool = False


@dataclass(frozen=True)
class _Verdicts:
    """Why each pair was not used and why it is not now, by id; and pages with other ids now."""

    before: Mapping[int, str]
    now: Mapping[int, str]
    moved: Sequence[tuple[_Citation, _Place]]

    @property
    def suspended(self) -> list[int]:
        return [pair for pair, why in self.now.items() if why and not self.before[pair]]

    @property
    def restored(self) -> list[int]:
        return [pair for pair, why in self.before.items() if why and not self.now.get(pair)]

    @property
    def counted(self) -> MemoryReview:
        unusable = sum(1 for pair, why in self.before.items() if why or self.now.get(pair))
        kept = len(self.before) - unusable
        return MemoryReview(kept, len(self.suspended), len(self.restored))


def still_stands(session: Session, release_id: int, pages: Sequence[Cited]) -> str:
    """Say why an answer that cites these pages may not be used now; empty: it may.

    For an answer that is about to be remembered, since what serves its release may have changed
    after it was given. It locks the release as `review_release` does: one of both sees the other.
    """
    serving, retired = _lock(session, release_id)
    if retired:
        return _RETIRED
    there = _look_for(session, serving, pages)
    missing = [page for page in pages if there.place(page, None) is None]
    if not missing:
        return ""
    of_page = select(PageRow.number).where(PageRow.id == missing[0].page_id)
    return there.why_not(missing[0], session.scalar(of_page))


def review_release(session: Session, release_id: int) -> MemoryReview:
    """Suspend the remembered answers of a release whose pages do not serve, restore the others.

    It belongs into the transaction that changes what serves. Of what serves only files are read
    that are cited and were written anew.
    """
    serving, retired = _lock(session, release_id)
    verdicts = _judge(session, release_id, serving, retired)
    _write_places(session, verdicts.moved)
    _write_reasons(session, release_id, verdicts)
    return verdicts.counted


def foresee(session: Session, release_id: int, generation_id: int) -> MemoryReview:
    """Count what a review would come to if another generation served; nothing is changed."""
    return _judge(session, release_id, generation_id, retired=False).counted


def remembered(session: Session, release_ids: Sequence[int]) -> dict[int, Remembered]:
    """Count what is remembered of releases, by their ids; none has no entry."""
    suspended = func.count(case((MemoryPairRow.suspended != "", 1)))
    rows = session.execute(
        select(MemoryPairRow.release_id, func.count(), suspended)
        .where(MemoryPairRow.release_id.in_(release_ids))
        .group_by(MemoryPairRow.release_id)
    )
    return {release: Remembered(answers, out) for release, answers, out in rows}


def _lock(session: Session, release_id: int) -> tuple[int | None, bool]:
    """What serves a release and whether it is retired, which stays so in this transaction."""
    row = session.execute(
        select(ReleaseRow.published_generation_id, ReleaseRow.retired)
        .where(ReleaseRow.id == release_id)
        .with_for_update()
    ).one()
    return row.published_generation_id, row.retired


def _judge(session: Session, release_id: int, serving: int | None, retired: bool) -> _Verdicts:
    of_release = MemoryPairRow.release_id == release_id
    pairs = select(MemoryPairRow.id, MemoryPairRow.suspended).where(of_release)
    before = {row.id: row.suspended for row in session.execute(pairs)}
    if retired:
        return _Verdicts(before, dict.fromkeys(before, _RETIRED), ())
    absent = [c for c in _citations(session, serving, of_release) if not c.serves]
    there = _look_for(session, serving, absent)
    now: dict[int, str] = {}
    moved = []
    for cited in absent:
        place = there.place(cited, cited.number)
        if place is not None:
            moved.append((cited, place))
        elif cited.pair_id not in now:
            why, known = there.why_not(cited, cited.number), before[cited.pair_id]
            # The number is forgotten with the page; what was said while it was known stays.
            is_told = cited.number is None and known.endswith(f" of {cited.file} has changed")
            now[cited.pair_id] = known if is_told else why
    return _Verdicts(before, now, moved)


def _citations(
    session: Session, serving: int | None, of_release: ColumnElement[bool]
) -> list[_Citation]:
    """The pages that the pairs of a release cite, each pair's in order."""
    rows = session.execute(
        select(
            MemoryPageRow.pair_id,
            MemoryPageRow.ordinal,
            MemoryPageRow.file,
            MemoryPageRow.page_hash,
            MemoryPageRow.page_id,
            PageRow.number,
            MemberRow.document_id.is_not(None),
        )
        .join(MemoryPairRow, MemoryPairRow.id == MemoryPageRow.pair_id)
        .outerjoin(PageRow, PageRow.id == MemoryPageRow.page_id)
        .outerjoin(
            MemberRow,
            and_(MemberRow.document_id == PageRow.document_id, MemberRow.generation_id == serving),
        )
        .where(of_release)
        .order_by(MemoryPageRow.pair_id, MemoryPageRow.ordinal)
    )
    return [_Citation(*row) for row in rows]


def _write_places(session: Session, moved: Sequence[tuple[_Citation, _Place]]) -> None:
    """Let citations, also those in the answers, point to the pages that hold their text now."""
    of_pairs: defaultdict[int, dict[int, _Place]] = defaultdict(dict)
    for cited, place in moved:
        of_pairs[cited.pair_id][cited.page_id] = place
    for some in _portions(moved):
        session.execute(
            update(MemoryPageRow),
            [
                {"pair_id": c.pair_id, "ordinal": c.ordinal, "page_id": place.page_id}
                for c, place in some
            ],
        )
    for pairs in _portions(list(of_pairs)):
        answers = session.execute(
            select(MemoryPairRow.id, MemoryPairRow.answer).where(MemoryPairRow.id.in_(pairs))
        ).all()
        session.execute(
            update(MemoryPairRow),
            [{"id": pair, "answer": _moved(answer, of_pairs[pair])} for pair, answer in answers],
        )


def _moved(answer: Mapping[str, Any], places: Mapping[int, _Place]) -> dict[str, Any]:
    citations = [
        {**c, "page_id": place.page_id, "page": place.number}
        if (place := places.get(c.get("page_id")))
        else c
        for c in answer.get("citations", ())
    ]
    return {**answer, "citations": citations}


def _write_reasons(session: Session, release_id: int, verdicts: _Verdicts) -> None:
    """Write what changed into the pairs, and into their story what became usable or stopped it."""
    now, before = verdicts.now, verdicts.before
    changed = sorted([*verdicts.suspended, *verdicts.restored])
    at = datetime.now(UTC)
    for some in _portions(changed):
        told = [
            {
                "release_id": release_id,
                "at": at,
                "kind": "suspended" if now.get(pair) else "restored",
                "pair_id": pair,
                "reason": now.get(pair) or _restored(before[pair]),
            }
            for pair in some
        ]
        insertion = insert(MemoryEventRow).returning(
            MemoryEventRow.id, sort_by_parameter_order=True
        )
        # An index of pairs learns of a change by the id of its event.
        events = session.scalars(insertion, told).all()
        session.execute(
            update(MemoryPairRow),
            [
                {"id": pair, "suspended": now.get(pair, ""), "seq": event}
                for pair, event in zip(some, events, strict=True)
            ],
        )
    other = [pair for pair, why in now.items() if before[pair] and why != before[pair]]
    for some in _portions(other):
        session.execute(update(MemoryPairRow), [{"id": p, "suspended": now[p]} for p in some])


def _restored(why: str) -> str:
    return "the release is offered again" if why == _RETIRED else "the pages it cites serve again"


def _portions(items: Sequence[T]) -> Iterator[Sequence[T]]:
    for first in range(0, len(items), _AT_ONCE):
        yield items[first : first + _AT_ONCE]


def page_hash(text: str) -> bytes:
    """Return what a cited page is known by: the SHA-256 of its text as it is stored."""
    return sha256(text.encode()).digest()


def _look_for(session: Session, serving: int | None, pages: Sequence[Cited]) -> _ServingPages:
    """Look for pages by the hash of their text in the files of that name that serve."""
    wanted = {(page.file, page.page_hash) for page in pages}
    files: set[str] = set()
    places: defaultdict[tuple[str, bytes], list[_Place]] = defaultdict(list)
    for some in _portions(sorted({page.file for page in pages})):
        rows = session.execute(
            select(DocumentRow.file, PageRow.id, PageRow.number, PageRow.text)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == serving, DocumentRow.file.in_(some)),
            execution_options={"yield_per": _AT_ONCE},
        )
        for file, page_id, number, text in rows:
            files.add(file)
            key = file, page_hash(text)
            if key in wanted:
                places[key].append(_Place(page_id, number))
    return _ServingPages(files, places)
