"""Who is answered next: first come, first served, and everybody knows their place."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager


class Queue:
    """Lets so many in `at_once` and keeps the others in order; for one event loop."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: deque[tuple[asyncio.Future[None], Callable[[int], None]]] = deque()

    @asynccontextmanager
    async def place(self, tell: Callable[[int], None]) -> AsyncIterator[None]:
        """Wait for a turn; `tell` hears the place, from 1, now and whenever it changes."""
        await self._enter(tell)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, tell: Callable[[int], None]) -> None:
        if self._free:
            self._free -= 1
            return
        called = asyncio.get_running_loop().create_future()
        waiter = (called, tell)
        self._waiting.append(waiter)
        try:
            tell(len(self._waiting))
            await called
        except BaseException:
            if waiter in self._waiting:
                self._waiting.remove(waiter)
                self._tell_places()
            elif not called.cancelled():
                # Called in and given up at the same moment: the next one gets the place.
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            called, _ = self._waiting.popleft()
            if not called.done():
                called.set_result(None)
                self._tell_places()
                return
        self._free += 1

    def _tell_places(self) -> None:
        for place, (_, tell) in enumerate(self._waiting, 1):
            tell(place)
