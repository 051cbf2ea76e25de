"""What admins see of the memory: its figures, pairs and events, and how it grew."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from sqlalchemy import ColumnElement, Date, func, select
from sqlalchemy.orm import Session, aliased

from chatbot.accounts.people import Person
from chatbot.memory.pairs import Happened, Origin, Store
from chatbot.memory.stores.stores import UnknownPair
from chatbot.turn import Route
from corpora.catalog.catalog import require_product, require_release
from corpora.catalog.release import sort_key
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryEventRow, MemoryPairRow, MemoryUseRow
from corpora.database.tables import ProductRow, ReleaseRow

_AT_ONCE = 200
_COMES = (Happened.ADDED, Happened.IMPORTED, Happened.EDITED)
_GOES = (
    *(Happened.REPLACED, Happened.OUTDONE, Happened.RETIRED),
    *(Happened.EVICTED, Happened.FORGOTTEN),
)


@dataclass(frozen=True)
class Scope:
    """The part of the memory to look at: a release with its product, a product, or, empty, all."""

    product: str = ""
    release: str = ""


EVERYTHING = Scope()


@dataclass(frozen=True)
class PairFilter:
    """Which pairs are wanted; what is empty or None does not matter.

    `words` are in the question; `read_other_than` is for pairs of another embedding than this one,
    which no question finds until a rebuild.
    """

    scope: Scope = EVERYTHING
    store: Store | None = None
    suspended: bool | None = None
    words: str = ""
    read_other_than: str = ""


class KeptPair(NamedTuple):
    """A pair of the memory with its product and release."""

    product: str
    release: str
    row: MemoryPairRow


class Use(NamedTuple):
    """A turn that used a pair, and its `chatbot.memory.pairs.Role`."""

    turn: TurnRow
    role: str


class Change(NamedTuple):
    """What happened to a pair; the questions are None where a pair is gone."""

    event: MemoryEventRow
    product: str
    release: str
    question: str | None
    other_question: str | None


@dataclass(frozen=True)
class ReleaseFigures:
    """What the memory has of one release; `origins` counts pairs by what gave them their score."""

    product: str
    release: str
    high: int
    low: int
    suspended: int
    reused: int
    origins: Mapping[Origin, int]

    @property
    def pairs(self) -> int:
        """The pairs of both stores."""
        return self.high + self.low


@dataclass(frozen=True)
class Day:
    """What happened on a day (UTC): pairs by kind, `pairs` at its end, and the questions asked.

    Of the questions `reused` were answered from the memory, `referenced` with its help.
    """

    day: date
    pairs: int
    happened: Mapping[Happened, int]
    asked: int
    reused: int
    referenced: int


@dataclass(frozen=True)
class Overview:
    """Reads the memory for one admin; others raise NotAllowed, unknown names UnknownRelease."""

    database: Database
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin()

    def releases(self, scope: Scope = EVERYTHING) -> tuple[ReleaseFigures, ...]:
        """The figures of each release that the memory has pairs of, in their order."""
        pairs = MemoryPairRow
        counted = _NAMED.add_columns(
            *(_how_many(pairs.store == store) for store in Store),
            _how_many(pairs.suspended != ""),
            func.sum(pairs.reused),
            *(_how_many(pairs.origin == origin) for origin in Origin),
        ).group_by(ProductRow.name, ReleaseRow.name)
        found = []
        with self.database.reading() as session:
            of_scope = _conditions(session, PairFilter(scope))
            for product, release, *numbers in session.execute(counted.where(*of_scope)):
                origins = {o: n for o, n in zip(Origin, numbers[4:], strict=True) if n}
                found.append(ReleaseFigures(*(product, release, *numbers[:4], origins)))
        return tuple(sorted(found, key=lambda f: (f.product, sort_key(f.release))))

    def growth(self, scope: Scope = EVERYTHING) -> tuple[Day, ...]:
        """The days from the first to the last on which anything happened or was asked."""
        with self.database.reading() as session:
            happened, gained = _happened(session, _release_ids(session, scope))
            asked = _asked(session, scope)
            pairs = _count(session, PairFilter(scope))
        # Back from what there is: the oldest events are not kept for ever.
        found: list[Day] = []
        every = {*happened, *asked}
        day = max(every, default=date.min)
        while every and day >= min(every):
            found.append(Day(day, pairs, dict(happened[day]), *asked.get(day, (0, 0, 0))))
            pairs -= gained[day]
            day -= timedelta(days=1)
        return tuple(reversed(found))

    def pairs(
        self, wanted: PairFilter, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[KeptPair, ...]:
        """The pairs that a filter leaves, the newest first."""
        with self.database.reading() as session:
            found = _PAIRS.where(*_conditions(session, wanted))
            order = found.order_by(MemoryPairRow.id.desc()).offset(offset).limit(limit)
            return tuple(KeptPair(*row) for row in session.execute(order))

    def count(self, wanted: PairFilter) -> int:
        """How many pairs a filter leaves."""
        with self.database.reading() as session:
            return _count(session, wanted)

    def every(self, wanted: PairFilter) -> Iterator[KeptPair]:
        """All pairs that a filter leaves, the oldest first, read a few at a time."""
        with self.database.reading() as session:
            found = _PAIRS.where(*_conditions(session, wanted)).order_by(MemoryPairRow.id)
            rows = session.execute(found.execution_options(yield_per=_AT_ONCE))
            yield from (KeptPair(*row) for row in rows)

    def pair(self, pair_id: int) -> KeptPair:
        """One pair; raises UnknownPair if it is gone."""
        with self.database.reading() as session:
            row = session.execute(_PAIRS.where(MemoryPairRow.id == pair_id)).first()
        if row is None:
            raise UnknownPair(
                f"The memory has no answer {pair_id} any more: it was replaced, retired or "
                "forgotten."
            )
        return KeptPair(*row)

    def uses(self, pair_id: int, *, limit: int = 20) -> tuple[tuple[Use, ...], int]:
        """The newest turns that used a pair, and how many there are in all."""
        of_pair = MemoryUseRow.pair_id == pair_id
        found = select(TurnRow, MemoryUseRow.role).join_from(MemoryUseRow, TurnRow).where(of_pair)
        with self.database.reading() as session:
            newest = session.execute(found.order_by(TurnRow.id.desc()).limit(limit))
            uses = tuple(Use(*row) for row in newest)
            return uses, session.scalar(select(func.count()).where(of_pair)) or 0

    def changes(
        self,
        scope: Scope = EVERYTHING,
        kinds: Sequence[Happened] = tuple(Happened),
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[Change, ...]:
        """What happened to pairs and why, the newest first; `before` is the id to go on from."""
        event, pair, other = MemoryEventRow, aliased(MemoryPairRow), aliased(MemoryPairRow)
        query = (
            select(event, ProductRow.name, ReleaseRow.name, pair.question, other.question)
            .select_from(event)
            .join(ReleaseRow)
            .join(ProductRow)
            .outerjoin(pair, pair.id == event.pair_id)
            .outerjoin(other, other.id == event.other_id)
            .where(event.kind.in_(kinds))
            .order_by(event.id.desc())
            .limit(limit)
        )
        if before:
            query = query.where(event.id < before)
        with self.database.reading() as session:
            within = event.release_id.in_(_release_ids(session, scope))
            return tuple(Change(*row) for row in session.execute(query.where(within)))


_NAMED = (
    select(ProductRow.name, ReleaseRow.name)
    .select_from(MemoryPairRow)
    .join(ReleaseRow)
    .join(ProductRow)
)
_PAIRS = _NAMED.add_columns(MemoryPairRow)
"""What a `KeptPair` is made of."""


def _happened(
    session: Session, ids: Sequence[int]
) -> tuple[dict[date, Counter[Happened]], Counter[date]]:
    """What happened on each day, and by how many pairs the memory grew."""
    day = func.date(MemoryEventRow.at, type_=Date)
    counted = (
        # A pair that is outdone on its way into a store has no id: it never was a member.
        select(day, MemoryEventRow.kind, func.count(), _how_many(MemoryEventRow.pair_id != 0))
        .where(MemoryEventRow.release_id.in_(ids))
        .group_by(day, MemoryEventRow.kind)
    )
    happened: dict[date, Counter[Happened]] = defaultdict(Counter)
    gained: Counter[date] = Counter()
    for on, kind, number, members in session.execute(counted):
        happened[on][Happened(kind)] = number
        gained[on] += members * ((kind in _COMES) - (kind in _GOES))
    return happened, gained


def _asked(session: Session, scope: Scope) -> dict[date, tuple[int, int, int]]:
    """The questions of each day: all, those answered from the memory, those with its help."""
    day = func.date(TurnRow.created, type_=Date)
    helped = (_how_many(TurnRow.route == route) for route in (Route.REUSE, Route.REFERENCE))
    counted = select(day, func.count(), *helped).group_by(day)
    if scope.product:
        product = require_product(session, scope.product).name
        counted = counted.where(TurnRow.product == product)
    if scope.release:
        release = require_release(session, scope.product, scope.release).name
        counted = counted.where(TurnRow.release == release)
    return {on: tuple(numbers) for on, *numbers in session.execute(counted)}


def _how_many(what: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count().filter(what)


def _count(session: Session, wanted: PairFilter) -> int:
    counted = select(func.count()).select_from(MemoryPairRow)
    return session.scalar(counted.where(*_conditions(session, wanted))) or 0


def _release_ids(session: Session, scope: Scope) -> list[int]:
    if scope.release:
        return [require_release(session, scope.product, scope.release).id]
    ids = select(ReleaseRow.id).order_by(ReleaseRow.id)
    if scope.product:
        ids = ids.where(ReleaseRow.product_id == require_product(session, scope.product).id)
    return list(session.scalars(ids))


def _conditions(session: Session, wanted: PairFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.scope != EVERYTHING:
        found.append(MemoryPairRow.release_id.in_(_release_ids(session, wanted.scope)))
    if wanted.store is not None:
        found.append(MemoryPairRow.store == wanted.store)
    if wanted.suspended is not None:
        found.append((MemoryPairRow.suspended != "") == wanted.suspended)
    if wanted.read_other_than:
        found.append(MemoryPairRow.embedding != wanted.read_other_than)
    if wanted.words.strip():
        found.append(MemoryPairRow.question.icontains(wanted.words.strip(), autoescape=True))
    return found
