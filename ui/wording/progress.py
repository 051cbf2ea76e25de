"""The progress of a question, from the events of its chain."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chatbot.conversations.open_questions import State
from chatbot.text.languages import gettext
from chatbot.text.step_names import step_name
from chatbot.turn import Fallback, Remembered

if TYPE_CHECKING:
    from chatbot.runtime.events import Event

_COMPARISON = "comparison"
_RELEASES = ("question_reading", "release_extraction")
_ANSWER = "answer_generation"
_STAGES = {
    **dict.fromkeys(("release_extraction", "query_rewriting", "memory", "glossary_expansion"), 1),
    **dict.fromkeys(("context_retrieval", "single_chunk_retrieval"), 2),
    **dict.fromkeys(("context_reduction", "context_selection", "undocumented_gate"), 3),
    _ANSWER: 4,
}
"""How far a question is when a step begins; a step that is not listed is no further."""
_OTHER_RELEASES = 5


@dataclass(frozen=True)
class QuestionProgress:
    """The progress of a question: its place in the queue, its steps, the text written so far.

    `place` counts from 1, which is answered next, and is 0 from then on. `running` are the steps
    that run, the outermost first: a comparison runs others for all its releases at once. `results`
    are those of the finished steps, without those that ran for one release of a comparison. `stage`
    only grows, and stands still while releases are compared.
    `offer` is a saved question that may ask the same.
    `on_other_server` is set where another server answers it; no more is known then.
    """

    state: State = State.RUNNING
    place: int = 0
    running: tuple[str, ...] = ()
    stage: int = 0
    comparing: bool = False
    results: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    offer: Remembered | None = None
    refused: bool = False
    on_other_server: bool = False
    message: str = ""

    def after(self, event: Event) -> QuestionProgress:
        """The progress after an event."""
        from chatbot.runtime.events import Offered, StepFinished, StepStarted, Token, Waiting

        match event:
            case Waiting(place):
                return replace(self, place=place)
            case StepStarted(step):
                running = (*self.running, step)
                # When another release is tried, what was written for the first is no answer.
                written = "" if step == _ANSWER else self.written
                if _COMPARISON in self.running:
                    return replace(self, running=running, comparing=True, written=written)
                stage = _STAGES.get(step, 0)
                if stage == _STAGES["context_retrieval"] and self.stage >= _STAGES[_ANSWER]:
                    stage = _OTHER_RELEASES
                stage = max(stage, self.stage)
                return replace(self, place=0, running=running, stage=stage, written=written)
            case StepFinished(step, found):
                running = _without(self.running, step)
                release_of = {} if _COMPARISON in running or not found else {step: found}
                results = {**self.results, **release_of}
                comparing = self.comparing and _COMPARISON in running
                return replace(self, running=running, comparing=comparing, results=results)
            # Where each release of a comparison is answered, all are written at once, word by word.
            case Token(text) if not {_COMPARISON, _ANSWER} <= {*self.running}:
                return replace(self, written=self.written + text)
            case Offered(pairs) if _COMPARISON not in self.running:
                return replace(self, offer=pairs[0])
        return self

    @property
    def is_running(self) -> bool:
        """Whether the question is still being answered."""
        return self.state.is_running

    @property
    def now(self) -> str:
        """What is being done as plain text: "Searching the 17.20 documentation…"."""
        if self.state is State.STOPPING:
            return gettext("Stopping…")
        if self.on_other_server:
            return gettext("Another server is answering this…")
        if self.place:
            return gettext("Waiting: {place} in line…", place=self.place)
        release = next(filter(None, map(self.results.get, _RELEASES)), "")
        if self.comparing:
            return gettext("Comparing {releases}…", releases=release)
        found = self.results.get("context_retrieval")
        return (
            gettext("Reading the question…"),
            gettext("Preparing the search…"),
            gettext("Searching the {release} documentation…", release=release)
            if release
            else gettext("Searching the documentation…"),
            gettext("Reading {found}…", found=found)
            if found
            else gettext("Reading what was found…"),
            gettext("Writing the answer…"),
            gettext("Searching the other releases…"),
        )[self.stage]


def _without(steps: Sequence[str], step: str) -> tuple[str, ...]:
    """The steps without the last one of that name, if any: a stopped question has none."""
    if step not in steps:
        return tuple(steps)
    at = len(steps) - 1 - steps[::-1].index(step)
    return (*steps[:at], *steps[at + 1 :])


def without_models(fallbacks: Iterable[Fallback]) -> list[tuple[str, str]]:
    """The names of the steps in a reply's `fallbacks`, with the reasons, each once."""
    return list(dict.fromkeys((step_name(f.step), f.reason) for f in fallbacks))
