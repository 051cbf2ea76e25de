"""The turns of all people, for admins: listed, counted, and opened with their whole trace.

A list has the newest first and is read by keyset pagination, so that a page far back takes no
longer than the first. A page is found in an index that holds all that a filter asks for; only its
own rows are read.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, func, select, tuple_
from sqlalchemy.orm import Session, defer, joinedload

from chatbot.accounts.people import Person
from chatbot.reply import Reply, Trace
from chatbot.review.filters import ANY, TurnFilter, conditions
from chatbot.review.ratings import UnknownTurn, review_of
from corpora.database.engine import Database
from corpora.database.history_tables import ReviewRow, TurnCitationRow, TurnRow

MOST_COUNTED = 10_000
AROUND = 20
"""How many turns of a long conversation are shown before the opened one and after it."""


Position = tuple[datetime, int]
"""The place of a turn in the list: when it was asked, and its id."""


class Neighbours(NamedTuple):
    """The ids of the turns beside one in a list; None at its ends."""

    newer: int | None
    older: int | None


@dataclass(frozen=True)
class OpenedTurn:
    """A turn with its conversation, feedback, review and trace.

    `trace` is None for a turn of a version that kept none. `before` and `after` are the turns of
    its conversation around this one, including those that were asked again since.
    """

    turn: TurnRow
    reply: Reply
    trace: Trace | None
    before: tuple[TurnRow, ...]
    after: tuple[TurnRow, ...]

    @property
    def review(self) -> ReviewRow:
        """What admins think of it."""
        return review_of(self.turn)


_CHOICES: dict[str, Select[Any]] = {
    "product": select(TurnRow.product),
    "release": select(TurnRow.release),
    "owner": select(TurnRow.owner),
    "assignee": select(ReviewRow.assignee).where(ReviewRow.assignee != ""),
    "document": select(TurnCitationRow.file),
}
_PLACE = (TurnRow.created, TurnRow.id)
"""What turns are ordered by."""


@dataclass(frozen=True)
class AllTurns:
    """Reads the turns of all people; raises NotAllowed unless an admin asks."""

    database: Database

    def page(
        self,
        person: Person,
        wanted: TurnFilter = ANY,
        *,
        older_than: Position | None = None,
        size: int = 50,
    ) -> tuple[tuple[TurnRow, ...], Position | None]:
        """The newest wanted turns, or those older than a position, and the position to go on from.

        That is None where there are no older ones. The turns come with their feedback and review,
        and without their answer.
        """
        person.require_admin()
        with self.database.reading() as session:
            ids = _beside(session, wanted, older_than, most=size + 1)
            rows = (
                select(TurnRow)
                .where(TurnRow.id.in_(ids[:size]))
                .options(joinedload(TurnRow.feedback), joinedload(TurnRow.review))
                .options(defer(TurnRow.answer))
                .order_by(*(column.desc() for column in _PLACE))
            )
            found = tuple(session.scalars(rows))
            return found, (found[-1].created, found[-1].id) if len(ids) > size else None

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
            stands = session.execute(select(*_PLACE).where(TurnRow.id == turn)).one_or_none()
            if stands is None:
                raise UnknownTurn(turn)
            place = (stands.created, stands.id)
            newer = _beside(session, wanted, place, most=1, newer=True)
            older = _beside(session, wanted, place, most=1)
            return Neighbours(*(found[0] if found else None for found in (newer, older)))

    def open(self, person: Person, turn: int) -> OpenedTurn:
        """A turn with its conversation and its trace. Raises UnknownTurn."""
        person.require_admin()
        beside = (TurnRow.conversation, TurnRow.feedback, TurnRow.review, TurnRow.trace)
        with self.database.reading() as session:
            row = session.get(TurnRow, turn, options=[joinedload(what) for what in beside])
            if row is None:
                raise UnknownTurn(turn)
            query = select(TurnRow).where(TurnRow.conversation_id == row.conversation_id)
            place = TurnRow.position
            before = query.where(place < row.position).order_by(place.desc()).limit(AROUND)
            after = query.where(place > row.position).order_by(place).limit(AROUND)
            return OpenedTurn(
                turn=row,
                reply=Reply.model_validate(row.answer),
                trace=Trace.unpacked(row.trace.trace) if row.trace else None,
                before=tuple(session.scalars(before))[::-1],
                after=tuple(session.scalars(after)),
            )

    def choices(self, person: Person, what: str, product: str | None = None) -> tuple[str, ...]:
        """The values to filter by: each product, release (of a product), owner, and so on."""
        person.require_admin()
        names = _CHOICES[what].distinct()
        with self.database.reading() as session:
            found = session.scalars(names.where(TurnRow.product == product) if product else names)
            return tuple(sorted(name for name in found if name is not None))


def _beside(
    session: Session,
    wanted: TurnFilter,
    position: Position | None,
    *,
    most: int,
    newer: bool = False,
) -> list[int]:
    """The ids of the wanted turns older or newer than a position, the nearest first."""
    query = select(TurnRow.id).where(*conditions(session, wanted)).limit(most)
    if position is not None:
        edge = tuple_(*position, types=[column.type for column in _PLACE])
        query = query.where(tuple_(*_PLACE) > edge if newer else tuple_(*_PLACE) < edge)
    return list(session.scalars(query.order_by(*(c if newer else c.desc() for c in _PLACE))))
