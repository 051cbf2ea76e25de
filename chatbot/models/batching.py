"""Requests that arrive together are computed together; each caller hears of its own."""

from __future__ import annotations

import asyncio
import atexit
import threading
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from typing import Any

from chatbot.models.errors import GeneratorError

# Arrivals within this time of each other share a batch; it is small beside any answer.
_GATHERING_SECONDS = 0.01
_EXIT_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Sampling:
    """How one answer is drawn; `top_logprobs` is None where no log-probabilities are asked for."""

    max_tokens: int
    temperature: float
    top_k: int
    repetition_penalty: float
    seed: int
    stop: tuple[str, ...]
    top_logprobs: int | None

    @property
    def greedy(self) -> bool:
        """Whether the likeliest token is taken every time."""
        return self.temperature == 0 or self.top_k == 1


@dataclass(frozen=True, slots=True)
class Piece:
    """What a step adds to an answer; the last piece says why it ended and counts the tokens."""

    text: str
    logprobs: tuple[dict[str, Any], ...] = ()
    finish_reason: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(eq=False)
class Request:
    """A conversation to be continued; its pieces go to whoever asked, until that one leaves."""

    messages: list[dict[str, Any]]
    sampling: Sampling
    deliver: Callable[[Piece | GeneratorError], None]
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def ended(self) -> bool:
        """Whether it is answered, has failed, or nobody waits for it any more."""
        return self._ended.is_set()

    @property
    def over(self) -> bool:
        """Whether nothing more is to be computed for it; at the end of the program nothing is."""
        return self.ended or not threading.main_thread().is_alive()

    def leave(self) -> None:
        """Stop waiting; the row of the batch ends with the step that is being computed."""
        self._ended.set()

    def tell(self, piece: Piece) -> None:
        """Hand on a piece; the one with a finish reason is the last."""
        self._deliver(piece, last=piece.finish_reason is not None)

    def fail(self, error: GeneratorError) -> None:
        """End it with an error, unless it has ended."""
        self._deliver(error, last=True)

    def _deliver(self, piece: Piece | GeneratorError, *, last: bool) -> None:
        if not self.ended:
            self.deliver(piece)
        if last:
            self._ended.set()


class Batches:
    """Computes requests in batches of at most `largest`, one batch after the other.

    `compute` answers those requests of a batch that are not over, in a thread of this class. What
    arrives meanwhile waits for the next batch; first come, first served. There is no thread while
    there is nothing to do.
    """

    def __init__(self, compute: Callable[[list[Request]], None], largest: int) -> None:
        self._compute = compute
        self._largest = largest
        self._waiting: deque[Request] = deque()
        self._working = False
        self._lock = threading.Lock()

    async def stream(
        self, messages: list[dict[str, Any]], sampling: Sampling
    ) -> AsyncGenerator[Piece, None]:
        """Yield the pieces of an answer; closing or cancelling this ends the row.

        Raises GeneratorError.
        """
        loop = asyncio.get_running_loop()
        pieces: asyncio.Queue[Piece | GeneratorError] = asyncio.Queue()

        def deliver(piece: Piece | GeneratorError) -> None:
            try:
                loop.call_soon_threadsafe(pieces.put_nowait, piece)
            except RuntimeError:
                # The loop is closed, and nobody is left in it.
                request.leave()

        request = Request(messages, sampling, deliver)
        self._submit(request)
        try:
            while True:
                piece = _checked(await pieces.get())
                yield piece
                if piece.finish_reason:
                    return
        finally:
            request.leave()

    def _submit(self, request: Request) -> None:
        with self._lock:
            self._waiting.append(request)
            if self._working:
                return
            self._working = True
        thread = threading.Thread(target=self._work, name="transformers", daemon=True)
        # A daemon that computes while the interpreter goes down would abort the process.
        atexit.register(thread.join, _EXIT_SECONDS)
        thread.start()

    def _work(self) -> None:
        while batch := self._next_batch():
            failure = GeneratorError("the answer was not finished: the program is ending")
            try:
                self._compute(batch)
            except Exception as error:  # noqa: BLE001 - it is raised by those who wait
                failure = _as_generator_error(error)
            for request in batch:
                request.fail(failure)
        atexit.unregister(threading.current_thread().join)

    def _next_batch(self) -> list[Request]:
        """The requests that have arrived; when there are none, this thread is no longer working."""
        seen = -1
        while seen < len(self._waiting) < self._largest:
            seen = len(self._waiting)
            time.sleep(_GATHERING_SECONDS)
        batch: list[Request] = []
        with self._lock:
            while self._waiting and len(batch) < self._largest:
                if not (request := self._waiting.popleft()).ended:
                    batch.append(request)
            self._working = bool(batch)
        return batch


def _checked(piece: Piece | GeneratorError) -> Piece:
    if isinstance(piece, GeneratorError):
        # One failure may reach several callers, and each raises its own.
        raise GeneratorError(str(piece)) from piece
    return piece


def _as_generator_error(error: Exception) -> GeneratorError:
    if isinstance(error, GeneratorError):
        return error
    failure = GeneratorError(f"the model failed with {type(error).__name__}: {error}")
    failure.__cause__ = error
    return failure
