"""Questions without an answer yet, kept in SQL so that none is lost with its server."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from uuid import uuid4

from sqlalchemy import ColumnElement, delete, select, update
from sqlalchemy.orm import Session, joinedload, selectinload

from chatbot.conversations.conversations import Conversations
from chatbot.text.languages import gettext_noop
from corpora.database.engine import Database
from corpora.database.history_tables import ConversationRow, OpenQuestionRow, TurnRow
from corpora.generations.processes import is_alive, this_process

WITH_ITS_SERVER = gettext_noop("The server was restarted.")


class State(StrEnum):
    """The state of an open question; an answered one is no longer kept here."""

    RUNNING = "running"
    STOPPING = "stopping"
    STOPPED = "stopped"
    FAILED = "failed"
    ANSWERED = "answered"

    @property
    def is_running(self) -> bool:
        """Whether a server is still answering it."""
        return self in (State.RUNNING, State.STOPPING)


_FIELDS = ("text", "product", "release", "instead_of", "afresh")
_RUNNING = tuple(state for state in State if state.is_running)


@dataclass(frozen=True)
class Question:
    """A question in a conversation, or one that begins a conversation.

    Its answer replaces the turn `instead_of` and all after it; `afresh` asks for one without the
    memory, `same_as` for that of a saved question. `language` is that of the page. Neither of the
    last two is kept.
    """

    text: str
    conversation: str
    owner: str = ""
    product: str | None = None
    release: str | None = None
    instead_of: int | None = None
    afresh: bool = False
    same_as: int | None = None
    language: str | None = None


@dataclass(frozen=True)
class OpenQuestion:
    """A question without an answer, `after` so many turns of its conversation.

    `refused` says that it cannot be answered as it is, `message` why.
    """

    id: str
    question: Question
    after: int
    state: State = State.RUNNING
    message: str = ""
    refused: bool = False
    server: str = ""


@dataclass(frozen=True)
class OpenQuestions:
    """The open questions of all conversations; one whose process is gone counts as stopped."""

    database: Database
    server: str = field(default_factory=this_process)

    def add(self, question: Question, identity: str = "") -> OpenQuestion:
        """Store a question that this process begins to answer; one of no conversation begins one.

        It comes after the turns of its conversation and the questions that still run there. A turn
        that has left the conversation, or has questions running after it, is not replaced. Raises
        UnknownConversation.
        """
        now, after, replaced = datetime.now(UTC), 0, None
        with self.database.writing() as session:
            own = Conversations(self.database, question.owner)
            conversation = question.conversation
            if not conversation:
                conversation = own.begin(session, question.product, question.text)
            else:
                ids = selectinload(ConversationRow.said).load_only(TurnRow.id)
                turns = [turn.id for turn in own.own(session, conversation, ids).said]
                running = sum(q.state.is_running for q in self._of(session, conversation))
                after = len(turns) + running
                if question.instead_of in turns and not running:
                    replaced = question.instead_of
                    after = turns.index(replaced) + 1
                    tried = OpenQuestionRow.instead_of == replaced
                    session.execute(delete(OpenQuestionRow).where(tried))
            question = replace(question, conversation=conversation, instead_of=replaced)
            row = OpenQuestionRow(
                id=identity or uuid4().hex,
                conversation_id=question.conversation,
                after=after,
                state=State.RUNNING,
                message="",
                refused=False,
                server=self.server,
                seen=now,
                created=now,
                **{name: getattr(question, name) for name in _FIELDS},
            )
            session.add(row)
            session.flush()
            return self._open(row, question.owner)

    def of(self, conversation: str, owner: str) -> tuple[OpenQuestion, ...]:
        """The open questions of a person's conversation, oldest first; none of another's."""
        with self.database.reading() as session:
            questions = self._of(session, conversation)
        return tuple(open_ for open_ in questions if open_.question.owner == owner)

    def end(self, identity: str, state: State, message: str = "", *, refused: bool = False) -> None:
        """Mark a question as stopped or failed; it is kept, so that it can be asked again."""
        self._set(identity, state=state, message=message, refused=refused)

    def stop(self, identity: str) -> None:
        """Ask whichever process answers a question to stop."""
        self._set(identity, OpenQuestionRow.state == State.RUNNING, state=State.STOPPING)

    def remove(self, identity: str) -> None:
        """Delete a question."""
        with self.database.writing() as session:
            session.execute(delete(OpenQuestionRow).where(OpenQuestionRow.id == identity))

    def wanted(self) -> frozenset[str]:
        """Note that this process is alive; return its questions that were not stopped."""
        row = OpenQuestionRow
        own = row.server == self.server
        seen = update(row).where(own, row.state.in_(_RUNNING)).values(seen=datetime.now(UTC))
        wanted = select(row.id).where(own, row.state == State.RUNNING)
        with self.database.writing() as session:
            session.execute(seen)
            return frozenset(session.scalars(wanted))

    def _set(self, identity: str, *where: ColumnElement[bool], **values: object) -> None:
        of_question = update(OpenQuestionRow).where(OpenQuestionRow.id == identity, *where)
        with self.database.writing() as session:
            session.execute(of_question.values(values))

    def _of(self, session: Session, conversation: str) -> list[OpenQuestion]:
        rows = (
            select(OpenQuestionRow)
            .where(OpenQuestionRow.conversation_id == conversation)
            .options(joinedload(OpenQuestionRow.conversation))
            .order_by(OpenQuestionRow.created, OpenQuestionRow.id)
        )
        return [self._open(row, row.conversation.owner) for row in session.scalars(rows)]

    def _open(self, row: OpenQuestionRow, owner: str) -> OpenQuestion:
        state, message = State(row.state), row.message
        is_here = row.server == self.server or is_alive(row.server, row.seen)
        if state.is_running and not is_here:
            state, message = State.STOPPED, WITH_ITS_SERVER
        fields = {name: getattr(row, name) for name in _FIELDS}
        question = Question(conversation=row.conversation_id, owner=owner, **fields)
        return OpenQuestion(row.id, question, row.after, state, message, row.refused, row.server)
