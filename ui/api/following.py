"""A question that is being answered, as asynchronous events."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable

from starlette.requests import Request

from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.events import Event, Listener
from chatbot.settings import Settings
from ingestion.errors import StrataError
from ui.api.forms import AskOut
from ui.wording.escaping import visible
from ui.wording.failures import told

_LOOK_SECONDS = 0.5
_INTERNAL = "InternalError"
"""The type of an error that nobody expected: its own name would tell how Strata is built."""

Work = Callable[[Listener, Callable[[], bool]], AskOut]
"""Answers a question; takes a listener for events, and a function that says whether to stop."""


def failure(error: Exception, settings: Settings | None) -> dict[str, str]:
    """What a program is told of a failure: `message` and `type`."""
    kind = type(error).__name__ if isinstance(error, StrataError) else _INTERNAL
    return {"message": visible(told(error, settings)), "type": kind}


async def following(work: Work) -> AsyncIterator[Event | AskOut]:
    """Yield what happens while a question is answered, and the reply at the end.

    Leaving the iteration stops the question. Raises what the work raises.
    """
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    stop = threading.Event()

    def tell(event: Event | None) -> None:
        loop.call_soon_threadsafe(events.put_nowait, event)

    def run() -> AskOut:
        try:
            return work(tell, stop.is_set)
        finally:
            tell(None)

    running = asyncio.ensure_future(asyncio.to_thread(run))
    # The outcome is retrieved even if nobody waits for it, else asyncio would complain.
    running.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        while (event := await events.get()) is not None:
            yield event
        yield await running
    finally:
        stop.set()


async def answered(work: Work, request: Request) -> AskOut:
    """The reply; a caller that hangs up stops the question. Raises Stopped then."""
    reply = asyncio.ensure_future(reply_of(work))
    while not reply.done():
        await asyncio.wait({reply}, timeout=_LOOK_SECONDS)
        if not reply.done() and await request.is_disconnected():
            reply.cancel()
            raise Stopped
    return reply.result()


async def reply_of(work: Work) -> AskOut:
    """The reply; cancelling stops the question."""
    async for event in following(work):
        if isinstance(event, AskOut):
            return event
    raise Stopped
