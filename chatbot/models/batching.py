"""Answers computed in batches, each sampled and delivered on its own."""

import atexit
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from langchain_core.outputs import ChatGenerationChunk

from chatbot.errors import GeneratorError
from chatbot.models.streaming import chunk_of

# Arrivals within this time of each other share a batch; it is small beside any answer.
_GATHERING_SECONDS = 0.01
_EXIT_SECONDS = 5.0
_BROKEN = "\N{REPLACEMENT CHARACTER}"


@dataclass(eq=False)
class BatchedAnswer:
    """One answer; `deliver` hears its chunks, the last with a finish reason, or an error."""

    messages: list[dict[str, Any]]
    deliver: Callable[[ChatGenerationChunk | GeneratorError], None]
    max_tokens: int
    temperature: float
    top_k: int
    repetition_penalty: float
    seed: int
    stop: tuple[str, ...] = ()
    top_logprobs: int | None = None

    ended: bool = False
    prompt: list[int] = field(default_factory=list)
    written: list[int] = field(default_factory=list)
    random: Any = None
    """A torch.Generator of its own: what it draws does not depend on the answers beside it."""
    _shown: int = 0
    _logprobs: list[dict[str, Any]] = field(default_factory=list)

    @property
    def over(self) -> bool:
        """Whether the answer needs no more computing; true for all at the end of the program."""
        return self.ended or not threading.main_thread().is_alive()

    def choose(self, tokens: Any, scores: Any, decode: Callable[[list[int]], str]) -> Any:
        """Choose the next token; `tokens` are those so far, `scores` one for each there is.

        The repetition penalty divides positive scores of seen tokens and multiplies negative ones
        (CTRL, Keskar et al. 2019, Section 4.1). Log-probabilities are the model's own, before
        penalty and temperature.
        """
        chances = scores
        if (penalty := self.repetition_penalty) != 1:
            seen = tokens[-len(self.prompt) - len(self.written) :]
            old = scores[seen]
            chances = scores.index_put((seen,), (old / penalty).where(old > 0, old * penalty))
        if self.temperature == 0 or self.top_k == 1:
            token = chances.argmax()
        else:
            best = chances.topk(min(self.top_k or len(chances), len(chances)))
            # Differences to the best score stay finite at any temperature.
            shares = ((best.values - best.values[0]) / self.temperature).softmax(-1)
            token = best.indices[shares.multinomial(1, generator=self.random)][0]
        if self.top_logprobs is not None:
            logprobs = scores.log_softmax(-1)
            likeliest = logprobs.topk(min(self.top_logprobs, len(logprobs))).indices.tolist()
            chosen, *others = (
                {"token": decode([one]), "logprob": float(logprobs[one])}
                for one in (int(token), *likeliest)
            )
            self._logprobs.append({**chosen, "top_logprobs": others})
        return token

    def take(
        self, token: int, decode: Callable[[list[int]], str], ends: frozenset[int | None]
    ) -> None:
        """Deliver the text that a token adds; the possible beginning of a stop string waits."""
        self.written.append(token)
        reason = "length" if len(self.written) >= self.max_tokens else None
        if token in ends:
            reason = "stop"
        text = decode(self.written)
        if stops := [at for stop in self.stop if (at := text.find(stop)) >= 0]:
            text, reason = text[: min(stops)], "stop"
        elif not reason:
            text = text.rstrip(_BROKEN)
            text = text[: len(text) - max(map(len, self.stop), default=1) + 1]
        new = text[self._shown :]
        self._shown += len(new)
        if new or reason or self._logprobs:
            counts = (len(self.prompt), len(self.written)) if reason else None
            self.tell(chunk_of(new, logprobs=self._logprobs, finish_reason=reason, tokens=counts))
            self._logprobs = []
        if reason:
            self.ended = True

    def tell(self, event: ChatGenerationChunk | GeneratorError) -> None:
        """Hand it on, unless this answer has ended; an error ends it."""
        if not self.ended:
            self.deliver(event)
        if isinstance(event, GeneratorError):
            self.ended = True


class Batches:
    """Computes answers in batches of at most `largest`, in a thread that is there while needed."""

    def __init__(self, compute: Callable[[list[BatchedAnswer]], None], largest: int) -> None:
        self._compute = compute
        self._largest = largest
        self._waiting: deque[BatchedAnswer] = deque()
        self._working = False
        self._lock = threading.Lock()

    def submit(self, answer: BatchedAnswer) -> None:
        """Have it computed with the next batch; first come, first served."""
        with self._lock:
            self._waiting.append(answer)
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
            except GeneratorError as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - it is raised by those who wait
                failure = GeneratorError(f"the model failed with {type(error).__name__}: {error}")
                failure.__cause__ = error
            for answer in batch:
                answer.tell(failure)
        atexit.unregister(threading.current_thread().join)

    def _next_batch(self) -> list[BatchedAnswer]:
        """The answers that are waited for; when there are none, this thread is done."""
        seen = -1
        while seen < len(self._waiting) < self._largest:
            seen = len(self._waiting)
            time.sleep(_GATHERING_SECONDS)
        batch: list[BatchedAnswer] = []
        with self._lock:
            while self._waiting and len(batch) < self._largest:
                if not (answer := self._waiting.popleft()).ended:
                    batch.append(answer)
            self._working = bool(batch)
        return batch
