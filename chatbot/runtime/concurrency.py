"""The event loop of the process, what runs on it at once, and the queue of questions."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from concurrent.futures import Future, TimeoutError
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, ParamSpec, TypeVar

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_POLL_SECONDS = 0.1
_STARTING = threading.Lock()


class Stopped(Exception):
    """The person who asked does not want the answer any more."""


def run_on_event_loop(work: Coroutine[Any, Any, Result], stopped: Callable[[], bool]) -> Result:
    """Run a coroutine and return its result; cancel it and raise Stopped if `stopped` says so.

    All questions of the process are answered on one event loop, in a thread of its own. An
    exception in the caller cancels the work as well.
    """
    # Several threads may ask the very first questions at once, and there must be one loop.
    with _STARTING:
        loop = _event_loop()
    future: Future[Result] = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        while True:
            try:
                return future.result(_POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    return future.result()
                if stopped():
                    raise Stopped from None
    except BaseException:
        future.cancel()
        raise


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="questions", daemon=True).start()
    return loop


async def together(works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Run coroutines at once and return their results in order; if one fails, cancel the others."""
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
    """Call a blocking function in a thread.

    Raises RuntimeError for a StopIteration, which no future can carry: its caller would wait for
    ever.
    """

    def work() -> Result:
        try:
            return function(*args, **kwargs)
        except StopIteration as error:
            raise RuntimeError("something expected was not found") from error

    return await asyncio.to_thread(work)


class Queue:
    """Lets `at_once` questions in and keeps the others in order; for one event loop."""

    def __init__(self, at_once: int) -> None:
        self._free = asyncio.Semaphore(at_once)
        self._waiting: list[Callable[[int], None]] = []

    @asynccontextmanager
    async def place(self, tell: Callable[[int], None]) -> AsyncIterator[None]:
        """Wait for a turn; `tell` hears the place, from 1, now and whenever it changes."""
        try:
            if self._free.locked():
                self._waiting.append(tell)
                tell(len(self._waiting))
            await self._free.acquire()
        except BaseException:
            self._move_up(tell)
            raise
        try:
            self._move_up(tell)
            yield
        finally:
            self._free.release()

    def _move_up(self, left: Callable[[int], None]) -> None:
        """Tell the others their new places after one has left the queue."""
        if left in self._waiting:
            self._waiting.remove(left)
            for place, tell in enumerate(self._waiting, 1):
                tell(place)
