"""How far a question is, from the events of its chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from ui.wording.step_names import step_name

if TYPE_CHECKING:
    from chatbot.runtime.events import Event

_COMPARISON = "comparison"
_RELEASE = "release_extraction"
_ANSWER = "answer_generation"


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
    `found` is what the steps that are done came to, without those for one release of several.
    `on_other_server` says that another server answers it, of which no more is known.
    """

    state: State = State.RUNNING
    place: int = 0
    running: tuple[str, ...] = ()
    found: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    stopping: bool = False
    refused: bool = False
    on_other_server: bool = False
    message: str = ""

    def after(self, event: Event) -> Progress:
        """The progress once an event was heard."""
        from chatbot.runtime.events import StepFinished, StepStarted, Token, Waiting

        match event:
            case Waiting(place):
                return replace(self, place=place)
            case StepStarted(step):
                running = (*self.running, step)
                # Where another release is asked, what was written for the first is no answer.
                written = "" if step == _ANSWER else self.written
                return replace(self, place=0, running=running, written=written)
            case StepFinished(step, found):
                running = _without(self.running, step)
                told = {} if _COMPARISON in running or not found else {step: found}
                return replace(self, running=running, found={**self.found, **told})
            # The answers for the releases of a comparison are written at once, word by word.
            case Token(text) if _COMPARISON not in self.running:
                return replace(self, written=self.written + text)
        return self

    @property
    def is_running(self) -> bool:
        """Whether it is still on its way."""
        return self.state is State.RUNNING

    @property
    def now(self) -> str:
        """What is being done, in a plain line: "Searching the 17.20 documentation…"."""
        if self.place:
            return f"Waiting: {self.place} in line…"
        if not self.running:
            return "One moment…"
        # Of a comparison, whose steps run for every release at once, itself is told.
        step = self.running[0]
        release, found = self.found.get(_RELEASE), self.found.get("context_retrieval")
        told = step_name(step)
        if step == "context_retrieval" and release:
            told = f"searching the {release} documentation"
        elif step == "context_reduction" and found:
            told = f"reading {found}"
        elif step == _COMPARISON and release:
            told = f"comparing {release}"
        return f"{told[:1].upper()}{told[1:]}…"


def _without(steps: Sequence[str], step: str) -> tuple[str, ...]:
    """The steps without the last of that name; a question that was stopped has none any more."""
    if step not in steps:
        return tuple(steps)
    at = len(steps) - 1 - steps[::-1].index(step)
    return (*steps[:at], *steps[at + 1 :])
