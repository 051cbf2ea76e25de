"""How far a question is, from the events of its chain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ui.step_names import step_name

if TYPE_CHECKING:
    from chatbot.events import Event

_COMPARISON = "comparison"
_PASSED_THROUGH = frozenset({"clarification", "inventory", _COMPARISON})
"""Steps that leave most questions as they are, so that their end says nothing."""


class State(StrEnum):
    """What has become of a question."""

    RUNNING = "running"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True)
class Progress:
    """How far a question is: its place in the queue, its steps, what the model wrote.

    `place` counts from 1, the next to be answered; 0 once its turn has come. `running` are the
    steps that run, the outermost first: a comparison runs others for all its releases at once.
    """

    state: State = State.RUNNING
    place: int = 0
    done: tuple[str, ...] = ()
    running: tuple[str, ...] = ()
    written: str = ""
    stopping: bool = False
    refused: bool = False
    message: str = ""

    def after(self, event: Event) -> Progress:
        """The progress once an event was heard."""
        from chatbot.events import StepFinished, StepStarted, Token, Waiting

        match event:
            case Waiting(place):
                return replace(self, place=place)
            case StepStarted(step):
                return replace(self, place=0, running=(*self.running, step))
            case StepFinished(step):
                running = _without(self.running, step)
                return replace(self, done=(*self.done, step), running=running)
            # The answers for the releases of a comparison are written at once, word by word.
            case Token(text) if _COMPARISON not in self.running:
                return replace(self, written=self.written + text)
        return self

    @property
    def now(self) -> str:
        """What is being done, for people: "comparing releases: searching"; empty for nothing."""
        if self.place:
            return f"waiting, place {self.place} in the queue"
        ends = dict.fromkeys((*self.running[:1], *self.running[-1:]))
        return ": ".join(step_name(step) for step in ends)

    @property
    def finished(self) -> tuple[str, ...]:
        """The names of the steps that are done, for people."""
        over = (s for s in self.done if s not in _PASSED_THROUGH and s not in self.running)
        return tuple(dict.fromkeys(step_name(step) for step in over))


def _without(steps: Sequence[str], step: str) -> tuple[str, ...]:
    """The steps without the last of that name."""
    at = len(steps) - 1 - steps[::-1].index(step)
    return (*steps[:at], *steps[at + 1 :])
