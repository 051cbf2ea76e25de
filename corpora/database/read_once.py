"""What a question reads of the database once, however many of its steps need it."""

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Value = TypeVar("Value")

_READ: ContextVar[dict[Hashable, Any] | None] = ContextVar("read", default=None)


@contextmanager
def reading_once() -> Iterator[None]:
    """Keep what `once` reads, until the end of the block: its threads and tasks see one state."""
    token = _READ.set({})
    try:
        yield
    finally:
        _READ.reset(token)


def once(read: Callable[..., Value], *of: Hashable) -> Value:
    """What `read` returns of something, read once within `reading_once`, else each time."""
    if (known := _READ.get()) is None:
        return read(*of)
    key = read, *of
    if key not in known:
        # Two threads may read the same: the first one's is kept.
        known.setdefault(key, read(*of))
    kept: Value = known[key]
    return kept
