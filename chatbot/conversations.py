"""Conversations and their turns, kept in SQL."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpora.database import Database
from corpora.tables import ConversationRow, TurnRow


class UnknownConversation(LookupError):
    """There is no conversation with this id."""


@dataclass(frozen=True)
class KeptTurn:
    """A stored turn: the question and the reply object of `chatbot.reply`."""

    question: str
    reply: dict[str, Any]


@dataclass(frozen=True)
class Conversations:
    """Reads and writes conversations; every method is one transaction."""

    database: Database

    def start(self, product: str | None, title: str) -> str:
        """Open a conversation and return its id."""
        identity = uuid4().hex
        now = datetime.now(UTC)
        with self.database.writing() as session:
            session.add(
                ConversationRow(
                    id=identity, product=product or "", title=title[:120], created=now, updated=now
                )
            )
        return identity

    def add(self, conversation: str, question: str, reply: dict[str, Any]) -> None:
        """Append an answered turn; once this returns it is not lost."""
        now = datetime.now(UTC)
        with self.database.writing() as session:
            row = session.get(ConversationRow, conversation)
            if row is None:
                raise UnknownConversation(f"no conversation {conversation!r}")
            row.updated = now
            position = len(self._turns(session, conversation))
            session.add(
                TurnRow(
                    conversation_id=conversation,
                    position=position,
                    question=question,
                    answer=reply,
                    release=reply.get("release"),
                    created=now,
                )
            )

    def turns(self, conversation: str) -> tuple[KeptTurn, ...]:
        """The turns of a conversation, oldest first."""
        with self.database.reading() as session:
            if session.get(ConversationRow, conversation) is None:
                raise UnknownConversation(f"no conversation {conversation!r}")
            return tuple(KeptTurn(t.question, t.answer) for t in self._turns(session, conversation))

    @staticmethod
    def _turns(session: Session, conversation: str) -> list[TurnRow]:
        query = select(TurnRow).where(TurnRow.conversation_id == conversation)
        return list(session.scalars(query.order_by(TurnRow.position)))
