"""The filter for the turns of all people."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, select
from sqlalchemy.orm import Session

from chatbot.conversations.conversations import turns_with
from chatbot.turn import Route
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnCitationRow, TurnRow

NOT_RATED = ""
"""The `rating` of turns that no admin has rated."""


@dataclass(frozen=True)
class TurnFilter:
    """Which turns are wanted; None, and no words, stand for any.

    `words` are searched in questions and answers. The turn was asked at `since` or later and
    before `until`, by the person `owner`, and took `seconds` or longer. `document` is a cited
    file. A turn has the `status` "open" until it is "done".
    """

    words: str = ""
    product: str | None = None
    release: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    owner: str | None = None
    thumbs: int | None = None
    abstained: bool | None = None
    clarified: bool | None = None
    route: str | None = None
    seconds: float | None = None
    document: str | None = None
    rating: str | None = None
    status: str | None = None
    assignee: str | None = None
    in_regression_set: bool | None = None
    superseded: bool | None = None


ANY = TurnFilter()
"""Every turn there is."""


def _among(turns: Select[int] | Select[tuple[int]]) -> ColumnElement[bool]:
    # By its bare id SQLite would fetch every turn of the list, payload and all, to sort them.
    return (TurnRow.id + 0).in_(turns)


def _with(
    row: type[FeedbackRow | ReviewRow | TurnCitationRow], where: SQLColumnExpression[bool]
) -> ColumnElement[bool]:
    """Turns with such a row; those without a review are not rated, open, and nobody's."""
    return _among(select(row.turn_id).where(where))


def _is(condition: ColumnElement[bool], wanted: bool) -> ColumnElement[bool]:
    return condition if wanted else ~condition


_CONDITIONS: dict[str, Callable[[Any], ColumnElement[bool]]] = {
    "since": lambda moment: TurnRow.created >= moment,
    "until": lambda moment: TurnRow.created < moment,
    # Not by the index on the owner alone: one person may have asked all there is.
    "owner": lambda owner: TurnRow.owner + "" == owner,
    "thumbs": lambda thumbs: _with(FeedbackRow, FeedbackRow.thumbs == thumbs),
    "clarified": lambda wanted: _is(TurnRow.route == Route.CLARIFY, wanted),
    "seconds": lambda seconds: TurnRow.seconds >= seconds,
    "document": lambda file: _with(TurnCitationRow, TurnCitationRow.file == file),
    "rating": lambda rating: (
        ~_with(ReviewRow, ReviewRow.rating != NOT_RATED)
        if rating == NOT_RATED
        else _with(ReviewRow, ReviewRow.rating == rating)
    ),
    "status": lambda status: _is(_with(ReviewRow, ReviewRow.status == "done"), status == "done"),
    "assignee": lambda assignee: _with(ReviewRow, ReviewRow.assignee == assignee),
    "in_regression_set": lambda wanted: _is(_with(ReviewRow, ReviewRow.in_regression_set), wanted),
}
"""What a turn must be; without an entry here, what its column of that name says."""


def conditions(session: Session, wanted: TurnFilter) -> list[ColumnElement[bool]]:
    """The filter as conditions on `TurnRow`."""
    found = []
    for name, value in asdict(wanted).items():
        if name == "words":
            if (matching := turns_with(session, value)) is not None:
                found.append(_among(matching))
        elif name in _CONDITIONS and value is not None:
            found.append(_CONDITIONS[name](value))
        elif value is not None:
            found.append(getattr(TurnRow, name) == value)
    return found
