"""What admins think of answers, apart from the thumbs of those who asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.accounts.audit import recorded
from chatbot.accounts.people import Person
from chatbot.conversations.feedback import unheard
from chatbot.memory.pairs import Rating
from corpora.database.engine import Database
from corpora.database.history_tables import ReviewRow, TurnRow
from ingestion.errors import StrataError


class UnknownTurn(StrataError, LookupError):
    """There is no turn with this id; its conversation may have been deleted."""

    def __init__(self, turn: int) -> None:
        super().__init__(f"There is no answer {turn}; its conversation may have been deleted.")


class BadReview(StrataError, ValueError):
    """A review cannot be kept as it is; the message says why."""


class Status(StrEnum):
    """Whether an admin has still to do something about an answer."""

    OPEN = "open"
    DONE = "done"


@dataclass(frozen=True)
class Review:
    """What admins say of a turn; as it stands here where nobody has said anything.

    `corrected_release` is the release that should have answered, `reviewer` who spoke last.
    """

    rating: str = ""
    corrected_answer: str = ""
    corrected_release: str = ""
    note: str = ""
    status: str = Status.OPEN
    assignee: str = ""
    in_regression_set: bool = False
    reviewer: str = ""
    updated: datetime | None = None


NO_REVIEW = Review()
_TEXTS = ("corrected_answer", "note")
_LONGEST = {"corrected_answer": 20_000, "note": 20_000, "corrected_release": 200, "assignee": 200}


@dataclass(frozen=True)
class Ratings:
    """Reads and writes reviews; a review and its record in the audit log are kept together.

    `changed` is told of each turn that has another rating now, `corrected` of each whose right
    answer, or the release of it, is another one.
    """

    database: Database
    changed: Callable[[int], None] = unheard
    corrected: Callable[[Person, int, Review], None] = lambda person, turn, review: None

    def change(self, person: Person, turn: int, **changes: str | bool) -> Review:
        """Change fields of the review of a turn and return it.

        Nothing is written, and nothing recorded, where nothing changes. Raises UnknownTurn, and
        BadReview for what is no rating, no status, or too long.
        """
        person.require_admin()
        wanted = _checked(changes)
        with self.database.writing() as session:
            if session.get(TurnRow, turn) is None:
                raise UnknownTurn(turn)
            row = session.get(ReviewRow, turn)
            before = review_of(row)
            changed = {k: v for k, v in wanted.items() if getattr(before, k) != v}
            if not changed:
                return before
            after = replace(
                before, **changed, reviewer=person.id or person.name, updated=datetime.now(UTC)
            )
            session.merge(ReviewRow(turn_id=turn, **asdict(after)))
            # Of texts the log keeps only the length, because it is kept for good.
            told = {k: len(v) if k in _TEXTS else v for k, v in changed.items()}
            recorded(session, person, "rate", f"turn {turn}", **told)
        if "rating" in changed:
            self.changed(turn)
        if not changed.keys().isdisjoint(("corrected_answer", "corrected_release")):
            self.corrected(person, turn, after)
        return after


def review_of(row: ReviewRow | None) -> Review:
    """The review in a row; `NO_REVIEW` without one."""
    if row is None:
        return NO_REVIEW
    return Review(**{field: getattr(row, field) for field in asdict(NO_REVIEW)})


def reviews_of(session: Session, turns: list[int]) -> dict[int, Review]:
    """The reviews that there are of some turns."""
    rows = session.scalars(select(ReviewRow).where(ReviewRow.turn_id.in_(turns)))
    return {row.turn_id: review_of(row) for row in rows}


def _checked(changes: Mapping[str, str | bool]) -> dict[str, Any]:
    return {field: _value(field, value) for field, value in changes.items()}


def _value(field: str, value: str | bool) -> str | bool:
    if field == "in_regression_set":
        return bool(value)
    if field in _LONGEST:
        text, longest = str(value).strip(), _LONGEST[field]
        if len(text) > longest:
            name = field.replace("_", " ")
            raise BadReview(
                f"The {name} has {len(text):,} characters, the limit is {longest:,}: shorten it."
            )
        return text
    if field not in ("rating", "status"):
        raise TypeError(f"a review has no {field!r} to change")
    kind = Rating if field == "rating" else Status
    if value not in list(kind) and not (field == "rating" and value == ""):
        raise BadReview(f"{value!r} is none of {', '.join(kind)}.")
    return str(value)
