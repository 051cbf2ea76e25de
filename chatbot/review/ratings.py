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

LONGEST_TEXT = 20_000
LONGEST_NAME = 200


class UnknownTurn(StrataError, LookupError):
    """There is no turn with this id; its conversation may have been deleted."""


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
_NAMES = ("corrected_release", "assignee")


@dataclass(frozen=True)
class Ratings:
    """Reads and writes reviews; a review and its record in the audit log are kept together.

    `changed` is told of each turn that has another rating now, `corrected` of each whose right
    answer, or the release of it, is another one.
    """

    database: Database
    changed: Callable[[int], None] = unheard
    corrected: Callable[[Person, int, Review], None] = lambda person, turn, review: None

    def of(self, person: Person, turn: int) -> Review:
        """What admins say of a turn so far."""
        person.require_admin()
        with self.database.reading() as session:
            return review_of(session.get(ReviewRow, turn))

    def change(self, person: Person, turn: int, **changes: str | bool) -> Review:
        """Change fields of the review of a turn and return it.

        Nothing is written, and nothing recorded, where nothing changes. Raises UnknownTurn, and
        BadReview for what is no rating, no status, or too long.
        """
        person.require_admin()
        wanted = _checked(changes)
        with self.database.writing() as session:
            if session.get(TurnRow, turn) is None:
                raise UnknownTurn(f"There is no answer {turn}; it may have been deleted.")
            row = session.get(ReviewRow, turn)
            before = review_of(row)
            changed = {k: v for k, v in wanted.items() if getattr(before, k) != v}
            if not changed:
                return before
            after = replace(
                before, **changed, reviewer=person.id or person.name, updated=datetime.now(UTC)
            )
            session.merge(ReviewRow(turn_id=turn, **asdict(after)))
            recorded(session, person, "rate", f"turn {turn}", **_told(changed))
        if "rating" in changed:
            self.changed(turn)
        if not changed.keys().isdisjoint(("corrected_answer", "corrected_release")):
            self.corrected(person, turn, after)
        return after

    def assignees(self, person: Person) -> tuple[str, ...]:
        """The people to whom answers are assigned."""
        person.require_admin()
        named = select(ReviewRow.assignee).where(ReviewRow.assignee != "").distinct()
        with self.database.reading() as session:
            return tuple(session.scalars(named.order_by(ReviewRow.assignee)))


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
    checked: dict[str, Any] = {}
    for field, value in changes.items():
        if field == "in_regression_set":
            checked[field] = bool(value)
        elif field == "rating":
            checked[field] = value and _one_of(Rating, value)
        elif field == "status":
            checked[field] = _one_of(Status, value)
        elif field in _TEXTS or field in _NAMES:
            checked[field] = _short_enough(field, str(value).strip())
        else:
            raise TypeError(f"a review has no {field!r} to change")
    return checked


def _one_of(kind: type[StrEnum], value: str | bool) -> str:
    if value not in list(kind):
        raise BadReview(f"{value!r} is none of {', '.join(kind)}.")
    return str(value)


def _short_enough(field: str, text: str) -> str:
    longest = LONGEST_TEXT if field in _TEXTS else LONGEST_NAME
    if len(text) > longest:
        name = field.replace("_", " ")
        raise BadReview(
            f"The {name} has {len(text):,} characters, the limit is {longest:,}: shorten it."
        )
    return text


def _told(changed: Mapping[str, Any]) -> dict[str, Any]:
    """What the audit log says: of texts only their length, because the log is kept for good."""
    return {k: len(v) if k in _TEXTS else v for k, v in changed.items()}
