"""Waiting for several things at once, and for work in a thread, without losing any of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, ParamSpec, TypeVar

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")


async def together(works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Do all works at once and return their results in order; if one fails, stop the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


async def in_thread(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call a function that blocks, while the event loop goes on.

    Raises RuntimeError for a StopIteration: no future can carry one, and whoever waits for it
    would wait for ever.
    """

    def work() -> Result:
        try:
            return function(*args, **kwargs)
        except StopIteration as error:
            raise RuntimeError("something expected was not found") from error

    return await asyncio.to_thread(work)
