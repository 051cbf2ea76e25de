"""Asking the language model, whatever its backend: counted, timed, stopped with its question."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig

from chatbot.runtime.concurrency import together
from chatbot.turn import ModelCall, Turn

Messages = Sequence[tuple[str, str]]
"""A prompt: (role, text) in order."""

ANSWER = "answer"
"""The tag of a call whose words are shown to the asker while they come."""


async def call(
    model: BaseChatModel, messages: Messages, *, step: str, shown: bool = False, **options: Any
) -> ModelCall:
    """Ask once; `options` are max_tokens, temperature, stop and the like.

    With `shown` the words go to whoever listens to the question. Raises GeneratorError.
    """
    made, _ = await _stream(model, messages, step=step, shown=shown, **options)
    return made


def temperature(turn: Turn) -> dict[str, float]:
    """The option of a call that holds the temperature a step has set for a turn, if one has."""
    return {} if turn.temperature is None else {"temperature": turn.temperature}


async def call_all(
    model: BaseChatModel, prompts: Sequence[Messages], *, step: str, **options: Any
) -> list[ModelCall]:
    """Ask all at once, in the prompts' order; the backend has slots for them or makes a batch."""
    return await together(call(model, p, step=step, **options) for p in prompts)


async def next_token_probabilities(
    model: BaseChatModel, prompts: Sequence[Messages], words: Sequence[str], *, step: str
) -> tuple[list[Mapping[str, float] | None], list[ModelCall]]:
    """For every prompt the probability of each word to come next (RankRAG; G-Eval), 0 to 1.

    A word counts by any token that is the word or begins it, upper or lower case. None where the
    backend tells no probabilities.
    """
    answers = await together(
        _stream(model, p, step=step, max_tokens=1, logprobs=True, top_logprobs=20) for p in prompts
    )
    return [_probabilities(reply, words) for _, reply in answers], [made for made, _ in answers]


async def _stream(
    model: BaseChatModel, messages: Messages, *, step: str, shown: bool = False, **options: Any
) -> tuple[ModelCall, AIMessageChunk]:
    started = time.perf_counter()
    first = 0.0
    reply = AIMessageChunk(content="")
    config = RunnableConfig(tags=[ANSWER] if shown else [])
    async for chunk in model.astream(list(messages), config, **options):
        if not first and chunk.content:
            first = time.perf_counter() - started
        reply += chunk
    counted = reply.usage_metadata
    made = ModelCall(
        step=step,
        prompt=tuple(messages),
        reply=str(reply.content),
        prompt_tokens=counted["input_tokens"] if counted else 0,
        cached_tokens=(counted.get("input_token_details") or {}).get("cache_read", 0)
        if counted
        else 0,
        completion_tokens=counted["output_tokens"] if counted else 0,
        seconds=round(time.perf_counter() - started, 4),
        first_token=round(first, 4),
    )
    return made, reply


def _probabilities(reply: AIMessageChunk, words: Sequence[str]) -> dict[str, float] | None:
    tokens = (reply.response_metadata.get("logprobs") or {}).get("content") or []
    if not tokens:
        return None
    likely = [(t["token"].strip().lower(), t["logprob"]) for t in tokens[0]["top_logprobs"]]
    return {
        word: sum(math.exp(p) for token, p in likely if token and word.lower().startswith(token))
        for word in words
    }
