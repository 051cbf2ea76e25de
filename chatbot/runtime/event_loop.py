"""One event loop in a thread of its own, on which every question of the process is answered."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, TimeoutError
from functools import cache
from typing import Any, TypeVar

from chatbot.runtime.events import Stopped

Result = TypeVar("Result")

_LOOK = 0.1
_STARTING = threading.Lock()


def run(work: Coroutine[Any, Any, Result], stopped: Callable[[], bool]) -> Result:
    """Do the work and return what comes of it; cancel it and raise Stopped if `stopped` says so.

    Whatever the caller is interrupted by cancels the work as well.
    """
    future: Future[Result] = asyncio.run_coroutine_threadsafe(work, _loop())
    try:
        while True:
            try:
                return future.result(_LOOK)
            except TimeoutError:
                if future.done():
                    return future.result()
                if stopped():
                    raise Stopped from None
    except BaseException:
        future.cancel()
        raise


def _loop() -> asyncio.AbstractEventLoop:
    # Several threads may ask the very first questions at once, and there must be one loop.
    with _STARTING:
        return _started()


@cache
def _started() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="questions", daemon=True).start()
    return loop
