"""The turns of all people, for admins: filtered, listed, counted, and opened with their trace.

A list has the newest first and is read by keyset pagination, so that a page far back takes no
longer than the first. A page is found in an index that holds all that a filter asks for; only its
own rows are read.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, func, select, tuple_
from sqlalchemy.orm import Session, defer, joinedload

from chatbot.accounts.people import Person
from chatbot.conversations.conversations import turns_with
from chatbot.errors import UnknownTurn
from chatbot.reply import Reply, Trace
from chatbot.review.ratings import review_of
from chatbot.turn import Route
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnCitationRow, TurnRow

MOST_COUNTED = 10_000
AROUND = 20
"""The turns of a long conversation that are shown before the opened one and after it."""
NOT_RATED = ""
"""The `rating` of turns that no admin has rated."""


@dataclass(frozen=True)
class TurnFilter:
    """Conditions on turns; None, and no words, stand for any.

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
    """Turns with such a row; those without a review are not rated, open and unassigned."""
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
"""The condition of each filter; without an entry, equality with the column of that name."""


def conditions(session: Session, wanted: TurnFilter) -> list[ColumnElement[bool]]:
    """The filter as conditions on `TurnRow`."""
    terms = []
    for name, value in asdict(wanted).items():
        if name == "words":
            if (matching := turns_with(session, value)) is not None:
                terms.append(_among(matching))
        elif name in _CONDITIONS and value is not None:
            terms.append(_CONDITIONS[name](value))
        elif value is not None:
            terms.append(getattr(TurnRow, name) == value)
    return terms


Position = tuple[datetime, int]
"""The place of a turn in the list: when it was asked, and its id."""


class AdjacentTurns(NamedTuple):
    """The ids of the turns beside one in a list; None at its ends."""

    newer: int | None
    older: int | None


@dataclass(frozen=True)
class OpenedTurn:
    """A turn with its conversation, feedback, review and trace (None: its version kept none).

    The trace holds no calls of models for an admin of products: their prompts list all products
    that the asker sees, and repeat the conversation.
    `before` and `after` are the turns of its conversation around this one, including those that
    were asked again since.
    """

    turn: TurnRow
    reply: Reply
    trace: Trace | None
    before: tuple[TurnRow, ...]
    after: tuple[TurnRow, ...]

    @property
    def title(self) -> str:
        """That of its conversation; empty where that began with what the reader does not see."""
        return self.turn.conversation.title if self.turn.conversation else ""

    @property
    def review(self) -> ReviewRow:
        """The review by admins."""
        return review_of(self.turn)


def _without_calls(trace: Trace) -> Trace:
    return trace.model_copy(
        update={"calls": (), "sides": tuple(_without_calls(side) for side in trace.sides)}
    )


_CHOICES: dict[str, Select[Any]] = {
    "product": select(TurnRow.product),
    "release": select(TurnRow.release),
    "owner": select(TurnRow.owner),
    "assignee": select(ReviewRow.assignee).where(ReviewRow.assignee != ""),
    "document": select(TurnCitationRow.file),
}
_PLACE = (TurnRow.created, TurnRow.id)
"""The columns that turns are ordered by."""


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

        That is None at the end. The turns come with feedback and review, without their answer.
        """
        person.require_admin(self.database)
        with self.database.reading() as session:
            ids = _beside(session, wanted, older_than, most=size + 1)
            rows = (
                select(TurnRow)
                .where(TurnRow.id.in_(ids[:size]))
                .options(joinedload(TurnRow.feedback), joinedload(TurnRow.review))
                .options(defer(TurnRow.answer))
                .order_by(*(column.desc() for column in _PLACE))
            )
            page = tuple(session.scalars(rows))
            return page, (page[-1].created, page[-1].id) if len(ids) > size else None

    def count(self, person: Person, wanted: TurnFilter = ANY, most: int = MOST_COUNTED) -> int:
        """The number of turns that match a filter; counting ends at `most` + 1."""
        person.require_admin(self.database)
        with self.database.reading() as session:
            some = select(TurnRow.id).where(*conditions(session, wanted)).limit(most + 1)
            return session.scalar(select(func.count()).select_from(some.subquery())) or 0

    def neighbours(self, person: Person, turn: int, wanted: TurnFilter = ANY) -> AdjacentTurns:
        """The next newer and older turn that is wanted; the turn itself need not be."""
        person.require_admin(self.database)
        with self.database.reading() as session:
            stands = session.execute(select(*_PLACE).where(TurnRow.id == turn)).one_or_none()
            if stands is None:
                raise UnknownTurn(turn)
            place = (stands.created, stands.id)
            newer = _beside(session, wanted, place, most=1, newer=True)
            older = _beside(session, wanted, place, most=1)
            return AdjacentTurns(
                *(neighbour[0] if neighbour else None for neighbour in (newer, older))
            )

    def open(self, person: Person, turn: int) -> OpenedTurn:
        """A turn with its conversation and its trace. Raises UnknownTurn."""
        person.require_admin(self.database)
        beside = (TurnRow.conversation, TurnRow.feedback, TurnRow.review, TurnRow.trace)
        with self.database.reading() as session:
            row = session.get(TurnRow, turn, options=[joinedload(what) for what in beside])
            if row is None:
                raise UnknownTurn(turn)
            query = select(TurnRow).where(TurnRow.conversation_id == row.conversation_id)
            place = TurnRow.position
            before = query.where(place < row.position).order_by(place.desc()).limit(AROUND)
            after = query.where(place > row.position).order_by(place).limit(AROUND)
            trace = Trace.unpacked(row.trace.trace) if row.trace else None
            return OpenedTurn(
                turn=row,
                reply=Reply.model_validate(row.answer),
                trace=_without_calls(trace) if trace and self.database.sight else trace,
                before=tuple(session.scalars(before))[::-1],
                after=tuple(session.scalars(after)),
            )

    def choices(self, person: Person, what: str, product: str | None = None) -> tuple[str, ...]:
        """The values to filter by: each product, release (of a product), owner, and so on."""
        person.require_admin(self.database)
        names = _CHOICES[what].distinct()
        with self.database.reading() as session:
            values = session.scalars(names.where(TurnRow.product == product) if product else names)
            return tuple(sorted(name for name in values if name is not None))


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
