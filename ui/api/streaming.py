"""A question that is being answered in a thread of its own, as asynchronous events."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar, cast

from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.requests import Request

from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Listener, Token
from chatbot.settings import Settings
from ingestion.errors import StrataError
from ui.api.service import Service
from ui.wording.escaping import visible
from ui.wording.failures import message_for

Result = TypeVar("Result")
Work = Callable[[Listener, Callable[[], bool]], Result]
"""Answers a question; takes a listener for events, and a function that says whether to stop."""

_LOOK_SECONDS = 0.5
_TOGETHER_SECONDS = 0.1
"""Between two pieces of a stream: to send one takes longer than a step or a word of a model."""
# Questions wait for one another: in threads that others need too, nobody else would be answered.
_THREADS = ThreadPoolExecutor(1_000, "question")

_LINE_END = "\n"
"""That of OpenAI: at the other one that the standard allows, simple clients find no event."""

_INTERNAL = "InternalError"
"""The type of an error that nobody expected: its own name would tell how Strata is built."""


def failure(error: Exception, settings: Settings | None) -> dict[str, str]:
    """A failure as a program gets it: `message` and `type`."""
    kind = type(error).__name__ if isinstance(error, StrataError) else _INTERNAL
    return {"message": visible(message_for(error, settings)), "type": kind}


def sent_event(data: Any, name: str | None = None) -> ServerSentEvent:
    """An event of JSON in ASCII, so that no client finds a line's end inside it."""
    return ServerSentEvent(json.dumps(data, allow_nan=False), event=name, sep=_LINE_END)


def last_event(data: str) -> ServerSentEvent:
    """The event of a text that is no JSON, by which a stream says that it is over."""
    return ServerSentEvent(data, sep=_LINE_END)


def sent_together(events: Iterable[ServerSentEvent]) -> bytes:
    """Several events in one piece of the stream."""
    return b"".join(event.encode() for event in events)


def sent_events(events: AsyncIterator[ServerSentEvent | bytes]) -> EventSourceResponse:
    """The response of events, with a sign of life between them."""
    return EventSourceResponse(events, sep=_LINE_END)


@dataclass(frozen=True)
class Following(Generic[Result]):
    """The events while a question is answered, and its reply; `follow` begins it."""

    running: asyncio.Future[Result]
    _events: asyncio.Queue[Event | None]
    _stop: threading.Event

    async def events(self) -> AsyncIterator[tuple[Event, ...]]:
        """Yield what happens until there is a reply; leaving the iteration stops the question.

        What comes within a moment comes together, the words as one; the first words come at once,
        with the steps before them.
        """
        wrote = False
        try:
            while True:
                came = [await self._events.get()]
                with suppress(TimeoutError):
                    async with asyncio.timeout(_TOGETHER_SECONDS):
                        while came[-1] is not None and (wrote or not isinstance(came[-1], Token)):
                            came.append(await self._events.get())
                events: list[Event] = []
                for words, alike in groupby(came, lambda event: isinstance(event, Token)):
                    if words:
                        wrote = True
                        told = (cast("Token", event).text for event in alike)
                        events.append(Token("".join(told)))
                    else:
                        events += filter(None, alike)
                if events:
                    yield tuple(events)
                if came[-1] is None:
                    return
        finally:
            self._stop.set()

    async def reply(self, request: Request | None = None) -> Result:
        """The reply; cancelling stops the question, as does a caller that hangs up: Stopped."""
        try:
            while not self.running.done():
                await asyncio.wait({self.running}, timeout=_LOOK_SECONDS)
                if request and not self.running.done() and await request.is_disconnected():
                    raise Stopped
            return self.running.result()
        finally:
            self._stop.set()


def follow(service: Service, work: Work[Result]) -> Following[Result]:
    """Begin to answer a question; raises LimitReached where its owner has too many open ones."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    stop = threading.Event()
    close = service.chatbot.limits.open_question(service.account)

    def tell(event: Event | None) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    def run() -> Result:
        try:
            return work(tell, stop.is_set)
        finally:
            close()
            tell(None)

    # With the language of the request, which a thread of its own does not know.
    running = asyncio.ensure_future(loop.run_in_executor(_THREADS, copy_context().run, run))
    # The outcome is retrieved even if nobody waits for it, else asyncio would complain.
    running.add_done_callback(lambda done: done.cancelled() or done.exception())
    return Following(running, events, stop)
