"""The chain of steps (QAMR III-B, figure 3) as LCEL; a profile is a list of steps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from langchain_core.runnables import Runnable, RunnableLambda

from chatbot.turn import Step, Turn

Profile = Sequence[tuple[str, Step]]
"""Named steps in order."""


def build_chain(profile: Profile) -> Runnable[Turn, Turn]:
    """Join the steps of a profile into one runnable; a turn that is answered passes through."""
    runnables = [
        RunnableLambda(_timed(name, step)).with_config(run_name=name) for name, step in profile
    ]
    return reduce(lambda chain, step: chain | step, runnables)


def _timed(name: str, step: Step) -> Step:
    def run(turn: Turn) -> Turn:
        if turn.answer is not None:
            return turn
        started = time.perf_counter()
        turn = step(turn)
        seconds = turn.timings.get(name, 0.0) + time.perf_counter() - started
        return replace(turn, timings={**turn.timings, name: round(seconds, 4)})

    return run
