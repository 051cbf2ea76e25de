"""The turns of all people, for admins: listed, counted, and opened with their whole trace.

A list goes by the moment of asking, the newest first, and is read in pages from where the last
one ended (keyset pagination), so that a page far back takes no longer than the first. A page is
found in an index that holds every fact a filter asks for; only its own rows are then read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, func, select, tuple_
from sqlalchemy.orm import Session, defer
from sqlalchemy.orm.interfaces import ORMOption

from chatbot.accounts.people import Person
from chatbot.reply import Reply, Trace
from chatbot.review.filters import ANY, TurnFilter, conditions
from chatbot.review.ratings import NO_REVIEW, Review, UnknownTurn, reviews_of
from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    FeedbackRow,
    ReviewRow,
    TurnCitationRow,
    TurnRow,
    TurnTraceRow,
)

MOST_COUNTED = 10_000
AROUND = 20
"""Of a long conversation so many turns are shown before the opened one and behind it."""


class Position(NamedTuple):
    """Where a turn stands in the list."""

    created: datetime
    id: int


class Neighbours(NamedTuple):
    """The turns beside one in a list, by their ids; None at its ends."""

    newer: int | None
    older: int | None


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
    def position(self) -> Position:
        """Where it stands in the list."""
        return Position(self.created, self.id)


class Feedback(NamedTuple):
    """What the person who asked says of an answer: thumbs 1 or -1."""

    thumbs: int
    reason: str
    comment: str
    created: datetime


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

    `trace` is None for a turn of a version that kept none. `title` and `product` are the
    conversation's; `before` and `after` are its turns around this one, as they were asked.
    """

    listed: ListedTurn
    reply: Reply
    profile: str
    model: str
    trace: Trace | None
    feedback: Feedback | None
    title: str
    product: str
    before: tuple[SaidTurn, ...]
    after: tuple[SaidTurn, ...]


_CHOICES: dict[str, Select[Any]] = {
    "product": select(TurnRow.product),
    "release": select(TurnRow.release),
    "owner": select(TurnRow.owner),
    "assignee": select(ReviewRow.assignee).where(ReviewRow.assignee != ""),
    "document": select(TurnCitationRow.file),
}


@dataclass(frozen=True)
class AllTurns:
    """Reads the turns of all people; everything raises NotAllowed unless an admin asks."""

    database: Database

    def page(
        self,
        person: Person,
        wanted: TurnFilter = ANY,
        *,
        older_than: Position | None = None,
        size: int = 50,
    ) -> tuple[tuple[ListedTurn, ...], bool]:
        """The newest turns that are wanted, or those behind one, and whether there are older."""
        person.require_admin()
        with self.database.reading() as session:
            ids = _beside(session, conditions(session, wanted), older_than, most=size + 1)
            return _listed(session, ids[:size]), len(ids) > size

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
            row = _turn(session, turn, defer(TurnRow.answer))
            where, position = conditions(session, wanted), Position(row.created, row.id)
            newer = _beside(session, where, position, most=1, newer=True)
            older = _beside(session, where, position, most=1)
            return Neighbours(newer[0] if newer else None, older[0] if older else None)

    def open(self, person: Person, turn: int) -> OpenedTurn:
        """A turn with its conversation and its trace. Raises UnknownTurn."""
        person.require_admin()
        with self.database.reading() as session:
            row = _turn(session, turn)
            packed = session.get(TurnTraceRow, turn)
            said = session.get(FeedbackRow, turn)
            conversation = session.get_one(ConversationRow, row.conversation_id)
            return OpenedTurn(
                listed=_listed(session, [turn])[0],
                reply=Reply.model_validate(row.answer),
                profile=row.profile,
                model=row.model,
                trace=Trace.unpacked(packed.trace) if packed else None,
                feedback=Feedback(said.thumbs, said.reason, said.comment, said.created)
                if said
                else None,
                title=conversation.title,
                product=conversation.product,
                before=_around(session, row, earlier=True),
                after=_around(session, row, earlier=False),
            )

    def choices(self, person: Person, what: str, product: str | None = None) -> tuple[str, ...]:
        """What turns can be filtered by: each product, release (of a product), owner, and so on."""
        person.require_admin()
        names = _CHOICES[what].distinct()
        with self.database.reading() as session:
            found = session.scalars(names.where(TurnRow.product == product) if product else names)
            return tuple(sorted(name for name in found if name is not None))


def _turn(session: Session, turn: int, *options: ORMOption) -> TurnRow:
    row = session.get(TurnRow, turn, options=options)
    if row is None:
        raise UnknownTurn(turn)
    return row


def _beside(
    session: Session,
    where: Sequence[ColumnElement[bool]],
    position: Position | None,
    *,
    most: int,
    newer: bool = False,
) -> list[int]:
    """The ids of the turns behind a position, or before it, the nearest first."""
    query = select(TurnRow.id).where(*where).limit(most)
    columns = (TurnRow.created, TurnRow.id)
    if position is not None:
        edge = tuple_(*position, types=[column.type for column in columns])
        query = query.where(tuple_(*columns) > edge if newer else tuple_(*columns) < edge)
    order = columns if newer else [column.desc() for column in columns]
    return list(session.scalars(query.order_by(*order)))


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
    columns = [column.name for column in fields(ListedTurn) if column.name in TurnRow.__table__.c]
    return tuple(
        ListedTurn(
            **{name: getattr(row, name) for name in columns},
            thumbs=thumbs or 0,
            review=reviews.get(row.id, NO_REVIEW),
        )
        for row, thumbs in rows
    )


def _around(session: Session, turn: TurnRow, *, earlier: bool) -> tuple[SaidTurn, ...]:
    """The turns of its conversation next to a turn, in the order of asking."""
    query = select(TurnRow).where(TurnRow.conversation_id == turn.conversation_id).limit(AROUND)
    if earlier:
        query = query.where(TurnRow.position < turn.position).order_by(TurnRow.position.desc())
    else:
        query = query.where(TurnRow.position > turn.position).order_by(TurnRow.position)
    found = [
        SaidTurn(row.id, row.question, row.answer["answer"], row.superseded)
        for row in session.scalars(query)
    ]
    return tuple(found[::-1] if earlier else found)
