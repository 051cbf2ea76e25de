"""What a listener hears while a question is answered: steps and tokens; it may also stop it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler


@dataclass(frozen=True)
class StepStarted:
    """A step of the chain has begun."""

    step: str


@dataclass(frozen=True)
class StepFinished:
    """A step of the chain is done."""

    step: str


@dataclass(frozen=True)
class Token:
    """The model has written a bit more of the answer."""

    text: str


Event = StepStarted | StepFinished | Token
Listener = Callable[[Event], None]


class Stopped(Exception):
    """The person who asked does not want the answer any more."""


class EventCallback(BaseCallbackHandler):
    """Turns LangChain's callbacks into events; raises Stopped as soon as `stopped` says so."""

    raise_error = True

    def __init__(
        self, steps: frozenset[str], listener: Listener, stopped: Callable[[], bool]
    ) -> None:
        self._steps = steps
        self._listener = listener
        self._stopped = stopped
        self._running: dict[UUID, str] = {}

    def on_chain_start(
        self, serialized: dict[str, Any] | None, inputs: Any, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """A runnable starts; only the steps of the profile are of interest."""
        self._check()
        name = kwargs.get("name")
        if name in self._steps:
            self._running[run_id] = name
            self._listener(StepStarted(name))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """A runnable ends."""
        if name := self._running.pop(run_id, None):
            self._listener(StepFinished(name))

    def on_llm_new_token(self, token: Any, **kwargs: Any) -> None:
        """The model wrote a token, or still reads the prompt (an empty one)."""
        self._check()
        if token:
            self._listener(Token(str(token)))

    def on_chat_model_start(self, serialized: Any, messages: Any, **kwargs: Any) -> None:
        """A chat model is asked; a last moment to stop."""
        self._check()

    def _check(self) -> None:
        if self._stopped():
            raise Stopped
