"""What a system is for a run: something that answers questions and shows what it answered from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from chatbot.reply import Reply, Trace
from eval.runs.folder import ContextText, FoundPage

History = Sequence[tuple[str, str]]
Stopped = Callable[[], bool]


@dataclass(frozen=True)
class Answered:
    """A reply, what generation was given, and the pages that were found, each best first.

    `opaque`: the system shows neither.
    """

    reply: Reply
    context: tuple[ContextText, ...] = ()
    retrieved: tuple[FoundPage, ...] = ()
    trace: Trace | None = None
    opaque: bool = False


class System(Protocol):
    """Something that answers; safe to share between threads."""

    def answer(self, question: str, product: str, history: History, stopped: Stopped) -> Answered:
        """Answer as if a user had typed it. Raises StrataError, and Stopped."""
