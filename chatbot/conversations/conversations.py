"""The conversations of one person and their turns, kept in SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from uuid import uuid4

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from chatbot.conversations.turn_search import turns_with
from chatbot.memory.pairs import Role
from chatbot.memory.stores.stores import Stores
from chatbot.memory.uses import keep_uses
from chatbot.reply import Reply, Trace
from corpora.database.engine import Database
from corpora.database.history_tables import (
    ConversationRow,
    OpenQuestionRow,
    TurnCitationRow,
    TurnRow,
    TurnTextRow,
    TurnTraceRow,
)
from ingestion.errors import StrataError

LONGEST_TITLE = 120
_AT_ONCE = 1_000
NO_USES: Mapping[int, Role] = MappingProxyType({})


class UnknownConversation(StrataError, LookupError):
    """This person has no conversation with this id."""


@dataclass(frozen=True)
class KeptTurn:
    """A stored turn: the question and its reply."""

    question: str
    reply: Reply
    id: int
    created: datetime


@dataclass(frozen=True)
class Conversation:
    """What a list of conversations shows of one; `releases` are those that answered."""

    id: str
    product: str
    title: str
    created: datetime
    updated: datetime
    turns: int
    releases: tuple[str, ...]


@dataclass(frozen=True)
class Conversations:
    """The conversations of `owner`, and nobody else's; every method is one transaction.

    To ask for another person's conversation raises UnknownConversation, as for one that is not
    there: nobody learns which ids exist.
    """

    database: Database
    owner: str = ""

    def of(self, owner: str) -> Conversations:
        """The conversations of another person."""
        return replace(self, owner=owner)

    def start(self, product: str | None, title: str) -> str:
        """Open a conversation and return its id."""
        identity = uuid4().hex
        now = datetime.now(UTC)
        with self.database.writing() as session:
            session.add(
                ConversationRow(
                    id=identity,
                    owner=self.owner,
                    product=product or "",
                    title=_title(title),
                    created=now,
                    updated=now,
                )
            )
        return identity

    def rename(self, conversation: str, title: str) -> None:
        """Give a conversation another title; an empty one leaves it as it is."""
        with self.database.writing() as session:
            row = self._own(session, conversation)
            row.title = _title(title) or row.title

    def delete(self, conversation: str) -> None:
        """Delete a conversation with its turns, all that was said of them and was made of them."""
        with self.database.writing() as session:
            row = self._own(session, conversation)
            forget_turns_of(session, [conversation])
            session.delete(row)

    def get(self, conversation: str) -> Conversation:
        """What a list shows of a conversation."""
        with self.database.reading() as session:
            return _summaries(session, [self._own(session, conversation)])[0]

    def recent(self, limit: int = 50, wanted: str = "") -> tuple[Conversation, ...]:
        """The conversations last talked in; of those `wanted`, the ones that hold these words."""
        with self.database.reading() as session:
            query = select(ConversationRow).where(ConversationRow.owner == self.owner)
            if (found := turns_with(session, wanted)) is not None:
                held = select(TurnRow.conversation_id).where(
                    TurnRow.owner == self.owner, ~TurnRow.superseded, TurnRow.id.in_(found)
                )
                titled = ConversationRow.title.icontains(wanted.strip(), autoescape=True)
                query = query.where(ConversationRow.id.in_(held) | titled)
            query = query.order_by(ConversationRow.updated.desc()).limit(limit)
            return _summaries(session, session.scalars(query).all())

    def add(
        self,
        conversation: str,
        question: str,
        reply: Reply,
        *,
        trace: Trace | None = None,
        instead_of: int | None = None,
        open_question: str | None = None,
        uses: Mapping[int, Role] = NO_USES,
    ) -> int:
        """Append an answered turn and return its id; once this returns it is not lost.

        The turn that it stands `instead_of` leaves the conversation with all behind it, and stays
        for the review. `open_question` is the one that it answers, which is open no longer, and
        `uses` are the pairs of the memory that helped.
        """
        now = datetime.now(UTC)
        with self.database.writing() as session:
            conversation_row = self._own(session, conversation)
            conversation_row.updated = now
            if instead_of is not None:
                self._require_turn(session, conversation, instead_of)
                session.execute(
                    update(TurnRow)
                    .where(TurnRow.id >= instead_of, TurnRow.conversation_id == conversation)
                    .values(superseded=True)
                )
            if open_question is not None:
                answered = delete(OpenQuestionRow).where(
                    OpenQuestionRow.id == open_question,
                    OpenQuestionRow.conversation_id == conversation,
                )
                session.execute(answered)
            row = _row(question, reply)
            row.conversation_id = conversation
            row.owner = self.owner
            row.position = self._next_position(session, conversation)
            row.created = now
            session.add(row)
            session.flush()
            session.add(TurnTextRow(turn_id=row.id, text=f"{question}\n{reply.answer}"))
            cited = {(c.release, c.file) for c in reply.citations}
            session.add_all(
                TurnCitationRow(turn_id=row.id, release=release, file=file)
                for release, file in cited
            )
            if trace is not None:
                session.add(TurnTraceRow(turn_id=row.id, trace=trace.packed()))
            keep_uses(session, row.id, uses, now)
            return row.id

    def turns(self, conversation: str) -> tuple[KeptTurn, ...]:
        """The turns of a conversation, oldest first."""
        with self.database.reading() as session:
            self._own(session, conversation)
            query = select(TurnRow).where(
                TurnRow.conversation_id == conversation, ~TurnRow.superseded
            )
            rows = session.scalars(query.order_by(TurnRow.position))
            return tuple(
                KeptTurn(t.question, Reply.model_validate(t.answer), t.id, t.created) for t in rows
            )

    def _own(self, session: Session, conversation: str) -> ConversationRow:
        row = session.get(ConversationRow, conversation)
        if row is None or row.owner != self.owner:
            raise UnknownConversation(f"There is no conversation {conversation!r}.")
        return row

    @staticmethod
    def _require_turn(session: Session, conversation: str, turn: int) -> None:
        row = session.get(TurnRow, turn)
        if row is None or row.conversation_id != conversation:
            raise UnknownConversation(f"There is no turn {turn} in conversation {conversation!r}.")

    @staticmethod
    def _next_position(session: Session, conversation: str) -> int:
        last = select(func.max(TurnRow.position)).where(TurnRow.conversation_id == conversation)
        highest = session.scalar(last)
        return 0 if highest is None else highest + 1


def forget_turns_of(session: Session, conversations: Collection[str]) -> None:
    """Forget what the memory made of the turns of conversations that are about to be deleted."""
    own = select(TurnRow.id).where(TurnRow.conversation_id.in_(conversations))
    turns = session.scalars(own).all()
    for first in range(0, len(turns), _AT_ONCE):
        Stores.forget_turns(session, turns[first : first + _AT_ONCE])


def _title(text: str) -> str:
    return " ".join(text.split())[:LONGEST_TITLE]


def _row(question: str, reply: Reply) -> TurnRow:
    return TurnRow(
        question=question,
        answer=reply.model_dump(mode="json"),
        release=reply.release,
        product=reply.product,
        route=reply.route,
        abstained=reply.abstained,
        seconds=reply.seconds or 0.0,
        profile=reply.profile,
        model=reply.model,
        model_calls=reply.model_calls,
        superseded=False,
    )


def _summaries(session: Session, rows: Iterable[ConversationRow]) -> tuple[Conversation, ...]:
    rows = list(rows)
    counted = session.execute(
        select(TurnRow.conversation_id, TurnRow.release, func.count())
        .where(TurnRow.conversation_id.in_([r.id for r in rows]), ~TurnRow.superseded)
        .group_by(TurnRow.conversation_id, TurnRow.release)
    ).all()
    return tuple(
        Conversation(
            row.id,
            row.product,
            row.title,
            row.created,
            row.updated,
            sum(count for owner, _, count in counted if owner == row.id),
            tuple(sorted(name for owner, name, _ in counted if owner == row.id and name)),
        )
        for row in rows
    )
