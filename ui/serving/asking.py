"""Questions that are being answered, each in its own thread, while pages watch."""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from uuid import uuid4

from sqlalchemy.exc import SQLAlchemyError

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import OpenQuestion, OpenQuestions, Question, State
from chatbot.errors import BadQuestion
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, ModelAsked, Waiting
from chatbot.text.languages import spoken
from corpora.errors import UnusableDatabase
from corpora.generations.processes import HEARTBEAT_SECONDS
from ui.wording.failures import message_for
from ui.wording.progress import QuestionProgress

_log = logging.getLogger(__name__)
_MOST_KEPT = 100_000
"""Characters of a question that has no answer yet."""
_STOPS_WITHIN = 5.0
"""Seconds; what writes on without stopping answers its question."""


@dataclass(frozen=True)
class Pending:
    """An open question and its progress; it comes after so many turns of its conversation."""

    id: str
    question: Question
    after: int
    progress: QuestionProgress


@dataclass(eq=False)
class RunningQuestion:
    """A question that this process answers.

    It waits for the question `before` it, whose answer it may follow up. Its thread does not use
    Streamlit: a page reads `progress` whenever it likes. `chatbot` is what its asker sees.
    """

    id: str
    question: Question
    chatbot: Chatbot
    before: "RunningQuestion | None"
    progress: QuestionProgress = field(default_factory=QuestionProgress)
    stopped: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)
    speaks: threading.Event = field(default_factory=threading.Event)
    waits: threading.Event = field(default_factory=threading.Event)
    _changing: threading.Lock = field(default_factory=threading.Lock)

    def stop(self) -> None:
        """Stop it: its state changes at once, its thread ends at the next step or token."""
        self.stopped.set()
        self.change(lambda p: replace(p, state=State.STOPPED, running=()) if p.is_running else p)

    def wait(self, seconds: float) -> QuestionProgress:
        """Wait until it ends, at most so many seconds; return its progress."""
        self.ended.wait(seconds)
        return self.progress

    def change(self, change: Callable[[QuestionProgress], QuestionProgress]) -> None:
        """Change its progress."""
        with self._changing:
            self.progress = change(self.progress)
            if self.progress.written or not self.progress.is_running:
                self.speaks.set()
                self.waits.set()

    def hear(self, event: Event) -> None:
        """Take an event of its chain into its progress."""
        if isinstance(event, ModelAsked | Waiting):
            self.waits.set()
        self.change(lambda p: p.after(event))


