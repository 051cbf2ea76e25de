"""Answering in a process of its own, so that no page that is drawn holds up a question.

One interpreter computes for one thread at a time: where ten people ask at once, their pages would
be drawn while their questions have yet to reach the model. `AnsweredElsewhere` is the chatbot of
the process that has the pages, `main` the process that answers. Each question has a connection of
its own: it brings what is asked, the events as they come, and the outcome; whatever the asker sends
after the question, or the end of the connection, stops it.
"""

import logging
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from signal import SIGTERM, signal
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
from chatbot.text.languages import gettext, language, load_translations, spoken
from chatbot.turn import Turn
from corpora.database.sight import Sight
from ingestion.errors import StrataError

_log = logging.getLogger(__name__)
LOG_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_POLL_SECONDS = 0.1
_STOPS_WITHIN, _STARTS_WITHIN = 5.0, 120.0
"""Seconds; what takes longer hangs, and is not waited for."""
_START = "import sys; sys.path[:] = sys.argv[2:]; from ui.serving.answering import main; main()"
_Asked = tuple[Sight | None, str, str, dict[str, Any]]
"""What the asker sees, a method of the chatbot, its question and its options."""


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

    def call(self, asked: _Asked, listener: Listener, stopped: Callable[[], bool]) -> Any:
        """What a method of the chatbot returns there.

        Raises its errors, AnsweringEnded, and Stopped, also where a stop is not heard in time.
        """
        ours, theirs = Pipe()
        with ours:
            try:
                with theirs, self._starting:
                    child, door = self.start()
                    send_handle(door, theirs.fileno(), child.pid)
                ours.send(asked)
                stopped_at: float | None = None
                while True:
                    if stopped_at is None and stopped():
                        stopped_at = time.monotonic()
                        ours.send(None)
                    if ours.poll(_POLL_SECONDS):
                        told: Event | _Outcome = ours.recv()
                        if isinstance(told, _Outcome):
                            break
                        listener(told)
                    elif stopped_at and time.monotonic() > stopped_at + _STOPS_WITHIN:
                        raise Stopped
            except (EOFError, OSError) as error:
                raise AnsweringEnded(
                    gettext("The process that answers questions has ended. Ask again.")
                ) from error
        if told.error is not None:
            raise told.error
        return told.returned

    def start(self) -> tuple[Popen[bytes], Connection]:
        """Start it where it does not run, and wait until it answers.

        Returns it, and the connection that questions come by. Raises EOFError or OSError.
        """
        if self._child is not None:
            if (code := self._child[0].poll()) is None:
                return self._child
            _log.warning("the process that answers questions has ended with the code %d", code)
        ours, theirs = Pipe()
        with theirs:
            child = Popen(
                [sys.executable, "-c", _START, str(theirs.fileno()), *sys.path],
                stdin=DEVNULL,
                # A key of the terminal that ends the pages does not end it before them.
                start_new_session=True,
                pass_fds=[theirs.fileno()],
            )
        self._child = child, ours
        ours.send(self._settings)
        if not ours.poll(_STARTS_WITHIN):
            child.kill()
        ours.recv()
        return self._child


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
        load_translations()
        let_last()
        # Where it ends at once, the first question reports that.
        with suppress(EOFError, OSError):
            self.process.start()

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

    try:
        sight, method, question, options = connection.recv()
        if method == "ask":
            options["listener"] = send
        with spoken(options["language"]):
            answer = getattr(chatbot.limited(sight), method)
            send(_Outcome(answer(question, **options, stopped=connection.poll)))
    except EOFError:
        _log.info("a question was taken back before it was read")
    except Exception as error:  # noqa: BLE001 - whatever fails, the asker is told
        known = isinstance(error, StrataError | Stopped)
        # An error of a library may be one that no other process can be sent.
        told = error if known else RuntimeError(f"{type(error).__name__}: {error}")
        told.add_note(traceback.format_exc())
        send(_Outcome(error=told))
    finally:
        # What still speaks of this question must not speak to whose connection has its number next.
        with sending:
            connection.close()


def main() -> None:
    """Answer what comes in by a door, until whoever has its other side ends."""
    logging.basicConfig(format=LOG_FORMAT)
    # The other process is told to end, and this one ends after it. What it starts is not deaf.
    signal(SIGTERM, lambda *_: None)
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
