"""What a question reads of the database once, however many of its steps need it."""

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, TypeVar

Value = TypeVar("Value")

_READ: ContextVar[dict[Hashable, Future[Any]] | None] = ContextVar("read", default=None)


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
    while True:
        own = Future[Value]()
        kept: Future[Value] = known.setdefault((read, *of), own)
        if kept is own:
            try:
                own.set_result(read(*of))
            except BaseException:
                del known[read, *of]
                own.cancel()
                raise
        # Where another thread reads it: waited for. Where that one gave up: read here.
        with suppress(CancelledError):
            return kept.result()
