"""Questions that are being answered, each in a thread of its own, so that a page can watch."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ui.failures import expected_failures
from ui.progress import Progress, State

if TYPE_CHECKING:
    from chatbot.assembly import Chatbot
    from chatbot.events import Event

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """What was asked, in which conversation, and after how many of its other questions."""

    text: str
    conversation: str
    after: int
    product: str | None = None
    release: str | None = None


class Asking:
    """One question on its way; an answer is kept in its conversation, anything else here.

    It waits for the end of the question `before` it, whose answer it may follow up. The thread
    touches nothing of Streamlit: a page looks at `progress` whenever it likes.
    """

    def __init__(self, chatbot: Chatbot, question: Question, before: Asking | None = None) -> None:
        self.question = question
        self._before = before
        self._chatbot = chatbot
        self._lock = threading.Lock()
        self._progress = Progress()
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="question", daemon=True)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    @property
    def progress(self) -> Progress:
        """How far it is now."""
        with self._lock:
            return self._progress

    @property
    def is_running(self) -> bool:
        """Whether it is still on its way."""
        return self.progress.state is State.RUNNING

    def stop(self) -> None:
        """Give it up; it ends at the next step or token."""
        self._stop.set()
        self._change(lambda p: replace(p, stopping=p.state is State.RUNNING))

    def wait(self, seconds: float) -> Progress:
        """Wait for its end, at most so long."""
        self._thread.join(seconds)
        return self.progress

    def _run(self) -> None:
        from chatbot.assembly import BadQuestion
        from chatbot.events import Stopped

        asked = self.question
        while self._before and self._before.is_running and not self._stop.is_set():
            self._before.wait(0.1)
        self._before = None
        if self._stop.is_set():
            self._end(State.STOPPED)
            return
        try:
            self._chatbot.ask(
                asked.text,
                product=asked.product,
                release=asked.release,
                conversation=asked.conversation,
                listener=self._listen,
                stopped=self._stop.is_set,
            )
        except Stopped:
            self._end(State.STOPPED)
        except BadQuestion as error:
            self._end(State.FAILED, str(error), refused=True)
        except expected_failures() as error:
            self._end(State.FAILED, str(error))
        except Exception as error:  # noqa: BLE001 - whatever fails, the question is kept
            _log.exception("a question failed")
            self._end(
                State.FAILED,
                f"Strata failed on this question ({type(error).__name__}); the log of the server "
                "says where. The question is kept.",
            )
        else:
            self._end(State.ANSWERED)

    def _listen(self, event: Event) -> None:
        self._change(lambda p: p.after(event))

    def _end(self, state: State, message: str = "", *, refused: bool = False) -> None:
        self._change(
            lambda p: replace(p, state=state, message=message, refused=refused, running=())
        )

    def _change(self, change: Callable[[Progress], Progress]) -> None:
        with self._lock:
            self._progress = change(self._progress)


class OpenQuestions:
    """The questions of all conversations that have no answer yet: running, stopped or failed.

    They are held for this process only; what is answered is in the database.
    """

    def __init__(self, chatbot: Chatbot) -> None:
        self._chatbot = chatbot
        self._lock = threading.Lock()
        self._open: list[Asking] = []

    def ask(self, question: Question) -> Asking:
        """Begin to answer a question; it comes after those of its conversation that still run."""
        with self._lock:
            self._open = [a for a in self._open if a.progress.state is not State.ANSWERED]
            running = [a for a in self._open if _runs_in(a, question.conversation)]
            question = replace(question, after=question.after + len(running))
            asking = Asking(self._chatbot, question, running[-1] if running else None)
            self._open.append(asking)
        asking.start()
        return asking

    def drop(self, asking: Asking) -> None:
        """Forget a question, because it is asked anew."""
        with self._lock:
            self._open = [a for a in self._open if a is not asking]

    def of(self, conversation: str) -> tuple[Asking, ...]:
        """The open questions of a conversation, oldest first."""
        with self._lock:
            return tuple(
                a
                for a in self._open
                if a.question.conversation == conversation
                and a.progress.state is not State.ANSWERED
            )


def _runs_in(asking: Asking, conversation: str) -> bool:
    return asking.is_running and asking.question.conversation == conversation
