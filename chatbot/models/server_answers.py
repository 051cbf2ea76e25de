"""What an OpenAI-compatible server answers: its events, its refusals, and what to do about them."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from textwrap import shorten
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import httpx

_EXTRAS = {
    "response_format": ("response_format", "json_schema", "guided", "grammar", "structured"),
    "logprobs": ("logprob",),
    "top_logprobs": ("logprob",),
    "stream_options": ("stream_options", "include_usage"),
}
_LINES = {"", "event", "id", "retry"}


class BrokenAnswer(Exception):
    """The server answers, but not as the protocol says; the message is the end of a sentence."""


async def events_of(response: httpx.Response) -> AsyncGenerator[dict[str, Any], None]:
    """The events of a streamed answer. Raises BrokenAnswer, also when the end is missing."""
    finished = False
    async for line in _lines(response):
        name, _, data = line.partition(":")
        if name in _LINES:
            continue
        if name != "data":
            raise BrokenAnswer(f"sends “{brief(line)}” where an event should be")
        if data.strip() == "[DONE]":
            return
        try:
            event = json.loads(data, strict=False)
        except ValueError:
            raise BrokenAnswer(f"sends “{brief(data)}”, which is no JSON") from None
        if not isinstance(event, dict):
            raise BrokenAnswer(f"sends “{brief(data)}” where an event should be")
        if error := event.get("error"):
            raise BrokenAnswer(f"stopped answering: {brief(_message(error))}")
        finished |= any(choice.get("finish_reason") for choice in event.get("choices") or [])
        yield event
    if not finished:
        raise BrokenAnswer("broke off in the middle of its answer")


async def _lines(response: httpx.Response) -> AsyncGenerator[str, None]:
    """The lines of a stream. httpx's own end at U+2028 and the like too, which JSON may hold."""
    begun = b""
    async for part in response.aiter_bytes():
        *whole, begun = (begun + part).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "replace").removesuffix("\r")
    if begun:
        yield begun.decode("utf-8", "replace")


def refused_extras(body: Mapping[str, Any], reason: str) -> set[str]:
    """Which of the things that not every server has may be why it refused this request.

    Those that the reason names; all that were asked for when it names none.
    """
    asked = {name for name in _EXTRAS if name in body}
    reason = reason.lower()
    return {name for name in asked if any(word in reason for word in _EXTRAS[name])} or asked


def is_overload(status: int) -> bool:
    """Whether it can help to ask again after a while."""
    return status == 429 or (status >= 500 and status != 501)


def retry_after(response: httpx.Response) -> float | None:
    """The seconds that the server asks to wait for, if it does."""
    asked = response.headers.get("retry-after", "")
    try:
        return max(0.0, float(asked))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(asked)
    except ValueError:
        return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def refusal(status: int, said: str, model: str) -> str:
    """The rest of a sentence that begins with the server's address: what it did, what to do."""
    because = f"{status}: {brief(said)}" if said else str(status)
    match status:
        case 401 | 403:
            # Not what it said: some servers repeat the key.
            return f"refuses the key ({status}): set STRATA_SERVER_KEY to one that it takes"
        case 404:
            return (
                f"has no model {model}, or no chat at this address ({because}): set STRATA_MODEL "
                "to a model that it serves; STRATA_SERVER_URL mostly ends in /v1"
            )
        case 429:
            return f"is overloaded ({because}): ask again later, or lower STRATA_SERVER_CONCURRENCY"
        case _ if status >= 500:
            return f"fails ({because}): ask again later, or look into the server's log"
        case _ if status >= 400:
            return f"refuses the request ({because})"
    return f"answers {because} instead of a chat: check STRATA_SERVER_URL"


def said_in(response: httpx.Response) -> str:
    """The message of a refusal; of one that is no JSON, its text."""
    try:
        return _message(response.json().get("error") or response.json())
    except (ValueError, AttributeError):
        return response.text


def brief(text: str) -> str:
    """At most 200 characters of a text of any origin, on one line."""
    return shorten("".join(c if c.isprintable() else " " for c in text), 200, placeholder=" …")


def _message(error: Any) -> str:
    return str(error.get("message") or error) if isinstance(error, dict) else str(error)
