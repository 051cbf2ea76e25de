"""The conversations of one person and their turns, kept in SQL."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Self
from uuid import uuid4

from sqlalchemy import (
    Integer,
    Select,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.orm import Session, selectinload
from sqlalchemy.orm.interfaces import ORMOption

from chatbot.errors import UnknownConversation
from chatbot.memory.stores.stores import Stores
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
from corpora.database.sight import named_in

LONGEST_TITLE = 120
MOST_WORDS = 20
_WORD = re.compile(r"\w+")
_TURNS = TurnRow.metadata.tables[TurnRow.__tablename__]
"""All turns, those too that their owner may not see now: they keep their places."""
_OF_REPLY = ("product", "release", "route", "abstained", "profile", "model", "model_calls")
"""The fields of a reply that its turn repeats."""


@dataclass(frozen=True)
class KeptTurn:
    """A stored turn: the question and its reply."""

    question: str
    reply: Reply
    id: int
    created: datetime


def conversations_seen(owner: str) -> Select[ConversationRow]:
    """A query for a person's conversations, without those of which no answer may be seen now.

    One may be about no product, and all its answers about one that is not seen.
    """
    said = _TURNS.c.conversation_id == ConversationRow.id
    seen = select(TurnRow.conversation_id).where(TurnRow.owner == owner)
    return select(ConversationRow).where(
        ConversationRow.owner == owner,
        or_(ConversationRow.id.in_(seen), ~exists().where(said).select_from(_TURNS)),
    )


@dataclass(frozen=True)
class Conversations:
    """The conversations of `owner` alone; every method is one transaction.

    Another person's conversation raises UnknownConversation, like one that does not exist.
    """

    database: Database
    owner: str = ""

    def of(self, owner: str) -> Self:
        """The conversations of another person."""
        return replace(self, owner=owner)

    def start(self, product: str | None, title: str) -> str:
        """Open a conversation and return its id."""
        with self.database.writing() as session:
            return self.begin(session, product, title)

    def begin(self, session: Session, product: str | None, title: str) -> str:
        """Open a conversation within a transaction and return its id."""
        now = datetime.now(UTC)
        row = ConversationRow(
            id=uuid4().hex,
            owner=self.owner,
            product=product or "",
            title=_title(title),
            created=now,
            updated=now,
        )
        session.add(row)
        session.flush()
        return row.id

    def rename(self, conversation: str, title: str) -> None:
        """Give a conversation another title; an empty one leaves it as it is."""
        with self.database.writing() as session:
            row = self.own(session, conversation)
            row.title = _title(title) or row.title

    def delete(self, conversation: str) -> None:
        """Delete a conversation with its turns, their feedback, reviews and remembered answers."""
        with self.database.reading() as session:
            self.own(session, conversation)
        # Its turns that they may not see now are theirs as well.
        with self.database.whole.writing() as session:
            row = self.own(session, conversation)
            forget_turns_of(session, [conversation])
            session.delete(row)

    def get(self, conversation: str) -> ConversationRow:
        """A conversation with its turns and the person's feedback."""
        with self.database.reading() as session:
            turns = selectinload(ConversationRow.said).joinedload(TurnRow.feedback)
            return self.own(session, conversation, turns)

    def recent(self, limit: int = 50, wanted: str = "") -> tuple[ConversationRow, ...]:
        """The latest conversations; with `wanted`, only those that contain these words."""
        with self.database.reading() as session:
            query = conversations_seen(self.owner)
            if (matching := turns_with(session, wanted)) is not None:
                held = select(TurnRow.conversation_id).where(
                    TurnRow.owner == self.owner, ~TurnRow.superseded, TurnRow.id.in_(matching)
                )
                titled = ConversationRow.title.icontains(wanted.strip(), autoescape=True)
                query = query.where(ConversationRow.id.in_(held) | titled)
            query = query.order_by(ConversationRow.updated.desc()).limit(limit)
            answered = selectinload(ConversationRow.said).load_only(TurnRow.release)
            return tuple(session.scalars(query.options(answered)))

    def add(
        self,
        conversation: str,
        question: str,
        reply: Reply,
        *,
        trace: Trace | None = None,
        instead_of: int | None = None,
        open_question: str | None = None,
    ) -> int:
        """Append an answered turn and return its id; once this returns it is not lost.

        The turn that it stands `instead_of`, and all turns after that one, leave the conversation
        but stay in the review. `open_question` is the id of the question that it answers.
        """
        now = datetime.now(UTC)
        with self.database.writing() as session:
            self.own(session, conversation).updated = now
            of_conversation = _TURNS.c.conversation_id == conversation
            if instead_of is not None:
                replaced = session.get(TurnRow, instead_of)
                if replaced is None or replaced.conversation_id != conversation:
                    raise UnknownConversation(
                        "There is no turn {instead_of} in conversation {conversation!r}.",
                        instead_of=instead_of,
                        conversation=conversation,
                    )
                behind = update(_TURNS).where(_TURNS.c.id >= instead_of, of_conversation)
                session.execute(behind.values(superseded=True))
            if open_question is not None:
                answered = delete(OpenQuestionRow).where(
                    OpenQuestionRow.id == open_question,
                    OpenQuestionRow.conversation_id == conversation,
                )
                session.execute(answered)
            last = session.scalar(select(func.max(_TURNS.c.position)).where(of_conversation))
            answer = reply.model_dump(mode="json")
            row = TurnRow(
                conversation_id=conversation,
                position=0 if last is None else last + 1,
                question=question,
                answer=answer,
                named=named_in(session, answer),
                created=now,
                superseded=False,
                owner=self.owner,
                seconds=reply.seconds or 0.0,
                **{name: getattr(reply, name) for name in _OF_REPLY},
            )
            session.add(row)
            session.flush()
            session.add(TurnTextRow(turn_id=row.id, text=f"{question}\n{reply.answer}"))
            for release, file in {(c.release, c.file) for c in reply.citations}:
                session.add(TurnCitationRow(turn_id=row.id, release=release, file=file))
            if trace is not None:
                session.add(TurnTraceRow(turn_id=row.id, trace=trace.packed()))
            return row.id

    def turns(self, conversation: str) -> tuple[KeptTurn, ...]:
        """The turns of a conversation, oldest first."""
        kept = TurnRow.question, TurnRow.answer, TurnRow.id, TurnRow.created
        own = ConversationRow.id == conversation, ConversationRow.owner == self.owner
        turns = select(*kept).select_from(ConversationRow).outerjoin(ConversationRow.said)
        with self.database.reading() as session:
            rows = session.execute(turns.where(*own).order_by(TurnRow.position)).all()
        if not rows:
            raise _unknown(conversation)
        return tuple(
            KeptTurn(question, Reply.model_validate(answer), *of)
            for question, answer, *of in rows
            if answer is not None
        )

    def reply(self, turn: int) -> Reply | None:
        """The reply of one of the person's turns; None where they have no such turn."""
        with self.database.reading() as session:
            row = session.get(TurnRow, turn)
            if row is None or row.owner != self.owner:
                return None
            return Reply.model_validate(row.answer)

    def own(self, session: Session, conversation: str, *options: ORMOption) -> ConversationRow:
        """A conversation within a transaction; raises UnknownConversation for another's."""
        row = session.get(ConversationRow, conversation, options=options)
        if row is None or row.owner != self.owner:
            raise _unknown(conversation)
        return row


