"""The events while a question is answered: steps, tokens, the place in the queue."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler

from chatbot.runtime.model_calls import ANSWER
from chatbot.text.phrasing import listed
from chatbot.turn import Turn

_MOST_NAMED = 3


@dataclass(frozen=True)
class StepStarted:
    """A step of the chain has begun."""

    step: str


@dataclass(frozen=True)
class StepFinished:
    """A step of the chain is done; `found` says in a few words what came of it."""

    step: str
    found: str = ""


@dataclass(frozen=True)
class Token:
    """The model has written a bit more of the answer."""

    text: str


@dataclass(frozen=True)
class Waiting:
    """Others asked before; `place` counts from 1, the next to be answered."""

    place: int


Event = StepStarted | StepFinished | Token | Waiting
Listener = Callable[[Event], None]


class EventCallback(BaseCallbackHandler):
    """Turns LangChain's callbacks into events."""

    run_inline = True

    def __init__(self, steps: frozenset[str], listener: Listener) -> None:
        self._steps = steps
        self._listener = listener
        self._running: dict[UUID, str] = {}

    def on_chain_start(
        self, serialized: dict[str, Any] | None, inputs: Any, *, run_id: UUID, **kwargs: Any
    ) -> None:
        """Tell of a step of the profile, unless the turn is answered already."""
        name = kwargs.get("name")
        if name in self._steps and not (isinstance(inputs, Turn) and inputs.answer):
            self._running[run_id] = name
            self._listener(StepStarted(name))

    def on_chain_end(self, outputs: Any, *, run_id: UUID, **kwargs: Any) -> None:
        """Report the end of a step."""
        if name := self._running.pop(run_id, None):
            found = _found_by(name, outputs) if isinstance(outputs, Turn) else ""
            self._listener(StepFinished(name, found))

    def on_llm_new_token(self, token: Any, *, tags: list[str] | None = None, **kwargs: Any) -> None:
        """Report a token of the answer."""
        if token and ANSWER in (tags or ()):
            self._listener(Token(str(token)))


def _found_by(step: str, turn: Turn) -> str:
    if step == "release_extraction" and turn.resolution and turn.resolution.releases:
        names = turn.resolution.releases
        return listed(names) if len(names) <= _MOST_NAMED else f"{len(names)} releases"
    if step == "context_retrieval":
        pages = len({chunk.page.id for chunk in turn.retrieved})
        return "1 page" if pages == 1 else f"{pages} pages"
    return ""