class QuestionRunner:
    """The questions of all conversations that have no answer yet: running, stopped or failed.

    They are rows in SQL. The progress of those that this process answers is that of their threads;
    a second thread writes a heartbeat every few seconds, and stops a question nobody wants.
    """

    def __init__(self, chatbot: Chatbot) -> None:
        self._chatbot = chatbot
        self._kept = OpenQuestions(chatbot.database)
        self._asking = threading.Lock()
        self._here: dict[str, RunningQuestion] = {}
        """Those that this process answers; copying, setting and popping are each atomic."""

    def ask(self, question: Question, chatbot: Chatbot) -> RunningQuestion:
        """Begin to answer a question from what its asker sees, which is a `chatbot` of theirs.

        It comes after those of its conversation that still run.

        Raises UnknownConversation.
        """
        identity = uuid4().hex
        # What is longer is refused; a page need not make us keep all of it.
        question = replace(question, text=question.text[:_MOST_KEPT])
        with self._asking:
            here = reversed(self._here.copy().values())
            before = (a for a in here if a.question.conversation == question.conversation)
            running = self._here[identity] = RunningQuestion(
                identity, question, chatbot, next(before, None)
            )
            try:
                kept = self._kept.add(question, identity).question
                running.question = replace(
                    kept, same_as=question.same_as, language=question.language
                )
            except BaseException:
                self._here.pop(identity)
                raise
            for work in (self._answer, self._heartbeat):
                threading.Thread(target=work, args=[running], name="question", daemon=True).start()
        return running

    def of(self, conversation: str, owner: str) -> tuple[Pending, ...]:
        """The open questions of a person's conversation, oldest first; none of another's."""
        # A question is added here before its row, and removed after it.
        here = self._here.copy()
        kept = self._kept.of(conversation, owner)
        here |= self._here.copy()
        shown = [Pending(q.id, q.question, q.after, self._progress(q, here)) for q in kept]
        return tuple(p for p in shown if p.progress.state is not State.ANSWERED)

    def wait_for_words(self, identity: str, seconds: float) -> None:
        """Wait for the first words of an answer, or its end, if this process writes it."""
        if running := self._here.get(identity):
            running.speaks.wait(seconds)

    def let_begin(self, seconds: float) -> None:
        """Wait until each question here waits for a model, or for others; at most so long.

        A page that is drawn meanwhile would hold up what several people wait for; one person waits
        for nobody.
        """
        end = time.monotonic() + seconds
        while len(here := self._here.copy()) > 1 and (left := end - time.monotonic()) > 0:
            running = next((r for r in here.values() if not r.waits.is_set()), None)
            if running is None:
                return
            running.waits.wait(left)

    def stop(self, identity: str) -> None:
        """Stop a question, whichever process answers it."""
        if running := self._here.get(identity):
            running.stop()
        else:
            self._kept.stop(identity)

    def take_offer(self, identity: str, pair: int) -> None:
        """Answer a question with a saved answer that was offered, in place of a new one.

        What is not answered here any more stays as it is.
        """
        if (running := self._here.get(identity)) is None:
            return
        running.stop()
        running.ended.wait(_STOPS_WITHIN)
        question = running.question
        open_ones = self._kept.of(question.conversation, question.owner)
        if any(open_one.id == identity for open_one in open_ones):
            self.drop(identity)
            self.ask(replace(question, same_as=pair), running.chatbot)

    def drop(self, identity: str) -> None:
        """Forget a question that was stopped or failed."""
        self._kept.remove(identity)

    def _answer(self, running: RunningQuestion) -> None:
        """Answer a question, and keep the outcome in SQL."""
        try:
            self._ask(running)
        except Stopped:
            self._end(running, State.STOPPED)
        except Exception as error:  # noqa: BLE001 - whatever fails, the question is kept
            refused = isinstance(error, BadQuestion)
            with spoken(running.question.language):
                message = message_for(error, self._chatbot.settings)
            self._end(running, State.FAILED, message, refused=refused)
        else:
            running.change(lambda p: replace(p, state=State.ANSWERED, running=()))
        finally:
            self._here.pop(running.id)
            running.ended.set()

    def _ask(self, running: RunningQuestion) -> None:
        if running.before:
            running.waits.set()
        while (
            running.before and running.before.progress.is_running and not running.stopped.is_set()
        ):
            running.before.wait(0.1)
        running.before = None
        if running.stopped.is_set():
            raise Stopped
        question = asdict(running.question)
        with spoken(running.question.language):
            running.chatbot.ask(
                question.pop("text"),
                **question,
                open_question=running.id,
                listener=running.hear,
                stopped=running.stopped.is_set,
            )

    def _end(
        self, running: RunningQuestion, state: State, message: str = "", *, refused: bool = False
    ) -> None:
        """Keep how it ended; if that fails, it counts as stopped once this process is gone."""
        try:
            self._kept.end(running.id, state, message, refused=refused)
        except (SQLAlchemyError, UnusableDatabase):
            _log.exception("the end of a question could not be kept")
        running.change(
            lambda p: replace(p, state=state, message=message, refused=refused, running=())
        )

    def _progress(self, kept: OpenQuestion, here: dict[str, RunningQuestion]) -> QuestionProgress:
        if running := here.get(kept.id):
            return running.progress
        if kept.state.is_running and kept.server == self._kept.server:
            return QuestionProgress(State.STOPPED)
        elsewhere = kept.state.is_running
        return QuestionProgress(
            kept.state, message=kept.message, refused=kept.refused, on_other_server=elsewhere
        )

    def _heartbeat(self, running: RunningQuestion) -> None:
        """Write heartbeats while a question runs; stop it when nobody wants it any more."""
        while True:
            running.wait(HEARTBEAT_SECONDS)
            if running.id not in self._here:
                return
            try:
                wanted = self._kept.wanted()
            except (SQLAlchemyError, UnusableDatabase):
                _log.exception("could not say that this server is still there")
                continue
            if running.id not in wanted:
                running.stop()
