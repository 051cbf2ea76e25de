"""What a model's server says when it refuses: as each provider's package raises it."""

import json
import re
from contextlib import suppress
from textwrap import shorten
from typing import Any

# What not every server has; one that refuses it is asked without it.
EXTRAS = ("response_format", "logprobs", "top_logprobs", "stream_options")
# What every provider has; left out where the refusal names it, as newer models of OpenAI do.
USUAL = ("max_tokens", "temperature")
OVERFLOW = re.compile(r"context.{0,9}(length|size|window)|context_", re.IGNORECASE)
"""In a refusal of a prompt that is too long."""


def origin(error: Exception) -> Exception:
    """The refusal behind an error; else its first cause."""
    while not status_of(error) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    return error


def status_of(error: Exception) -> int:
    """The HTTP status of a refusal, wherever the provider's package keeps it; else 0."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "code", None)
    return status if isinstance(status, int) else 0


def retry_after(error: Any) -> float | None:
    """The seconds that a server says to wait for; None where it says none."""
    with suppress(AttributeError, KeyError, ValueError):
        return max(0.0, float(error.response.headers["retry-after"]))
    return None


def message_of(error: Exception) -> str:
    """The message of a server's refusal."""
    return deepest(getattr(error, "body", None) or getattr(error, "message", None) or str(error))


def deepest(message: Any) -> str:
    """The sentence in a refusal as servers nest it, as it is or in JSON."""
    if isinstance(message, str) and message.startswith("{"):
        with suppress(ValueError):
            message = json.loads(message)
    while isinstance(message, dict):
        message = message.get("message") or message.get("error") or str(message)
    return str(message)


def to_leave_out(status: int, message: str, sent: dict[str, Any]) -> set[str]:
    """The parameters to leave out of the next try: those the refusal names, else all extras."""
    if status not in {400, 422} or OVERFLOW.search(message):
        return set()
    named = {n for n in (*EXTRAS, *USUAL) if n.removeprefix("top_").rstrip("s") in message.lower()}
    return named.intersection(sent) or sent.keys() & EXTRAS


def one_line(text: str) -> str:
    """A message as one short line without what cannot be printed."""
    return shorten("".join(c if c.isprintable() else " " for c in text), 200, placeholder=" …")
