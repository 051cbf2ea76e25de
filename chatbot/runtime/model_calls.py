"""Calls of the language model, whatever its backend: counted, timed, cancelled with a question."""

import math
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel, ValidationError

from chatbot.errors import Unread
from chatbot.runtime.concurrency import together
from chatbot.runtime.events import Token, emit
from chatbot.text.words import first_problem
from chatbot.turn import ModelCall
from ingestion.pictures import media_type
from prompts import as_data

Reply = TypeVar("Reply", bound=BaseModel)

STEP: ContextVar[str] = ContextVar("step", default="")
"""The step that a model is called for; a scripted one replies by it."""

Messages = Sequence[tuple[str, str]]
"""A prompt: (role, text) in order."""


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture for a model that sees: PNG or WebP, and what is written above it."""

    data: bytes
    about: str


_MOST_TOKENS = 4096
_CHARACTERS = 8
"""The most characters of a token: a longer reply is cut, since a server may ignore the limit."""


async def call(
    model: BaseChatModel,
    messages: Messages,
    *,
    step: str,
    shown: bool = False,
    unless: tuple[str, float] | None = None,
    pictures: Sequence[ShownPicture] = (),
    **options: Any,
) -> ModelCall:
    """The result of one call; `options` are max_tokens, temperature, stop … Raises GeneratorError.

    A prompt that is too long gets no reply, and the call has that as its `problem`: only the model
    can count the tokens of a text.

    With `shown` the words go to the listener of the question. `unless` names words and a
    probability: where they are at least so likely to begin the reply, they are the reply.
    `pictures` are shown to the model with the last message, and not kept with the call.
    """
    return (await _stream(model, messages, step, options, shown, unless, pictures))[0]


async def ask_for(
    model: BaseChatModel,
    messages: Messages,
    form: type[Reply],
    *,
    step: str,
    max_tokens: int,
    check: Callable[[Reply], None] = lambda reply: None,
) -> tuple[Reply | None, tuple[ModelCall, ...]]:
    """Ask for a JSON object that `check` (ValueError) agrees to; None after two bad replies."""
    # A strict server wants it said that nothing else may be in the object.
    shape = {**form.model_json_schema(), "additionalProperties": False}
    schema = {"name": form.__name__, "schema": shape, "strict": True}
    options: dict[str, Any] = {"response_format": {"type": "json_schema", "json_schema": schema}}
    conversation = list(messages)
    calls: list[ModelCall] = []
    for _ in range(2):
        made = await call(model, conversation, step=step, max_tokens=max_tokens, **options)
        if made.problem:
            return None, (*calls, made)
        try:
            start, end = made.reply.find("{"), made.reply.rfind("}") + 1
            if not 0 <= start < end:
                raise ValueError("the reply holds no JSON object")
            reply = form.model_validate_json(made.reply[start:end])
            check(reply)
        except ValueError as error:
            problem = first_problem(error) if isinstance(error, ValidationError) else str(error)
            calls.append(replace(made, problem=problem))
            refusal = f"That reply cannot be used: {as_data(problem)}. Reply with the JSON object"
            conversation += [("assistant", as_data(made.reply)), ("user", f"{refusal} only.")]
        else:
            return reply, (*calls, made)
    return None, tuple(calls)


async def next_token_probabilities(
    model: BaseChatModel, prompts: Sequence[Messages], words: Sequence[str], *, step: str
) -> tuple[list[Mapping[str, float] | None], list[ModelCall]]:
    """For every prompt the probability of each word to come next (RankRAG; G-Eval), 0 to 1.

    None where the backend gives no probabilities.
    """
    options = {"max_tokens": 1, "logprobs": True, "top_logprobs": 20}
    answers = await together(_stream(model, prompt, step, options) for prompt in prompts)
    return [_probabilities(reply, words) for _, reply in answers], [made for made, _ in answers]


async def _stream(
    model: BaseChatModel,
    messages: Messages,
    step: str,
    options: dict[str, Any],
    shown: bool = False,
    unless: tuple[str, float] | None = None,
    pictures: Sequence[ShownPicture] = (),
) -> tuple[ModelCall, AIMessageChunk]:
    started = time.perf_counter()
    first = 0.0
    likely = None
    reply = AIMessageChunk(content="")
    words, least = unless or ("", 1.0)
    if unless:
        options = {**options, "logprobs": True, "top_logprobs": 20}
    stream = cast(
        "AsyncGenerator[AIMessageChunk]", model.astream(_sent(messages, pictures), **options)
    )
    problem = ""
    asking = STEP.set(step)
    length, most = 0, _CHARACTERS * options.get("max_tokens", _MOST_TOKENS)
    try:
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                if not first and chunk.content:
                    first = time.perf_counter() - started
                if shown and chunk.content:
                    emit(Token(str(chunk.content)))
                reply += chunk
                length += len(str(chunk.content))
                if length > most:
                    reply.content = str(reply.content)[:most]
                    break
                if not unless or likely is not None:
                    continue
                likely = _probabilities(reply, (words,))
                if likely is not None and likely[words] >= least:
                    reply.content = words
                    break
    except Unread as error:
        problem = str(error)
    finally:
        STEP.reset(asking)
    counted = reply.usage_metadata or UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)
    made = ModelCall(
        step=step,
        prompt=tuple(messages),
        reply=str(reply.content),
        prompt_tokens=counted["input_tokens"],
        cached_tokens=(counted.get("input_token_details") or {}).get("cache_read", 0),
        completion_tokens=counted["output_tokens"],
        seconds=round(time.perf_counter() - started, 4),
        first_token=round(first, 4),
        doubt=round(likely[words], 4) if likely else 0.0,
        problem=problem,
    )
    return made, reply


def _sent(messages: Messages, pictures: Sequence[ShownPicture]) -> list[Any]:
    """Return messages as the model gets them: pictures are parts of the last, each after its text.

    Their form is OpenAI's, which LangChain turns into that of any provider.
    """
    if not pictures:
        return list(messages)
    *before, (role, text) = messages
    parts: list[dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in pictures:
        url = f"data:{media_type(picture.data)};base64,{b64encode(picture.data).decode()}"
        parts.append({"type": "text", "text": picture.about})
        parts.append({"type": "image_url", "image_url": {"url": url}})
    return [*before, (role, parts)]


def _probabilities(reply: AIMessageChunk, words: Sequence[str]) -> dict[str, float] | None:
    tokens = (reply.response_metadata.get("logprobs") or {}).get("content") or []
    if not tokens:
        return None
    likely = [(t["token"].strip().lower(), t["logprob"]) for t in tokens[0]["top_logprobs"]]
    return {
        word: sum(math.exp(p) for token, p in likely if token and word.lower().startswith(token))
        for word in words
    }
