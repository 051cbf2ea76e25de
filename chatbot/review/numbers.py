"""Numbers over time: how many questions, with what result, and how long they took."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from enum import StrEnum
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Date, String, func, literal_column, select

from chatbot.accounts.people import Person
from chatbot.review.turns import TurnFilter, conditions
from chatbot.turn import Route
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow

MOST_TIMED = 2_000
"""The most turns read for the times of steps; of more, every n-th is."""


class Span(StrEnum):
    """The length of a period; a week begins on a Monday, a day at midnight UTC."""

    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True)
class Figures:
    """The figures of the questions of a period, a release, or both.

    Thumbs and ratings count at the time of the question. An answer that asks for the release is a
    clarification and no abstention. `median` and `p95` are the seconds of a turn, None where
    nothing was asked.
    """

    questions: int = 0
    people: int = 0
    abstentions: int = 0
    clarifications: int = 0
    reused: int = 0
    model_calls: int = 0
    thumbs_up: int = 0
    thumbs_down: int = 0
    rated_good: int = 0
    rated_bad: int = 0
    rated_wrong_release: int = 0
    rated_incomplete: int = 0
    median: float | None = None
    p95: float | None = None

    @property
    def answered(self) -> int:
        """The questions that got an answer: no abstention and no clarification."""
        return self.questions - self.abstentions - self.clarifications


@dataclass(frozen=True)
class StepTime:
    """The seconds that a step took, in the turns that had it."""

    step: str
    turns: int
    median: float
    p95: float


@dataclass(frozen=True)
class StepTimes:
    """The times of the steps in all and per period, and the number of turns read."""

    steps: tuple[StepTime, ...] = ()
    over_time: tuple[tuple[date, StepTime], ...] = ()
    read: int = 0
    turns: int = 0


@dataclass(frozen=True)
class Numbers:
    """Counts over the turns that a filter wants; raises NotAllowed unless an admin asks."""

    database: Database

    def total(self, person: Person, wanted: TurnFilter) -> Figures:
        """The figures of all turns."""
        return self._figures(person, wanted)[()]

    def over_time(self, person: Person, wanted: TurnFilter, span: Span) -> dict[date, Figures]:
        """The figures of each period from the first to the last in which something was asked."""
        by_start = self._figures(person, wanted, span)
        periods = {start: figures for (start,), figures in by_start.items()}
        if not periods:
            return {}
        first, days = min(periods), (max(periods) - min(periods)).days
        step = 1 if span is Span.DAY else 7
        starts = (first + timedelta(day) for day in range(0, days + 1, step))
        return {start: periods.get(start, Figures()) for start in starts}

    def by_release(
        self, person: Person, wanted: TurnFilter
    ) -> list[tuple[str | None, str | None, Figures]]:
        """The figures of each product and release (None: several or none), the most asked first."""
        figures_by_release = self._figures(person, wanted, TurnRow.product, TurnRow.release)
        rows = [
            (product, release, figures)
            for (product, release), figures in figures_by_release.items()
        ]
        return sorted(rows, key=lambda row: (-row[2].questions, row[0] or "", row[1] or ""))

    def by_step(self, person: Person, wanted: TurnFilter, span: Span) -> StepTimes:
        """The seconds of each step, the slowest first, from at most MOST_TIMED turns."""
        person.require_admin(self.database)
        with self.database.reading() as session:
            turns = session.scalars(
                select(TurnRow.id).where(*conditions(session, wanted)).order_by(TurnRow.id)
            ).all()
            read = turns[:: -(-len(turns) // MOST_TIMED) or 1]
            timings = session.execute(
                select(self._start(span), TurnRow.answer["timings"]).where(TurnRow.id.in_(read))
            ).all()
        in_all: dict[str, list[float]] = defaultdict(list)
        per_period: dict[tuple[date, str], list[float]] = defaultdict(list)
        for start, of_turn in timings:
            for step, seconds in (of_turn or {}).items():
                in_all[step].append(seconds)
                per_period[start, step].append(seconds)
        steps = sorted((_time(*item) for item in in_all.items()), key=lambda s: -s.median)
        over_time = ((start, _time(step, t)) for (start, step), t in sorted(per_period.items()))
        return StepTimes(tuple(steps), tuple(over_time), len(read), len(turns))

    def rows(self, person: Person, wanted: TurnFilter, span: Span) -> Iterator[dict[str, Any]]:
        """The figures of each period, product and release, for an export."""
        figures = self._figures(person, wanted, span, TurnRow.product, TurnRow.release)
        for start, product, release in sorted(figures, key=lambda key: [str(k or "") for k in key]):
            place = {str(span): str(start), "product": product, "release": release}
            yield place | asdict(figures[start, product, release])

    def _figures(
        self, person: Person, wanted: TurnFilter, *groups: Any
    ) -> dict[tuple[Any, ...], Figures]:
        """The figures of the turns grouped by spans and columns; of all of them without any."""
        person.require_admin(self.database)
        by = [self._start(group) if isinstance(group, Span) else group for group in groups]
        rated = ("good", "bad", "wrong release", "incomplete")
        counted = (
            select(
                *by,
                func.count(),
                func.count(TurnRow.owner.distinct()),
                _how_many(TurnRow.abstained & TurnRow.route.not_in((Route.CLARIFY, Route.CHAT))),
                _how_many(TurnRow.route == Route.CLARIFY),
                _how_many(TurnRow.route.in_((Route.REUSE, Route.REFERENCE))),
                func.coalesce(func.sum(TurnRow.model_calls), 0),
                _how_many(FeedbackRow.thumbs == 1),
                _how_many(FeedbackRow.thumbs == -1),
                *(_how_many(ReviewRow.rating == rating) for rating in rated),
            )
            .select_from(TurnRow)
            .outerjoin(FeedbackRow)
            .outerjoin(ReviewRow)
            .group_by(*by)
        )
        width = len(by)
        seconds: dict[tuple[Any, ...], list[float]] = defaultdict(list)
        with self.database.reading() as session:
            kept = conditions(session, wanted)
            rows = session.execute(counted.where(*kept)).all()
            for *group, took in session.execute(select(*by, TurnRow.seconds).where(*kept)):
                seconds[tuple(group)].append(took)
        figures = {tuple(row[:width]): Figures(*row[width:]) for row in rows}
        for of_group, times in seconds.items():
            median, p95 = _quantiles(times)
            figures[of_group] = replace(figures[of_group], median=median, p95=p95)
        return figures

    def _start(self, span: Span) -> ColumnElement[date]:
        """The day on which the period of a turn began."""
        if span is Span.DAY:
            return func.date(TurnRow.created, type_=Date)
        # Literals, because PostgreSQL groups by no expression that has a parameter.
        if self.database.engine.dialect.name == "postgresql":
            return func.date(func.date_trunc(literal_column("'week'"), TurnRow.created), type_=Date)
        sunday = literal_column("'weekday 0'", String)
        monday = literal_column("'-6 days'", String)
        return func.date(TurnRow.created, sunday, monday, type_=Date)


def _how_many(what: ColumnElement[bool]) -> ColumnElement[int]:
    return func.count().filter(what)


def _time(step: str, seconds: Sequence[float]) -> StepTime:
    return StepTime(step, len(seconds), *_quantiles(seconds))


def _quantiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The median and the 95th percentile, each the time of some turn."""
    median, p95 = np.quantile(seconds, (0.5, 0.95), method="inverted_cdf")
    return float(median), float(p95)
