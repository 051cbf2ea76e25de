"""The turns of all people, for admins: listed, counted, and opened with their whole trace.

A list goes by the moment of asking, the newest first, and is read in pages from where the last
one ended (keyset pagination), so that a page far back takes no longer than the first. A page is
found in an index that holds every fact a filter asks for; only its own rows are then read.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.orm import Session, defer

from chatbot.accounts.people import Person
from chatbot.review.filters import ANY, TurnFilter, conditions
from chatbot.review.ratings import Review, UnknownTurn, review_of, reviews_of
from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTraceRow,
)

PAGE_SIZE = 50
MOST_COUNTED = 10_000
AROUND = 20
"""Of a long conversation so many turns are shown before the opened one and behind it."""


@dataclass(frozen=True)
class Place:
    """Where a turn stands in the list."""

    created: datetime
    id: int


@dataclass(frozen=True)
class Feedback:
    """What the person who asked says of an answer: thumbs 1 or -1."""

    thumbs: int
    reason: str
    comment: str
    created: datetime


@dataclass(frozen=True)
class ListedTurn:
    """What a list shows of a turn; `thumbs` are 0 where there are none."""

    id: int
    created: datetime
    owner: str
    product: str | None
    release: str | None
    question: str
    route: str
    abstained: bool
    superseded: bool
    seconds: float
    thumbs: int
    review: Review

    @property
    def place(self) -> Place:
        """Where it stands in the list."""
        return Place(self.created, self.id)


@dataclass(frozen=True)
class TurnPage:
    """A page of a list, the newest turn first; `older` and `newer` say whether there are more."""

    turns: tuple[ListedTurn, ...]
    older: bool
    newer: bool


@dataclass(frozen=True)
class Neighbours:
    """The turns beside one in a list, by their ids; None at its ends."""

    newer: int | None
    older: int | None


@dataclass(frozen=True)
class SaidTurn:
    """A turn of the conversation around one; `superseded` if it was asked anew since."""

    id: int
    question: str
    answer: str
    superseded: bool


@dataclass(frozen=True)
class OpenedTurn:
    """A turn with all that is known of it.

    `reply` is the object of `chatbot.chain.reply`, `trace` that of `chatbot.chain.trace`; None for
    a turn of a version that kept none. `title` and `product` are the conversation's; `before` and
    `after` are its turns around this one, as they were asked.
    """

    listed: ListedTurn
    reply: dict[str, Any]
    profile: str
    model: str
    trace: dict[str, Any] | None
    feedback: Feedback | None
    title: str
    product: str
    before: tuple[SaidTurn, ...]
    after: tuple[SaidTurn, ...]


@dataclass(frozen=True)
class Choices:
    """What there is to filter by."""

    products: tuple[str, ...]
    releases: tuple[str, ...]
    people: tuple[str, ...]
    assignees: tuple[str, ...]


@dataclass(frozen=True)
class AllTurns:
    """Reads the turns of all people; everything raises NotAllowed unless an admin asks."""

    database: Database

    def page(
        self,
        person: Person,
        wanted: TurnFilter = ANY,
        *,
        older_than: Place | None = None,
        newer_than: Place | None = None,
        size: int = PAGE_SIZE,
    ) -> TurnPage:
        """A page of the turns that are wanted: the newest, or those next to a place."""
        person.require_admin()
        with self.database.reading() as session:
            where = conditions(session, wanted)
            upwards = newer_than is not None
            found = _ids(session, where, newer_than or older_than, upwards=upwards, most=size + 1)
            more, ids = len(found) > size, found[:size]
            if upwards:
                return TurnPage(_listed(session, ids), older=True, newer=more)
            return TurnPage(_listed(session, ids), older=more, newer=older_than is not None)

    def count(self, person: Person, wanted: TurnFilter = ANY, most: int = MOST_COUNTED) -> int:
        """How many turns are wanted; counting ends at `most` + 1."""
        person.require_admin()
        with self.database.reading() as session:
            some = select(TurnRow.id).where(*conditions(session, wanted)).limit(most + 1)
            return session.scalar(select(func.count()).select_from(some.subquery())) or 0

    def neighbours(self, person: Person, turn: int, wanted: TurnFilter = ANY) -> Neighbours:
        """The next newer and older turn that is wanted; the turn itself need not be."""
        person.require_admin()
        with self.database.reading() as session:
            row = session.get(TurnRow, turn, options=[defer(TurnRow.answer)])
            if row is None:
                raise _unknown(turn)
            where, place = conditions(session, wanted), Place(row.created, row.id)
            newer = _ids(session, where, place, upwards=True, most=1)
            older = _ids(session, where, place, upwards=False, most=1)
            return Neighbours(newer[0] if newer else None, older[0] if older else None)

    def open(self, person: Person, turn: int) -> OpenedTurn:
        """A turn with its conversation and its trace. Raises UnknownTurn."""
        person.require_admin()
        with self.database.reading() as session:
            row = session.get(TurnRow, turn)
            if row is None:
                raise _unknown(turn)
            packed = session.get(TurnTraceRow, turn)
            said = session.get(FeedbackRow, turn)
            conversation = session.get_one(ConversationRow, row.conversation_id)
            return OpenedTurn(
                listed=_listed(session, [turn])[0],
                reply=row.answer,
                profile=row.profile,
                model=row.model,
                trace=json.loads(zlib.decompress(packed.trace)) if packed else None,
                feedback=_feedback(said) if said else None,
                title=conversation.title,
                product=conversation.product,
                before=_beside(session, row, earlier=True),
                after=_beside(session, row, earlier=False),
            )

    def choices(self, person: Person, product: str | None = None) -> Choices:
        """What the turns there are can be filtered by; the releases are those of a product."""
        person.require_admin()
        of_product = [TurnRow.product == product] if product else []
        with self.database.reading() as session:
            return Choices(
                products=_distinct(session, select(TurnRow.product)),
                releases=_distinct(session, select(TurnRow.release).where(*of_product)),
                people=_distinct(session, select(TurnRow.owner)),
                assignees=_distinct(
                    session, select(ReviewRow.assignee).where(ReviewRow.assignee != "")
                ),
            )

    def documents(self, person: Person) -> tuple[str, ...]:
        """The files that answers cite."""
        person.require_admin()
        with self.database.reading() as session:
            return _distinct(session, select(TurnCitationRow.file))


def _ids(
    session: Session,
    where: Sequence[ColumnElement[bool]],
    place: Place | None,
    *,
    upwards: bool,
    most: int,
) -> list[int]:
    """The ids of the turns next to a place, the nearest first."""
    query = select(TurnRow.id).where(*where).limit(most)
    order = tuple_(TurnRow.created, TurnRow.id)
    if place is not None:
        edge = tuple_(place.created, place.id, types=[TurnRow.created.type, TurnRow.id.type])
        query = query.where(order > edge if upwards else order < edge)
    if upwards:
        return list(session.scalars(query.order_by(TurnRow.created, TurnRow.id)))
    return list(session.scalars(query.order_by(TurnRow.created.desc(), TurnRow.id.desc())))


def _listed(session: Session, ids: list[int]) -> tuple[ListedTurn, ...]:
    """What a list shows of these turns, the newest first."""
    rows = session.execute(
        select(TurnRow, FeedbackRow.thumbs)
        .outerjoin(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
        .where(TurnRow.id.in_(ids))
        .options(defer(TurnRow.answer))
        .order_by(TurnRow.created.desc(), TurnRow.id.desc())
    ).all()
    reviews = reviews_of(session, ids)
    return tuple(
        ListedTurn(
            id=row.id,
            created=row.created,
            owner=row.owner,
            product=row.product,
            release=row.release,
            question=row.question,
            route=row.route,
            abstained=row.abstained,
            superseded=row.superseded,
            seconds=row.seconds,
            thumbs=thumbs or 0,
            review=reviews.get(row.id, review_of(None)),
        )
        for row, thumbs in rows
    )


def _beside(session: Session, turn: TurnRow, *, earlier: bool) -> tuple[SaidTurn, ...]:
    """The turns of its conversation next to a turn, in the order of asking."""
    query = select(TurnRow).where(TurnRow.conversation_id == turn.conversation_id).limit(AROUND)
    if earlier:
        query = query.where(TurnRow.position < turn.position).order_by(TurnRow.position.desc())
    else:
        query = query.where(TurnRow.position > turn.position).order_by(TurnRow.position)
    rows = session.scalars(query).all()
    return tuple(
        SaidTurn(row.id, row.question, row.answer["answer"], row.superseded)
        for row in (rows[::-1] if earlier else rows)
    )


def _feedback(row: FeedbackRow) -> Feedback:
    return Feedback(row.thumbs, row.reason, row.comment, row.created)


def _distinct(session: Session, names: Select[Any]) -> tuple[str, ...]:
    return tuple(sorted(name for name in session.scalars(names.distinct()) if name is not None))


def _unknown(turn: int) -> UnknownTurn:
    return UnknownTurn(f"There is no answer {turn}; its conversation may have been deleted.")
