"""The events while a question is answered: steps, tokens, the place in the queue."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from chatbot.turn import Remembered


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
class ModelAsked:
    """A model has been asked, by a step: until it answers there is little to compute."""

    step: str


@dataclass(frozen=True)
class Token:
    """The model has written a bit more of the answer."""

    text: str


@dataclass(frozen=True)
class Waiting:
    """Others asked before; `place` counts from 1, the next to be answered."""

    place: int


@dataclass(frozen=True)
class Offered:
    """Saved questions that may ask the same, the nearest first, before an answer is written."""

    pairs: tuple[Remembered, ...]


Event = StepStarted | StepFinished | ModelAsked | Token | Waiting | Offered
Listener = Callable[[Event], None]

_LISTENER: ContextVar[Listener] = ContextVar("listener", default=lambda event: None)


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Within it, also in tasks and threads that are begun there, events go to a listener."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def current_listener() -> Listener:
    """The listener of the question that is being answered."""
    return _LISTENER.get()


def emit(event: Event) -> None:
    """Send an event to the listener of the question that is being answered."""
    current_listener()(event)