def _unknown(conversation: str) -> UnknownConversation:
    return UnknownConversation(
        "There is no conversation {conversation!r}.", conversation=conversation
    )


def release_spoken_of(replies: Iterable[Reply]) -> tuple[str, str] | None:
    """The product and release that a conversation has come to, which its next question is about.

    None where no reply is from another release than the latest.
    """
    named = [
        (reply.product, reply.release)
        for reply in replies
        if reply.product and reply.release and reply.release_status != "latest"
    ]
    return named[-1] if named else None


def forget_turns_of(session: Session, conversations: Collection[str]) -> None:
    """Remove the saved answers made of the turns of conversations that are about to be deleted."""
    own = select(TurnRow.id).where(TurnRow.conversation_id.in_(conversations))
    Stores.forget_turns(session, own)


def _title(title: str) -> str:
    return " ".join(title.split())[:LONGEST_TITLE]


def turns_with(session: Session, wanted: str) -> Select[int] | None:
    """Return a query for the ids of turns that hold every word wanted, the last one as a prefix.

    They are those of all people. None where nothing is wanted: words are letters and digits,
    whatever stands between them.
    """
    words = _WORD.findall(wanted)[:MOST_WORDS]
    if not words:
        return None
    if session.get_bind().dialect.name == "postgresql":
        # Words of letters and digits alone are no operators of a query.
        query = func.to_tsquery("simple", " & ".join(words) + ":*")
        held = func.to_tsvector("simple", TurnTextRow.text).bool_op("@@")(query)
        return select(TurnTextRow.turn_id).where(held)
    # Quoted, so that no word is an operator of FTS5.
    wanted = " ".join(f'"{word}"' for word in words) + "*"
    matching: Select[int] = select(literal_column("rowid", Integer)).select_from(
        text("turn_search")
    )
    return matching.where(text("turn_search MATCH :wanted").bindparams(wanted=wanted))
