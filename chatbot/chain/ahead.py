"""An answer that is begun by rules while the model reads the question.

The two calls of a capable model then run at once, and the first words come after one. The reading
decides: what was begun is taken up only for the releases that it finds, and where the pages of each
that answer it best stand in the prompt that the answer is being written from. Else it is dropped,
unheard.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

from chatbot.answering.whole_answer import pages_shown
from chatbot.errors import GeneratorError
from chatbot.runtime.events import Event, Listener, ModelAsked, current_listener, heard_by
from chatbot.runtime.spans import span
from chatbot.turn import Answer, ModelStep, Recollection, Turn

STEP = "answer_ahead"
_FIRST = 3
_LEFT = Answer("", abstained=True)
"""In the place of what was begun: what the chain adds to an answer it adds where that is heard."""


@dataclass(eq=False)
class Ahead:
    """An answer on its way to a question as `asked`, of which nobody hears before it is taken up.

    `read` is the question as rules read it: of a reply to a question back, the one that it answers.
    What is asked of a model beside it is `_held_back` from the asker's listener, `_outer`, until
    this has asked its own or needs none; None from then on.
    """

    asked: str
    read: str = ""
    gathered: Turn | None = None
    written: Turn | None = None
    _seconds: float = 0.0
    _heard: list[Event] = field(default_factory=list)
    _listener: Listener | None = None
    _outer: Listener = field(default_factory=current_listener)
    _held_back: list[Event] | None = field(default_factory=list)
    _task: asyncio.Task[Turn] | None = None

    async def work(self, turn: Turn, read: ModelStep, answer: ModelStep) -> Turn:
        """Read the question, and begin the answer of one that is about one product."""
        try:
            with span(STEP):
                turn = await read(turn)
                if turn.answer is not None or turn.resolution.apart:
                    return turn
                self.read = turn.question
                return await answer(turn)
        finally:
            self._computed()

    async def begin(self, write: ModelStep, turn: Turn) -> Turn:
        """Write from what was gathered for the whole question, if this is it."""
        if turn.question == self.read and self.gathered is None:
            self.gathered, began = turn, time.perf_counter()
            with heard_by(self._hear):
                self.written = await write(turn)
            self._seconds = round(time.perf_counter() - began, 4)
        return replace(turn, answer=_LEFT)

    def hear_beside(self, event: Event) -> None:
        """Tell that a model is asked to read once there is nothing else to compute, too."""
        if self._held_back is not None and isinstance(event, ModelAsked):
            self._held_back.append(event)
        else:
            self._outer(event)

    def _computed(self) -> None:
        models, self._held_back = self._held_back, None
        for event in models or ():
            self._outer(event)

    def _hear(self, event: Event) -> None:
        if isinstance(event, ModelAsked):
            self._computed()
        elif self._listener is None:
            self._heard.append(event)
        else:
            self._listener(event)

    async def taken_up(self, turn: Turn, limit: int) -> Turn:
        """The turn with the answer that was begun, where it is one to the turn; else as it is.

        `limit` is that of the prompt, in characters.
        """
        gathered, task = self.gathered, self._task
        assert task is not None
        if task.cancelling() or gathered is None or not self.is_for(turn, limit):
            # Its words would only take the model's time from those that are wanted; of several
            # parts that are answered one after the other, a later one has none, too.
            task.cancel()
            return turn
        self._listener = current_listener()
        for event in self._heard:
            self._listener(event)
        try:
            await task
        except GeneratorError:
            return turn
        done = self.written
        if done is None or done.answer is None:
            return turn
        if done.answer.abstained and any(_best(g) != _best(t) for g, t in _sides(gathered, turn)):
            # What the model would search for may still tell.
            return replace(turn, calls=(*turn.calls, *done.calls))
        sides = [replace(t, retrieved=g.retrieved) for g, t in _sides(gathered, turn)]
        return replace(
            turn,
            retrieved=gathered.retrieved,
            sides=tuple(sides) if turn.sides else (),
            answer=done.answer,
            route=done.route,
            calls=(*turn.calls, *done.calls),
            timings={**turn.timings, STEP: self._seconds},
        )

    def is_for(self, turn: Turn, limit: int) -> bool:
        """Whether an answer from what was gathered is one to the turn as the model read it."""
        gathered, remembered = self.gathered, turn.recollection or Recollection()
        return (
            gathered is not None
            and turn.question in (self.asked, self.read)
            and _about(gathered) == _about(turn)
            and gathered.refusal == turn.refusal
            and not (remembered.good or remembered.bad)
            and all(
                _holds(g, t, limit // max(1, len(turn.sides))) for g, t in _sides(gathered, turn)
            )
        )


def taken_up(write: ModelStep, *, limit: int) -> ModelStep:
    """`write`, or the answer to the turn that it has begun ahead from `limit` characters."""

    async def step(turn: Turn) -> Turn:
        if (ahead := _AHEAD.get()) is None:
            return await write(turn)
        if asyncio.current_task() is ahead._task:
            return await ahead.begin(write, turn)
        turn = await ahead.taken_up(turn, limit)
        return turn if turn.answer is not None else await write(turn)

    return step


_AHEAD: ContextVar[Ahead | None] = ContextVar("ahead", default=None)


@asynccontextmanager
async def begun(turn: Turn, read: ModelStep, answer: ModelStep) -> AsyncIterator[None]:
    """An answer that is begun with the block, and stopped at its end if it still runs."""
    ahead = Ahead(turn.question)
    token = _AHEAD.set(ahead)
    with heard_by(lambda event: None):
        task = ahead._task = asyncio.create_task(ahead.work(turn, read, answer))
    try:
        with heard_by(ahead.hear_beside):
            yield
    finally:
        _AHEAD.reset(token)
        task.cancel()
        await asyncio.wait({task})
        # Looked at, or asyncio would complain; the turn was answered without it.
        _ = task.cancelled() or task.exception()


def _sides(gathered: Turn, turn: Turn) -> list[tuple[Turn, Turn]]:
    """What was gathered for each release of a turn, beside what the model finds there."""
    return list(zip(gathered.sides or (gathered,), turn.sides or (turn,), strict=True))


def _about(turn: Turn) -> tuple[str | None, tuple[str, ...], int]:
    """Product and releases, and whether they are compared."""
    return turn.resolution.product, turn.resolution.releases, len(turn.sides)


def _holds(gathered: Turn, turn: Turn, limit: int) -> bool:
    """Whether a prompt of so many characters of a release shows what is best there.

    That is the best page, or most of the first few: where neither stands in it, as of a question in
    another language than the documents, rules have found other pages than a model would.
    """
    if turn.answer is not None or gathered.answer is not None:
        # Nothing is shown of a release that lacks the thing.
        return turn.answer == gathered.answer
    shown = pages_shown(gathered.retrieved, limit)
    return bool(turn.retrieved) and (
        _best(turn, 1) <= shown or len(_best(turn, _FIRST) & shown) > _FIRST // 2
    )


def _best(turn: Turn, number: int | None = None) -> set[int]:
    """The ids of so many of its best pages, or of all."""
    ranked = sorted(turn.retrieved, key=lambda chunk: -chunk.score)
    return {chunk.page.id for chunk in ranked[:number]}
