"""A profile: the steps that a question passes, part by part, and the loop that runs them."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import partial
from inspect import iscoroutinefunction
from itertools import groupby
from typing import cast

from chatbot.chain.ahead import begun
from chatbot.runtime.concurrency import end_if_left, in_thread
from chatbot.runtime.events import StepFinished, StepStarted, emit
from chatbot.runtime.spans import span
from chatbot.text.languages import ngettext, shown_list
from chatbot.turn import ModelStep, RuleStep, Step, Turn

Steps = tuple[tuple[str, Step], ...]
"""Named steps in order."""
FALL_BACK = "fall_back"
"""The part that is one step, by the name of the field."""
_MOST_NAMED = 3


def named(**steps: Step | None) -> Steps:
    """The steps by their names, without those that a profile lacks."""
    return tuple((name, step) for name, step in steps.items() if step is not None)


@dataclass(frozen=True)
class Profile:
    """The way of a question (QAMR III-B, figure 3): each part is a few named steps.

    `converse` takes up what needs no documents, `understand` knows product and release, `compute`
    answers from the catalog, the parameters or several releases, `phrase` makes the queries,
    `remember` looks into the memory (ComRAG 4.3), `find` gathers evidence, `check` refuses or asks
    back, `write` answers. `pick` cuts passages out of whole pages, of which an answer is written,
    for a search alone. `fall_back` sees every turn, also one that is answered. `ahead` reads the
    question, too, without a model: from what it understands an answer is begun at once.
    """

    converse: Steps = ()
    understand: Steps = ()
    compute: Steps = ()
    phrase: Steps = ()
    remember: Steps = ()
    find: Steps = ()
    pick: Steps = ()
    check: Steps = ()
    write: Steps = ()
    ahead: Steps = ()
    fall_back: ModelStep | None = None

    @property
    def gather(self) -> Steps:
        """From a release that is known to the evidence for an answer, without the memory."""
        return self.phrase + self.find + self.check

    @property
    def answer_alone(self) -> Steps:
        """The steps that answer from one product, whose releases are known, without the memory."""
        return self.compute + self.gather + self.write

    @property
    def search(self) -> Steps:
        """The steps from a question to the passages that fit."""
        return self.understand + self.phrase + self.find + self.pick

    @property
    def answer_from_release(self) -> Steps:
        """The steps that answer from one release, which is known by then."""
        return self.phrase + self.remember + self.find + self.check + self.write

    def without(self, steps: Collection[str]) -> "Profile":
        """The profile without the steps of these names, for an ablation."""
        parts = {f.name: getattr(self, f.name) for f in fields(self) if f.name != FALL_BACK}
        kept = {
            part: tuple((name, step) for name, step in of if name not in steps)
            for part, of in parts.items()
        }
        return replace(self, **kept, fall_back=None if FALL_BACK in steps else self.fall_back)

    async def answer(self, turn: Turn) -> Turn:
        """The turn with its answer."""
        steps = self.converse + self.understand + self.compute + self.answer_from_release
        if self.ahead:
            async with begun(turn, partial(run, self.ahead), partial(run, self.answer_alone)):
                turn = await run(steps, turn)
        else:
            turn = await run(steps, turn)
        return await self.fall_back(turn) if self.fall_back else turn


async def run(steps: Sequence[tuple[str, Step]], turn: Turn) -> Turn:
    """Take a turn through steps until it is answered.

    Steps without a model work in a thread, those in a row in the same: where several people ask at
    once, each change of threads waits for the steps of all others.
    """
    for waits, some in groupby(steps, key=lambda named: iscoroutinefunction(named[1])):
        if not waits and turn.answer is None:
            turn = await in_thread(_run_rules, cast("list[tuple[str, RuleStep]]", [*some]), turn)
            continue
        for name, step in cast("Iterable[tuple[str, ModelStep]]", some):
            if turn.answer is None:
                with _told(name) as done:
                    turn = done(await step(turn))
    return turn


def _run_rules(steps: Sequence[tuple[str, RuleStep]], turn: Turn) -> Turn:
    for name, step in steps:
        if turn.answer is None:
            end_if_left()
            with _told(name) as done:
                turn = done(step(turn))
    return turn


@contextmanager
def _told(name: str) -> Iterator[Callable[[Turn], Turn]]:
    """A step that is told of, timed, and has a span; yields what takes the turn it has made."""
    emit(StepStarted(name))
    started, found = time.perf_counter(), ""

    def done(turn: Turn) -> Turn:
        nonlocal found
        found = _result(name, turn)
        seconds = turn.timings.get(name, 0.0) + time.perf_counter() - started
        return replace(turn, timings={**turn.timings, name: round(seconds, 4)})

    with span(name, {"strata.step": name}):
        yield done
    emit(StepFinished(name, found))


def _result(step: str, turn: Turn) -> str:
    """The result of a step, in a few words for the person who waits."""
    if (
        step in ("release_extraction", "question_reading")
        and turn.resolved
        and turn.resolved.releases
    ):
        names = turn.resolved.releases
        if len(names) > _MOST_NAMED:
            return ngettext("{number} release", "{number} releases", len(names))
        return shown_list(names)
    if step == "context_retrieval":
        pages = len({chunk.page.id for chunk in turn.retrieved})
        return ngettext("{number} page", "{number} pages", pages)
    return ""
