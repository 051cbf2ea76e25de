"""The chain of steps (QAMR III-B, figure 3) as LCEL; a profile is a list of steps."""

import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import reduce
from inspect import iscoroutinefunction
from typing import cast

from langchain_core.runnables import Runnable, RunnableLambda

from chatbot.runtime.concurrency import in_thread
from chatbot.turn import RuleStep, Step, Turn

Profile = Sequence[tuple[str, Step]]
"""Named steps in order."""


def build_chain(profile: Profile) -> Runnable[Turn, Turn]:
    """Join the steps of a profile into one runnable; a turn that is answered passes through.

    The runnable is asynchronous (`ainvoke`): a step without a model works in a thread meanwhile.
    """
    runnables = [
        RunnableLambda(_timed(name, step)).with_config(run_name=name) for name, step in profile
    ]
    return reduce(lambda chain, step: chain | step, runnables)


def _timed(name: str, step: Step) -> Callable[[Turn], Awaitable[Turn]]:
    async def run(turn: Turn) -> Turn:
        if turn.answer is not None:
            return turn
        started = time.perf_counter()
        if iscoroutinefunction(step):
            turn = await step(turn)
        else:
            turn = await in_thread(cast("RuleStep", step), turn)
        seconds = turn.timings.get(name, 0.0) + time.perf_counter() - started
        return replace(turn, timings={**turn.timings, name: round(seconds, 4)})

    return run
