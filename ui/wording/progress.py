"""How far a question is, from the events of its chain, and what the steps of that are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from chatbot.turn import Fallback

if TYPE_CHECKING:
    from chatbot.runtime.events import Event

_COMPARISON = "comparison"
_RELEASE = "release_extraction"
_ANSWER = "answer_generation"
_NAMES = {
    "clarification": "reading the conversation",
    "small_talk": "reading the question",
    "off_topic": "reading the question",
    "spelling": "reading the question",
    "inventory": "checking the list of releases",
    "release_extraction": "finding the release",
    "comparison": "comparing the releases",
    "query_rewriting": "preparing the search",
    "memory": "looking for a saved answer",
    "glossary_expansion": "looking up terms",
    "context_retrieval": "searching the documentation",
    "context_reduction": "reading what was found",
    "context_selection": "choosing the best passages",
    "undocumented_gate": "checking what was found",
    "memory_of_passage": "looking for a saved answer",
    "answer_generation": "writing the answer",
    "elsewhere": "searching other releases",
}


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
        if self.stopping:
            return "Stopping…"
        if self.on_other_server:
            return "Another server is answering this…"
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


def step_name(step: str) -> str:
    """What a step is called; one that is not known by its own name."""
    return _NAMES.get(step, step.replace("_", " "))


def done_without_model(fallbacks: Iterable[Fallback]) -> list[tuple[str, str]]:
    """What the steps are called that a reply's `fallbacks` name, with the reasons, each once."""
    return list(dict.fromkeys((step_name(f.step), f.reason) for f in fallbacks))
