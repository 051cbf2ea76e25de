"""Which turns of all people are looked at."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, select
from sqlalchemy.orm import Session

from chatbot.conversations.turn_search import turns_with
from chatbot.turn import Route
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnCitationRow, TurnRow

NOT_RATED = ""
"""The `rating` of turns that no admin has rated."""


@dataclass(frozen=True)
class TurnFilter:
    """What a turn has to be like; None, and no words, stand for any.

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


def conditions(session: Session, wanted: TurnFilter) -> list[ColumnElement[bool]]:
    """What the filter says as conditions on `TurnRow`."""
    equal: list[tuple[SQLColumnExpression[Any], Any]] = [
        (TurnRow.product, wanted.product),
        (TurnRow.release, wanted.release),
        # Not by the index on the owner alone: one person may have asked all there is.
        (TurnRow.owner + "", wanted.owner),
        (TurnRow.abstained, wanted.abstained),
        (TurnRow.route, wanted.route),
        (TurnRow.superseded, wanted.superseded),
    ]
    found = [column == value for column, value in equal if value is not None]
    if wanted.since is not None:
        found.append(TurnRow.created >= wanted.since)
    if wanted.until is not None:
        found.append(TurnRow.created < wanted.until)
    if wanted.seconds is not None:
        found.append(TurnRow.seconds >= wanted.seconds)
    if wanted.clarified is not None:
        clarified = TurnRow.route == Route.CLARIFY
        found.append(clarified if wanted.clarified else ~clarified)
    if wanted.thumbs is not None:
        found.append(_among(select(FeedbackRow.turn_id).where(FeedbackRow.thumbs == wanted.thumbs)))
    if wanted.document is not None:
        cited = select(TurnCitationRow.turn_id).where(TurnCitationRow.file == wanted.document)
        found.append(_among(cited))
    found += _of_review(wanted)
    if (held := turns_with(session, wanted.words)) is not None:
        found.append(_among(held))
    return found


def _of_review(wanted: TurnFilter) -> list[ColumnElement[bool]]:
    """Most turns have no review: those count as not rated, open, and nobody's."""
    found: list[ColumnElement[bool]] = []
    reviewed = select(ReviewRow.turn_id)
    if wanted.rating == NOT_RATED:
        found.append(~_among(reviewed.where(ReviewRow.rating != NOT_RATED)))
    elif wanted.rating is not None:
        found.append(_among(reviewed.where(ReviewRow.rating == wanted.rating)))
    if wanted.status is not None:
        done = _among(reviewed.where(ReviewRow.status == "done"))
        found.append(done if wanted.status == "done" else ~done)
    if wanted.assignee is not None:
        found.append(_among(reviewed.where(ReviewRow.assignee == wanted.assignee)))
    if wanted.in_regression_set is not None:
        kept = _among(reviewed.where(ReviewRow.in_regression_set))
        found.append(kept if wanted.in_regression_set else ~kept)
    return found


def _among(turns: Select[int] | Select[tuple[int]]) -> ColumnElement[bool]:
    # By its bare id SQLite would fetch every turn of the list, payload and all, to sort them.
    return (TurnRow.id + 0).in_(turns)
