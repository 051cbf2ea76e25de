"""How the memory grew and was used, day by day."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import Date, func, select
from sqlalchemy.orm import Session

from chatbot.administration.overview import (
    EVERYTHING,
    Overview,
    PairFilter,
    Scope,
    count_pairs,
    how_many,
    release_ids,
)
from chatbot.memory.pairs import Happened
from chatbot.turn import Route
from corpora.catalog.catalog import require_product, require_release
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryEventRow

_COMES = (Happened.ADDED, Happened.IMPORTED, Happened.EDITED)
_GOES = (
    *(Happened.REPLACED, Happened.OUTDONE, Happened.RETIRED),
    *(Happened.EVICTED, Happened.FORGOTTEN),
)


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


def growth(overview: Overview, scope: Scope = EVERYTHING) -> tuple[Day, ...]:
    """The days from the first to the last on which anything happened or was asked.

    Raises UnknownRelease.
    """
    with overview.database.reading() as session:
        happened, gained = _happened(session, release_ids(session, scope))
        asked = _asked(session, scope)
        pairs = count_pairs(session, PairFilter(scope))
    # Back from what there is: the oldest events are not kept for ever.
    found: list[Day] = []
    every = {*happened, *asked}
    day = max(every, default=date.min)
    while every and day >= min(every):
        found.append(Day(day, pairs, dict(happened[day]), *asked.get(day, (0, 0, 0))))
        pairs -= gained[day]
        day -= timedelta(days=1)
    return tuple(reversed(found))


def _happened(
    session: Session, ids: Sequence[int]
) -> tuple[dict[date, Counter[Happened]], Counter[date]]:
    """What happened on each day, and by how many pairs the memory grew."""
    day = func.date(MemoryEventRow.at, type_=Date)
    counted = (
        # A pair that is outdone on its way into a store has no id: it never was a member.
        select(day, MemoryEventRow.kind, func.count(), how_many(MemoryEventRow.pair_id != 0))
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
    helped = (how_many(TurnRow.route == route) for route in (Route.REUSE, Route.REFERENCE))
    counted = select(day, func.count(), *helped).group_by(day)
    if scope.product:
        product = require_product(session, scope.product).name
        counted = counted.where(TurnRow.product == product)
    if scope.release:
        release = require_release(session, scope.product, scope.release).name
        counted = counted.where(TurnRow.release == release)
    return {on: tuple(numbers) for on, *numbers in session.execute(counted)}
