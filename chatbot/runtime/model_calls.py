"""Calls of the language model, whatever its backend: counted, timed, cancelled with a question.

Each is told to `noted_attempts` and has a span; where a model fails, its second is asked.
"""

import asyncio
import math
import time
from base64 import b64encode
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any, TypeVar, cast
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel, ValidationError

from chatbot.errors import GeneratorError, Unread
from chatbot.runtime.concurrency import is_out_of_time, together
from chatbot.runtime.events import ModelAsked, StepFinished, StepStarted, Token, emit
from chatbot.runtime.spans import span
from chatbot.turn import ModelCall
from ingestion.objections import first_objection
from ingestion.pictures import media_type
from prompts import as_data

Reply = TypeVar("Reply", bound=BaseModel)

STEP: ContextVar[str] = ContextVar("step", default="")
"""The step that a model is called for; a scripted one replies by it."""

TOO_LONG = "prompt_too_long"
"""The kind of error of a prompt that was not read."""
TIMEOUT = "timeout"
"""The kind of error of a server that did not answer in time."""
STOPPED = "stopped"
"""The kind of a request that nobody waits for any more; it is none of the server's errors."""
_ATTEMPTS: ContextVar[list["Attempt"] | None] = ContextVar("attempts", default=None)

Messages = Sequence[tuple[str, str]]
"""A prompt: (role, text) in order."""


@dataclass(frozen=True, slots=True)
class ShownPicture:
    """A picture for a model that sees: PNG or WebP, and what is written above it."""

    data: bytes
    about: str


@dataclass(frozen=True, slots=True)
class _Request:
    """What a model is asked; `shown`, `behind`, `unless` and `pictures` are those of `call`."""

    messages: Messages
    step: str
    options: Mapping[str, Any]
    shown: bool = False
    behind: str = ""
    unless: tuple[str, float] | None = None
    pictures: Sequence[ShownPicture] = ()


_MOST_TOKENS = 4096
_CHARACTERS = 8
"""The most characters of a token: a longer reply is cut, since a server may ignore the limit."""


@dataclass(frozen=True)
class Attempt:
    """A request to a model: where, how long it took, and how it went wrong.

    `server` is empty for a model in this process. `error` is its kind, empty where it was answered.
    `first_token` is in seconds, None where no word came. Of one that was stopped only the pieces
    that came are known, and count as tokens.
    """

    server: str
    model: str
    error: str
    seconds: float
    first_token: float | None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    at: datetime = field(default_factory=lambda: datetime.now(UTC))


@contextmanager
def noted_attempts() -> Iterator[list[Attempt]]:
    """Within it, also in tasks that are begun there, every attempt is added to the list."""
    noted: list[Attempt] = []
    token = _ATTEMPTS.set(noted)
    try:
        yield noted
    finally:
        _ATTEMPTS.reset(token)


def note(attempt: Attempt) -> None:
    """Add an attempt to the list of `noted_attempts`, where there is one."""
    if (noted := _ATTEMPTS.get()) is not None:
        noted.append(attempt)


async def call(
    model: BaseChatModel,
    messages: Messages,
    *,
    step: str,
    shown: bool = False,
    behind: str = "",
    unless: tuple[str, float] | None = None,
    pictures: Sequence[ShownPicture] = (),
    **options: Any,
) -> ModelCall:
    """The result of one call; `options` are max_tokens, temperature, stop … Raises GeneratorError.

    Where the model fails its `second` is asked, if it has one, and the result says so.

    A prompt that is too long gets no reply, and the call has that as its `problem`: only the model
    can count the tokens of a text.

    With `shown` the words go to the listener of the question, `behind` others. `unless` names words
    and a probability: where they are at least so likely to begin the reply, they are the reply.
    `pictures` are shown to the model with the last message, and not kept with the call.
    """
    return (
        await _stream(model, _Request(messages, step, options, shown, behind, unless, pictures))
    )[0]


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
    options: dict[str, Any] = {"response_format": _asked_for(form)}
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
            problem = first_objection(error) if isinstance(error, ValidationError) else str(error)
            calls.append(replace(made, problem=problem))
            refusal = f"That reply cannot be used: {as_data(problem)}. Reply with the JSON object"
            conversation += [("assistant", as_data(made.reply)), ("user", f"{refusal} only.")]
        else:
            return reply, (*calls, made)
    return None, tuple(calls)


@cache
def _asked_for(form: type[BaseModel]) -> dict[str, Any]:
    # A strict server wants it said that nothing else may be in the object.
    shape = {**form.model_json_schema(), "additionalProperties": False}
    schema = {"name": form.__name__, "schema": shape, "strict": True}
    return {"type": "json_schema", "json_schema": schema}


async def next_token_probabilities(
    model: BaseChatModel, prompts: Sequence[Messages], words: Sequence[str], *, step: str
) -> tuple[list[Mapping[str, float] | None], list[ModelCall]]:
    """For every prompt the probability of each word to come next (RankRAG; G-Eval), 0 to 1.

    None where the backend gives no probabilities.
    """
    options = {"max_tokens": 1, "logprobs": True, "top_logprobs": 20}
    requests = [_Request(prompt, step, options) for prompt in prompts]
    answers = await together(_stream(model, request) for request in requests)
    return [_probabilities(reply, words) for _, reply in answers], [made for made, _ in answers]


