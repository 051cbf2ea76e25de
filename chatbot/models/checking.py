"""Check of a model with a few questions: its answers, speed and abilities."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from textwrap import shorten
from typing import Literal

import psutil
from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel

from chatbot.errors import GeneratorError
from chatbot.models.served import ServedChatModel
from chatbot.runtime.concurrency import together
from chatbot.runtime.model_calls import ask_for, call, next_token_probabilities

_STEP = "check"
_TOGETHER = 4


class _Sky(BaseModel):
    colour_of_the_sky: Literal["blue", "red"]


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """The result of a check; `together` is the speed-up of four calls at once over one by one.

    `fallback` is that of the model that stands in where this one fails.
    """

    backend: str
    reply: str
    load_seconds: float
    first_token_seconds: float
    prompt_tokens_per_second: float | None
    answer_tokens_per_second: float | None
    memory_bytes: int | None
    streams: bool
    counts_tokens: bool
    tells_probabilities: bool
    keeps_to_a_schema: bool
    together: float
    warnings: tuple[str, ...] = ()
    fallback: "ModelCheck | None" = None


async def check_model(
    model: BaseChatModel, on_step: Callable[[str], None] = lambda step: None
) -> ModelCheck:
    """Load the model and ask it twelve short questions, then its fallback, each by itself.

    Raises GeneratorError where one of them fails.
    """
    if not isinstance(model, ServedChatModel) or model.second is None:
        return await _check(model, on_step)
    first, problems = None, []
    try:
        first = await _check(model.model_copy(update={"second": None}), on_step)
    except GeneratorError as error:
        problems.append(str(error))
    try:
        second = await _check(model.second, lambda step: on_step(f"the fallback: {step}"))
    except GeneratorError as error:
        problems.append(f"the fallback {model.second.known_as}: {error}")
    else:
        if first is not None:
            return replace(first, fallback=second)
        problems.append(f"the fallback {model.second.known_as} answers")
    raise GeneratorError("; ".join(problems))


async def _check(model: BaseChatModel, on_step: Callable[[str], None]) -> ModelCheck:
    on_step("loading the model")
    started = time.perf_counter()
    if load := getattr(model, "load", None):
        await asyncio.to_thread(load)
    load_seconds = time.perf_counter() - started

    on_step("asking it something")
    pieces = [c async for c in model.astream(_counting(100), max_tokens=12) if c.content]
    # Never the same text twice: what was read before would not be read again.
    start = time.time_ns() % 1000
    lines = " ".join(f"Port {start + n} runs at {n} Gbit/s." for n in range(1, 13))
    question = f"How fast is port {start + 5}? Answer in one sentence, then explain it."
    measured = await call(model, [("user", f"{lines} {question}")], step=_STEP, max_tokens=48)
    if not measured.reply.strip():
        raise GeneratorError(
            "the model returned nothing: check that it is a chat model with a chat template"
        )
    on_step("asking for probabilities and for JSON")
    water = [("user", "Is water wet? Reply True or False.")]
    probabilities, _ = await next_token_probabilities(model, [water], ["True", "False"], step=_STEP)
    sky = [("user", "Say in one sentence which colour the sky has.")]
    _, structured = await ask_for(model, sky, _Sky, step=_STEP, max_tokens=40)
    on_step("asking four things one after the other, then together")
    speed_up = await _speed_up(model)
    counts = measured.completion_tokens > 0
    served = model if isinstance(model, ServedChatModel) else None
    warnings = []
    if served and served.shows_key_to_the_network:
        warnings.append(
            f"the key goes to {served.address} unencrypted, and so do questions and documents: "
            "use an https address"
        )
    reading = _rate(measured.prompt_tokens - measured.cached_tokens, measured.first_token)
    writing = _rate(measured.completion_tokens - 1, measured.seconds - measured.first_token)
    own_memory = getattr(model, "memory_bytes", None) or psutil.Process().memory_info().rss
    return ModelCheck(
        backend=model._llm_type,
        reply=shorten(measured.reply, 200, placeholder=" …"),
        load_seconds=round(load_seconds, 2),
        first_token_seconds=round(measured.first_token, 3),
        prompt_tokens_per_second=reading if counts else None,
        answer_tokens_per_second=writing,
        memory_bytes=None if served else own_memory,
        streams=len(pieces) > 1,
        counts_tokens=counts,
        tells_probabilities=probabilities[0] is not None,
        keeps_to_a_schema=not structured[0].problem,
        together=speed_up,
        warnings=tuple(warnings),
    )


async def _speed_up(model: BaseChatModel) -> float:
    started = time.perf_counter()
    for number in range(_TOGETHER):
        await call(model, _counting(200 + number), step=_STEP, max_tokens=24)
    middle = time.perf_counter()
    await together(
        call(model, _counting(300 + number), step=_STEP, max_tokens=24)
        for number in range(_TOGETHER)
    )
    return round((middle - started) / (time.perf_counter() - middle), 2)


def _counting(start: int) -> list[tuple[str, str]]:
    return [("user", f"Count from {start} to {start + 90}: write all the numbers, nothing else.")]


def _rate(tokens: int, seconds: float) -> float | None:
    return round(tokens / seconds, 1) if tokens > 0 and seconds > 0 else None
