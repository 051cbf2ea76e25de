"""The event loop of the process, what runs on it at once, and the queue of questions."""

import asyncio
import threading
from bisect import bisect_right
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from concurrent.futures import wait
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ParamSpec, TypeVar

from chatbot.errors import TookTooLong
from chatbot.text.languages import gettext

Result = TypeVar("Result")
Arguments = ParamSpec("Arguments")

_POLL_SECONDS = 0.1
_STARTING = threading.Lock()
_DEADLINE: ContextVar[asyncio.Timeout | None] = ContextVar("deadline", default=None)
"""Of the question that is answered."""
_LEFT: ContextVar[threading.Event] = ContextVar("left")
"""The event of a function in a thread, set once nobody waits for it any more."""


class Stopped(Exception):
    """The person who asked does not want the answer any more."""


def run_on_event_loop(work: Coroutine[Any, Any, Result], stopped: Callable[[], bool]) -> Result:
    """Run work on the event loop of all questions; cancelled and Stopped when `stopped`."""
    # Several threads may ask the very first questions at once, and there must be one loop.
    with _STARTING:
        loop = _event_loop()
    future = asyncio.run_coroutine_threadsafe(work, loop)
    try:
        while not wait([future], _POLL_SECONDS).done:
            if stopped():
                raise Stopped
        return future.result()
    finally:
        future.cancel()


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="questions", daemon=True).start()
    return loop


async def together(works: Iterable[Awaitable[Result]]) -> list[Result]:
    """Wait for all at once and return their results in order; if one fails, cancel the others."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        return list(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Cancel the block, and a model call in it, after so many `seconds`; raises TookTooLong."""
    try:
        async with asyncio.timeout(seconds) as deadline:
            token = _DEADLINE.set(deadline)
            try:
                yield
            finally:
                _DEADLINE.reset(token)
    except TimeoutError as error:
        if not deadline.expired():
            raise
        raise TookTooLong(
            gettext(
                "there was no answer within {seconds} seconds, and the question was stopped: ask "
                "something shorter, or ask again later",
                seconds=format(seconds, "g"),
            )
        ) from error


def is_out_of_time() -> bool:
    """Whether what is cancelled now is so because the time of its question is over."""
    deadline = _DEADLINE.get()
    return deadline is not None and deadline.expired()


async def in_thread(
    function: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Result:
    """Call a blocking function in a thread; raises RuntimeError for a StopIteration.

    No thread can be ended from outside: a function that is left goes on to its next `end_if_left`.
    """
    left = threading.Event()

    def work() -> Result:
        _LEFT.set(left)
        try:
            return function(*args, **kwargs)
        except StopIteration as error:
            # No future can carry it: its caller would wait for ever.
            raise RuntimeError("something expected was not found") from error

    try:
        return await asyncio.to_thread(work)
    finally:
        left.set()


def end_if_left() -> None:
    """Raise Stopped in a function of `in_thread` that nobody waits for any more."""
    left = _LEFT.get(None)
    if left is not None and left.is_set():
        raise Stopped


@dataclass(eq=False)
class _Place:
    owner: str
    round: int
    tell: Callable[[int], None]
    called: asyncio.Event = field(default_factory=asyncio.Event)


class Queue:
    """Lets `at_once` questions in; others wait for rounds, one question of each person in each."""

    def __init__(self, at_once: int) -> None:
        self._at_once = at_once
        self._inside: list[_Place] = []
        self._waiting: list[_Place] = []
        self._round = 0

    @asynccontextmanager
    async def place(self, owner: str, tell: Callable[[int], None]) -> AsyncIterator[None]:
        """Wait for a turn; `tell` hears the place, from 1, now and whenever it changes."""
        rounds = [p.round for p in (*self._inside, *self._waiting) if p.owner == owner]
        mine = _Place(owner, max(self._round, 1 + max(rounds, default=-1)), tell)
        at = bisect_right(self._waiting, mine.round, key=lambda place: place.round)
        self._waiting.insert(at, mine)
        self._call_in(at)
        try:
            await mine.called.wait()
            yield
        finally:
            if mine in self._inside:
                self._inside.remove(mine)
                self._call_in(0)
            else:
                left = self._waiting.index(mine)
                del self._waiting[left]
                self._call_in(left)

    def _call_in(self, changed: int) -> None:
        """Admit those there is room for; report their places to the others from `changed` on."""
        while self._waiting and len(self._inside) < self._at_once:
            first = self._waiting.pop(0)
            self._round = first.round
            self._inside.append(first)
            first.called.set()
            changed = 0
        for number, place in enumerate(self._waiting[changed:], changed + 1):
            place.tell(number)
