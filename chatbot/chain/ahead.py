"""An answer that is begun by rules while the model reads the question.

The two calls of a capable model then run at once, and the first words come after one. The reading
decides: what was begun is taken up only for the release that it finds, and where the page that
answers it best is among those that the answer is being written from. Else it is dropped, unheard.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

from chatbot.errors import GeneratorError
from chatbot.runtime.events import Event, Listener, current_listener, heard_by
from chatbot.runtime.spans import span
from chatbot.turn import Recollection, Turn

STEP = "answer_ahead"
_AMONG = 5
"""The best page of the reading has to be among so many of the best that the answer is written from,
which all stand in its prompt."""


@dataclass(eq=False)
class Ahead:
    """An answer on its way, of which nobody hears before it is taken up."""

    _gathered: Turn | None = None
    _heard: list[Event] = field(default_factory=list)
    _listener: Listener | None = None
    _task: asyncio.Task[Turn] | None = None

    async def work(
        self, find: Callable[[], Awaitable[Turn]], write: Callable[[Turn], Awaitable[Turn]]
    ) -> Turn:
        """Find the evidence by rules, and write from it."""
        with span(STEP):
            found = await find()
            if found.answer is not None or not found.retrieved:
                return found
            self._gathered = found
            with heard_by(self._hear):
                return await write(found)

    def _hear(self, event: Event) -> None:
        if self._listener is None:
            self._heard.append(event)
        else:
            self._listener(event)

    async def taken_up(self, turn: Turn) -> Turn:
        """The turn with the answer that was begun, where it is one to the turn; else as it is."""
        gathered, task = self._gathered, self._task
        if task is None or gathered is None or not _is_for(gathered, turn):
            if task is not None:
                # Its words would only take the model's time from those that are wanted.
                task.cancel()
            return turn
        self._listener = current_listener()
        for event in self._heard:
            self._listener(event)
        try:
            done = await task
        except GeneratorError:
            return turn
        if done.answer is None or (done.answer.abstained and _best(gathered) != _best(turn)):
            # What the model would search for may still tell.
            return replace(turn, calls=(*turn.calls, *done.calls))
        written = {name: s for name, s in done.timings.items() if name not in gathered.timings}
        return replace(
            turn,
            retrieved=gathered.retrieved,
            answer=done.answer,
            route=done.route,
            calls=(*turn.calls, *done.calls),
            timings={**turn.timings, **written, STEP: round(sum(written.values()), 4)},
        )


@asynccontextmanager
async def begun(
    find: Callable[[], Awaitable[Turn]], write: Callable[[Turn], Awaitable[Turn]]
) -> AsyncIterator[Ahead]:
    """An answer that is begun with the block, and stopped at its end if it still runs."""
    ahead = Ahead()
    with heard_by(lambda event: None):
        task = ahead._task = asyncio.create_task(ahead.work(find, write))
    try:
        yield ahead
    finally:
        task.cancel()
        await asyncio.wait({task})
        # Looked at, or asyncio would complain; the turn was answered without it.
        _ = task.cancelled() or task.exception()


def _is_for(gathered: Turn, turn: Turn) -> bool:
    """Whether an answer from `gathered` evidence is one to the turn as the model read it."""
    if turn.answer is not None or turn.resolved is None or gathered.resolved is None:
        return False
    remembered = turn.recollection or Recollection()
    return (
        len(turn.resolved.releases) == 1
        and turn.target == gathered.target
        and not (remembered.good or remembered.bad)
        and bool(turn.retrieved)
        and _best(turn, 1) <= _best(gathered, _AMONG)
    )


def _best(turn: Turn, number: int | None = None) -> set[int]:
    """The ids of so many of its best pages, or of all."""
    ranked = sorted(turn.retrieved, key=lambda chunk: -chunk.score)
    return {chunk.page.id for chunk in ranked[:number]}
