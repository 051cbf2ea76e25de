"""Answering in a process of its own, so that no page that is drawn holds up a question.

One interpreter computes for one thread at a time: where ten people ask at once, their pages would
be drawn while their questions have yet to reach the model. `AnsweredElsewhere` is the chatbot of
the process that has the pages, `main` the process that answers. Each question has a connection of
its own: it brings what is asked, the events as they come, and the outcome; whatever the asker sends
after the question, or the end of the connection, stops it.
"""

import logging
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from signal import SIG_IGN, SIGTERM, signal
from subprocess import DEVNULL, Popen
from threading import Lock, Thread
from typing import Any

from chatbot.assembly import open_chatbot
from chatbot.chatbot import AnsweredTurn, Chatbot
from chatbot.errors import AnsweringEnded
from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Listener
from chatbot.runtime.lasting import let_last
from chatbot.settings import Settings
from chatbot.text.languages import gettext, language, load_translations
from chatbot.turn import Turn
from corpora.database.sight import Sight
from ingestion.errors import StrataError

LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_POLL_SECONDS = 0.1
_START = "import sys; sys.path[:] = sys.argv[2:]; from ui.serving.answering import main; main()"
_Asked = tuple[Sight | None, str, str, dict[str, Any]]


@dataclass(frozen=True)
class _Outcome:
    """What a method of the chatbot returned, or why it failed."""

    returned: Any = None
    error: Exception | None = None


class AnsweringProcess:
    """The process that answers; where it has ended, the next question starts it again."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._starting = Lock()
        self._child: tuple[Popen[bytes], Connection] | None = None

    def call(
        self, asked: _Asked, listener: Listener, stopped: Callable[[], bool] = lambda: False
    ) -> Any:
        """What a method of the chatbot returns there; raises its errors, and AnsweringEnded."""
        ours, theirs = Pipe()
        with ours:
            try:
                with theirs:
                    self._hand_over(theirs)
                ours.send(asked)
                is_stopped = False
                while True:
                    if not is_stopped and (is_stopped := stopped()):
                        ours.send(None)
                    if not ours.poll(_POLL_SECONDS):
                        continue
                    told: Event | _Outcome = ours.recv()
                    if isinstance(told, _Outcome):
                        break
                    listener(told)
            except (EOFError, OSError) as error:
                raise AnsweringEnded(
                    gettext("The process that answers questions has ended. Ask again.")
                ) from error
        if told.error is not None:
            raise told.error
        return told.returned

    def start(self) -> tuple[Popen[bytes], Connection]:
        """Start it where it does not run; it and the connection that questions come by."""
        if self._child is None or self._child[0].poll() is not None:
            ours, theirs = Pipe()
            with theirs:
                child = Popen(
                    [sys.executable, "-c", _START, str(theirs.fileno()), *sys.path],
                    stdin=DEVNULL,
                    # Who stops the pages by the keyboard lets what is being answered be finished.
                    start_new_session=True,
                    pass_fds=[theirs.fileno()],
                )
            ours.send(self._settings)
            self._child = child, ours
        return self._child

    def wait(self) -> None:
        """Wait until it answers; where it ends before, the first question reports that."""
        with suppress(EOFError):
            self.start()[1].recv()

    def _hand_over(self, connection: Connection) -> None:
        with self._starting:
            child, door = self.start()
            send_handle(door, connection.fileno(), child.pid)


@dataclass(frozen=True, kw_only=True)
class AnsweredElsewhere(Chatbot):
    """A chatbot whose questions and searches another process answers."""

    process: AnsweringProcess

    def ask(self, question: str, **options: Any) -> AnsweredTurn:
        """As `Chatbot.ask`; raises also AnsweringEnded."""
        answered: AnsweredTurn = self._call("ask", question, **options)
        return answered

    def search(self, question: str, **options: Any) -> Turn:
        """As `Chatbot.search`; raises also AnsweringEnded."""
        found: Turn = self._call("search", question, **options)
        return found

    def warm_up(self) -> None:
        """Have the other process load what the first question would wait for."""
        self.process.start()
        load_translations()
        let_last()
        self.process.wait()

    def _call(
        self,
        method: str,
        question: str,
        listener: Listener = lambda event: None,
        stopped: Callable[[], bool] = lambda: False,
        **options: Any,
    ) -> Any:
        options["language"] = options.get("language") or language()
        sight = self.database.sight
        # A copy: what one has computed for its statements cannot be sent.
        asked = sight and replace(sight), method, question, options
        return self.process.call(asked, listener, stopped)


def answered_elsewhere(chatbot: Chatbot) -> AnsweredElsewhere:
    """The same chatbot, with a process of its own that answers."""
    parts = {field.name: getattr(chatbot, field.name) for field in fields(chatbot)}
    return AnsweredElsewhere(**parts, process=AnsweringProcess(chatbot.settings))


def _answer(chatbot: Chatbot, connection: Connection) -> None:
    sending = Lock()

    def send(told: Event | _Outcome) -> None:
        # Whoever does not listen any more has stopped the question by that.
        with sending, suppress(OSError):
            connection.send(told)

    with connection:
        sight, method, question, options = connection.recv()
        if method == "ask":
            options["listener"] = send
        answer = getattr(chatbot.limited(sight), method)
        try:
            outcome = _Outcome(answer(question, **options, stopped=connection.poll))
        except Exception as error:  # noqa: BLE001 - whatever fails, the asker is told
            known = isinstance(error, StrataError | Stopped)
            # An error of a library may be one that no other process can be sent.
            told = error if known else RuntimeError(f"{type(error).__name__}: {error}")
            told.add_note(traceback.format_exc())
            outcome = _Outcome(error=told)
        send(outcome)


def main() -> None:
    """Answer what comes in by a door, until whoever has its other side ends."""
    logging.basicConfig(format=LOG_FORMAT)
    # The other process is told to end, and this one ends after it.
    signal(SIGTERM, SIG_IGN)
    door = Connection(int(sys.argv[1]))
    chatbot = open_chatbot(door.recv())
    chatbot.warm_up()
    door.send("ready")
    while True:
        try:
            connection = Connection(recv_handle(door))
        except (EOFError, OSError):
            return
        Thread(target=_answer, args=[chatbot, connection], name="question", daemon=True).start()
