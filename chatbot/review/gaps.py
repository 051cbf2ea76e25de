"""Content gaps: questions that the documentation could not answer, in groups of similar ones."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import Row, func, select

from chatbot.accounts.people import Person
from chatbot.review.as_asked import AsAsked, as_asked
from chatbot.review.turns import TurnFilter, conditions
from chatbot.text.words import filtered
from chatbot.turn import Route
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.indexing.embedding import Embedder, Vectors
from corpora.indexing.recent_vectors import RecentVectors

ALIKE = 0.75
"""The cosine from which two questions ask for the same: below it "… set the port speed" and "… set
the port name" become one, above it fewer wordings meet."""
MOST = 5_000
"""The most turns that are grouped, the newest; more would take too long."""


@dataclass(frozen=True)
class Unanswered:
    """A question without an answer in `release`, None where it was asked of none.

    `meaning`, which is compared, can be understood without its conversation and leaves out the
    release. `found_in` are releases that could have answered.
    """

    turn: int
    asked: AsAsked
    meaning: str
    person: str
    created: datetime
    product: str | None
    release: str | None
    found_in: tuple[str, ...]


@dataclass(frozen=True)
class Gap:
    """Similar questions that a release could not answer, and how often they were asked.

    `asked`, the first of `questions`, is the most similar to the others. `found_in` are the
    releases that could have answered, those for the most questions first.
    """

    product: str | None
    release: str | None
    asked: AsAsked
    times: int
    people: int
    last_asked: datetime
    found_in: tuple[str, ...]
    questions: tuple[Unanswered, ...]


@dataclass(frozen=True)
class GapReport:
    """The gaps, the most asked first; `left_out` older questions were not looked at."""

    gaps: tuple[Gap, ...]
    left_out: int = 0


class ContentGaps:
    """Finds content gaps for admins, others raise NotAllowed; keeps the vectors of questions."""

    def __init__(self, database: Database, embedder: Embedder) -> None:
        self._database = database
        self._embedder = RecentVectors(embedder, most=4 * MOST)

    def over(self, database: Database) -> "ContentGaps":
        """The gaps in another view of the database, with the same vectors."""
        other = copy(self)
        other._database = database
        return other

    def report(self, person: Person, wanted: TurnFilter) -> GapReport:
        """Group the unanswered questions that a filter wants, by product and release."""
        person.require_admin(self._database)
        questions, left_out = self._unanswered(wanted)
        vectors = self._embedder.embed([question.meaning for question in questions])
        places: dict[tuple[str | None, str | None], list[int]] = defaultdict(list)
        for number, question in enumerate(questions):
            places[question.product, question.release].append(number)
        gaps = [
            _gap([questions[numbers[i]] for i in group])
            for numbers in places.values()
            for group in groups(vectors[numbers])
        ]
        gaps.sort(key=lambda gap: (gap.times, gap.last_asked), reverse=True)
        return GapReport(tuple(gaps), left_out)

    def _unanswered(self, wanted: TurnFilter) -> tuple[list[Unanswered], int]:
        """The unanswered questions, the newest first, and how many older turns are left out."""
        # Of a comparison the releases stand in its payload alone.
        every = replace(wanted, abstained=True, clarified=False, superseded=False, release=None)
        newest_first = (TurnRow.created.desc(), TurnRow.id.desc())
        payload = ("queries", "found_in", "compared_releases")
        query = select(
            *(TurnRow.id, TurnRow.question, TurnRow.owner, TurnRow.created),
            *(TurnRow.product, TurnRow.release),
            *(TurnRow.answer[key].label(key) for key in payload),
        ).order_by(*newest_first)
        with self._database.reading() as session:
            kept = (*conditions(session, every), TurnRow.route != Route.CHAT)
            there = session.scalar(select(func.count(TurnRow.id)).where(*kept)) or 0
            newest = select(TurnRow.id).where(*kept).order_by(*newest_first).limit(MOST)
            rows = session.execute(query.where(TurnRow.id.in_(newest))).all()
            alone = {row.id: (row.queries or {}).get("base") or row.question for row in rows}
            asked = as_asked(session, alone)
        questions = (question for row in rows for question in _of(row, asked[row.id]))
        unanswered = [q for q in questions if wanted.release in (None, q.release)]
        return unanswered, there - len(rows)


def groups(vectors: Vectors) -> Iterator[list[int]]:
    """Yield groups of similar rows (vectors of length one) by their numbers, the centre first.

    The row with the most others at a cosine of ALIKE or more is the next centre, and these are its
    group, so that no chain of small steps joins questions that have nothing in common.
    """
    near = vectors @ vectors.T >= ALIKE
    np.fill_diagonal(near, True)
    like_it = near.sum(axis=1)
    left = np.ones(len(vectors), dtype=bool)
    while left.any():
        centre = int(np.argmax(np.where(left, like_it, 0)))
        members = np.flatnonzero(near[centre] & left)
        left[members] = False
        like_it -= near[:, members].sum(axis=1)
        yield [centre, *(int(member) for member in members if member != centre)]


def gap_rows(gaps: Iterable[Gap]) -> Iterator[dict[str, Any]]:
    """The columns of an export of gaps."""
    for gap in gaps:
        row: dict[str, Any] = {}
        for name, value in vars(gap).items():
            if name == "asked":
                row |= {"question": value.words, "after": value.after}
            elif name != "questions":
                row[name] = value
        turns = [question.turn for question in gap.questions]
        wordings = list(dict.fromkeys(question.asked.words for question in gap.questions))
        yield row | {"turns": turns, "wordings": wordings}


def _gap(questions: Sequence[Unanswered]) -> Gap:
    named = Counter(name for question in questions for name in question.found_in)
    return Gap(
        product=questions[0].product,
        release=questions[0].release,
        asked=questions[0].asked,
        times=len(questions),
        people=len({question.person for question in questions}),
        last_asked=max(question.created for question in questions),
        found_in=tuple(name for name, _ in named.most_common()),
        questions=tuple(questions),
    )


def _of(row: Row[Any], asked: AsAsked) -> Iterator[Unanswered]:
    """The unanswered questions of a turn: one for each release that it was asked of."""
    queries = row.queries or {}
    kept = queries.get("versionless") or queries.get("filtered")
    for release in row.compared_releases or [row.release]:
        yield Unanswered(
            turn=row.id,
            asked=asked,
            # The words that matter: alike questions are nearer in them than in whole sentences.
            meaning=kept or filtered(row.question) or row.question,
            person=row.owner,
            created=row.created,
            product=row.product,
            release=release,
            found_in=tuple(row.found_in or ()),
        )
