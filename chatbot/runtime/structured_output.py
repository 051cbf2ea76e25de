"""A reply with a form: validated, asked for once more with the error shown, or given up."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, ValidationError

from chatbot.runtime.model_calls import Messages, call
from chatbot.turn import ModelCall
from prompts import as_data

Reply = TypeVar("Reply", bound=BaseModel)

_OBJECT = re.compile(r"\{.*\}", re.S)


async def ask_for(
    model: BaseChatModel,
    messages: Messages,
    form: type[Reply],
    *,
    step: str,
    max_tokens: int,
    check: Callable[[Reply], None] = lambda reply: None,
) -> tuple[Reply | None, tuple[ModelCall, ...]]:
    """Ask for a JSON object of the given form, with the calls it took; None after two bad replies.

    `check` raises ValueError with a reason that the model can act on. A backend that offers it is
    held to the form while it writes.
    """
    # A strict server wants it said that nothing else may be in the object.
    shape = {**form.model_json_schema(), "additionalProperties": False}
    schema = {"name": form.__name__, "schema": shape, "strict": True}
    options: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": schema}}
    conversation = list(messages)
    calls: list[ModelCall] = []
    for _ in range(2):
        made = await call(model, conversation, step=step, max_tokens=max_tokens, **options)
        try:
            reply = _read(made.reply, form)
            check(reply)
        except ValueError as error:
            problem = _reason(error)
            calls.append(replace(made, problem=problem))
            conversation += [
                ("assistant", as_data(made.reply)),
                (
                    "user",
                    f"That reply cannot be used: {as_data(problem)}. Reply with the JSON "
                    "object only.",
                ),
            ]
        else:
            return reply, (*calls, made)
    return None, tuple(calls)


def _read(text: str, form: type[Reply]) -> Reply:
    found = _OBJECT.search(text)
    if found is None:
        raise ValueError("the reply holds no JSON object")
    return form.model_validate_json(found[0])


def _reason(error: ValueError) -> str:
    if not isinstance(error, ValidationError):
        return str(error)
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"{place}: {first['msg']}" if place else first["msg"]