async def _stream(model: BaseChatModel, request: _Request) -> tuple[ModelCall, AIMessageChunk]:
    """The call by the model, or by what stands in for it."""
    order: Sequence[BaseChatModel] = getattr(model, "in_order", (model,))
    why = "" if order[0] is model else f"{_named(model)} failed a moment ago"
    for asked in order[:-1]:
        try:
            made, reply = await _attempt(asked, request)
        except GeneratorError as error:
            why = why or f"{_named(model)}: {error}"
            if request.shown:
                # What was written so far is no part of the answer; the step goes on, if it is one.
                emit(StepStarted(request.step))
                emit(StepFinished(request.step))
        else:
            return (made if asked is model else replace(made, instead_of=why)), reply
    made, reply = await _attempt(order[-1], request)
    return (made if order[-1] is model else replace(made, instead_of=why)), reply


def _named(model: BaseChatModel) -> str:
    name: str = getattr(model, "known_as", model._llm_type)
    return name


async def _attempt(model: BaseChatModel, request: _Request) -> tuple[ModelCall, AIMessageChunk]:
    """One request: noted, and with a span of its own."""
    server, name, options = getattr(model, "server", ""), _named(model), request.options
    url = urlsplit(server) if "://" in server else None
    started = time.perf_counter()
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": getattr(model, "provider", model._llm_type),
        "gen_ai.request.model": name,
        "gen_ai.request.max_tokens": options.get("max_tokens"),
        "gen_ai.request.temperature": options.get("temperature"),
        "gen_ai.request.stream": True,
        "gen_ai.output.type": "json" if "response_format" in options else "text",
        "server.address": url and url.hostname,
        "server.port": url and url.port,
        "strata.step": request.step,
    }
    pieces: list[float] = []
    emit(ModelAsked(request.step))
    if request.behind:
        emit(Token(request.behind))
    try:
        with span(f"chat {name}", attributes, client=bool(server)) as tell:
            made, reply = await _streamed(model, request, pieces)
            tell(_figures(made))
    except (GeneratorError, asyncio.CancelledError) as error:
        # One of which no word came until the question ended did not answer.
        stopped = TIMEOUT if is_out_of_time() and not pieces else STOPPED
        kind = error.kind if isinstance(error, GeneratorError) else stopped
        came = 0 if isinstance(error, GeneratorError) else len(pieces)
        seconds = round(time.perf_counter() - started, 4)
        note(Attempt(server, name, kind, seconds, None, completion_tokens=came))
        raise
    kind = TOO_LONG if made.problem else ""
    tokens = (made.prompt_tokens, made.completion_tokens)
    note(Attempt(server, name, kind, made.seconds, made.first_token or None, *tokens))
    return replace(made, model=name, server=server), reply


def _figures(made: ModelCall) -> dict[str, Any]:
    """What a span says of a call that ended by itself."""
    return {
        "error.type": TOO_LONG if made.problem else None,
        "gen_ai.usage.input_tokens": made.prompt_tokens,
        "gen_ai.usage.output_tokens": made.completion_tokens,
        "gen_ai.usage.cache_read.input_tokens": made.cached_tokens,
        "gen_ai.response.time_to_first_chunk": made.first_token or None,
    }


async def _streamed(
    model: BaseChatModel, request: _Request, pieces: list[float]
) -> tuple[ModelCall, AIMessageChunk]:
    """The reply, and when after the start each of its `pieces` came."""
    started = time.perf_counter()
    likely = None
    came: list[AIMessageChunk] = []
    options = dict(request.options)
    words, least = request.unless or ("", 1.0)
    if request.unless:
        options |= {"logprobs": True, "top_logprobs": 20}
    stream = cast("AsyncGenerator[AIMessageChunk]", model.astream(_sent(request), **options))
    problem, said_unless = "", False
    asking = STEP.set(request.step)
    length, most = 0, _CHARACTERS * options.get("max_tokens", _MOST_TOKENS)
    try:
        async with aclosing(stream) as chunks:
            async for chunk in chunks:
                if chunk.content:
                    pieces.append(time.perf_counter() - started)
                if request.shown and chunk.content:
                    emit(Token(str(chunk.content)))
                came.append(chunk)
                length += len(str(chunk.content))
                if length > most:
                    break
                if not request.unless or likely is not None:
                    continue
                likely = _probabilities(_whole(came), (words,))
                if likely is not None and likely[words] >= least:
                    said_unless = True
                    break
    except Unread as error:
        problem = str(error)
    finally:
        STEP.reset(asking)
    reply = _whole(came)
    reply.content = words if said_unless else str(reply.content)[:most]
    counted = reply.usage_metadata or UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)
    made = ModelCall(
        step=request.step,
        prompt=tuple(request.messages),
        reply=str(reply.content),
        prompt_tokens=counted["input_tokens"],
        cached_tokens=(counted.get("input_token_details") or {}).get("cache_read", 0),
        completion_tokens=counted["output_tokens"],
        seconds=round(time.perf_counter() - started, 4),
        first_token=round(pieces[0], 4) if pieces else 0.0,
        doubt=round(likely[words], 4) if likely else 0.0,
        problem=problem,
    )
    return made, reply


def _whole(pieces: Sequence[AIMessageChunk]) -> AIMessageChunk:
    """The pieces of a reply as one: put together once, not at each of a thousand tokens."""
    return AIMessageChunk(content="") + list(pieces)


def _sent(
    request: _Request,
) -> list[tuple[str, str | list[str | dict[str, Any]]]]:
    """Return messages as the model gets them: pictures are parts of the last, each after its text.

    Their form is OpenAI's, which LangChain turns into that of any provider.
    """
    if not request.pictures:
        return list(request.messages)
    *before, (role, text) = request.messages
    parts: list[str | dict[str, Any]] = [{"type": "text", "text": text}]
    for picture in request.pictures:
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
