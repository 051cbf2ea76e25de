"""The memory in figures: of each release, and over time, with what was asked and reused."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import ColumnElement, Date, case, func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Happened, Origin, Store
from chatbot.turn import Route
from corpora.catalog.catalog import require_product, require_release
from corpora.catalog.release import sort_key
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryEventRow, MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow

_COMES = (Happened.ADDED, Happened.IMPORTED, Happened.EDITED)
_GOES = (
    *(Happened.REPLACED, Happened.OUTDONE, Happened.RETIRED),
    *(Happened.EVICTED, Happened.FORGOTTEN),
)
_WAS_MEMBER = MemoryEventRow.pair_id != 0


@dataclass(frozen=True)
class ReleaseFigures:
    """What the memory has of one release.

    `origins` counts pairs by where their score comes from, `reused` is how often one was reused.
    """

    product: str
    release: str
    high: int
    low: int
    high_clusters: int
    low_clusters: int
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


def figures(session: Session, ids: Sequence[int]) -> tuple[ReleaseFigures, ...]:
    """The figures of each of these releases that the memory has pairs of, in their order."""
    pairs = MemoryPairRow
    high, low = pairs.store == Store.HIGH, pairs.store == Store.LOW
    counted = (
        select(
            *(ProductRow.name, ReleaseRow.name),
            *(_how_many(high), _how_many(low)),
            func.count(case((high, pairs.cluster)).distinct()),
            func.count(case((low, pairs.cluster)).distinct()),
            _how_many(pairs.suspended != ""),
            func.sum(pairs.reused),
            *(_how_many(pairs.origin == origin) for origin in Origin),
        )
        .select_from(pairs)
        .join(ReleaseRow, ReleaseRow.id == pairs.release_id)
        .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
        .where(pairs.release_id.in_(ids))
        .group_by(ProductRow.name, ReleaseRow.name)
    )
    found = []
    for row in session.execute(counted):
        origins = {origin: n for origin, n in zip(Origin, row[8:], strict=True) if n}
        found.append(ReleaseFigures(*row[:8], origins))
    return tuple(sorted(found, key=lambda f: (f.product, sort_key(f.release))))


def days(session: Session, ids: Sequence[int], product: str, release: str) -> tuple[Day, ...]:
    """The days from the first to the last on which anything happened or was asked.

    The releases are those with these `ids`; `product` and `release` name them, empty for any.
    """
    happened, gained = _happened(session, ids)
    asked = _asked(session, product, release)
    of_scope = MemoryPairRow.release_id.in_(ids)
    pairs = session.scalar(select(func.count()).where(of_scope)) or 0
    # Back from what there is: the oldest events are not kept for ever.
    found: list[Day] = []
    every = {*happened, *asked}
    day = max(every, default=date.min)
    while every and day >= min(every):
        found.append(Day(day, pairs, dict(happened[day]), *asked.get(day, (0, 0, 0))))
        pairs -= gained[day]
        day -= timedelta(days=1)
    return tuple(reversed(found))


def _how_many(what: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count(case((what, 1)))


def _happened(
    session: Session, ids: Sequence[int]
) -> tuple[dict[date, Counter[Happened]], Counter[date]]:
    """What happened on each day, and by how many pairs the memory grew."""
    day = func.date(MemoryEventRow.at, type_=Date)
    counted = (
        # A pair that is outdone on its way into a store has no id: it never was a member.
        select(day, MemoryEventRow.kind, func.count(), _how_many(_WAS_MEMBER))
        .where(MemoryEventRow.release_id.in_(ids))
        .group_by(day, MemoryEventRow.kind)
    )
    happened: dict[date, Counter[Happened]] = defaultdict(Counter)
    gained: Counter[date] = Counter()
    for on, kind, number, members in session.execute(counted):
        happened[on][Happened(kind)] = number
        gained[on] += members * ((kind in _COMES) - (kind in _GOES))
    return happened, gained


def _asked(session: Session, product: str, release: str) -> dict[date, tuple[int, int, int]]:
    """The questions of each day: all, those answered from the memory, those with its help."""
    day = func.date(TurnRow.created, type_=Date)
    counted = select(
        day,
        func.count(),
        _how_many(TurnRow.route == Route.REUSE),
        _how_many(TurnRow.route == Route.REFERENCE),
    ).group_by(day)
    if product:
        counted = counted.where(TurnRow.product == require_product(session, product).name)
    if release:
        named = require_release(session, product, release).name
        counted = counted.where(TurnRow.release == named)
    return {on: (asked, reused, helped) for on, asked, reused, helped in session.execute(counted)}
