"""OpenAI's chat completions: a request, and its streamed events as LangChain's chunks.

llama.cpp, vLLM, Ollama and hosted services speak it; so does the embedded model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.outputs import ChatGenerationChunk

_OPTIONS = (
    "max_tokens",
    "temperature",
    "seed",
    "logprobs",
    "top_logprobs",
    "response_format",
)


def streamed_request(
    messages: Sequence[BaseMessage], stop: Sequence[str] | None, options: dict[str, Any]
) -> dict[str, Any]:
    """The body of a request whose answer is streamed, with its usage in the end.

    Of the options those that are not None count: max_tokens, temperature, seed, logprobs,
    top_logprobs and response_format.
    """
    body = {name: options[name] for name in _OPTIONS if options.get(name) is not None}
    if stop:
        body["stop"] = list(stop)
    return {
        "messages": convert_to_openai_messages(messages),
        **body,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def read_event(event: dict[str, Any]) -> ChatGenerationChunk | None:
    """The chunk of a streamed event; None if it tells nothing.

    Log-probabilities are in the response metadata as OpenAI has them: a list `content`, each with
    `token`, `logprob` and `top_logprobs`. Raises KeyError, TypeError, AttributeError and IndexError
    for an event of another shape.
    """
    choice = (event.get("choices") or [{}])[0]
    text = (choice.get("delta") or {}).get("content") or ""
    metadata: dict[str, Any] = {}
    if tokens := (choice.get("logprobs") or {}).get("content"):
        metadata["logprobs"] = {"content": [_with_alternatives(token) for token in tokens]}
    if choice.get("finish_reason"):
        metadata["finish_reason"] = choice["finish_reason"]
    usage = _usage(event["usage"]) if event.get("usage") else None
    if not (text or metadata or usage):
        return None
    message = AIMessageChunk(content=text, usage_metadata=usage, response_metadata=metadata)
    return ChatGenerationChunk(message=message)


def _with_alternatives(token: dict[str, Any]) -> dict[str, Any]:
    alternatives = [_token(other) for other in token.get("top_logprobs") or []]
    return {**_token(token), "top_logprobs": alternatives}


def _token(token: dict[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "logprob": token["logprob"]}


def _usage(counted: dict[str, Any]) -> UsageMetadata:
    read, written = counted["prompt_tokens"], counted.get("completion_tokens") or 0
    usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    cached = (counted.get("prompt_tokens_details") or {}).get("cached_tokens")
    if cached is not None:
        usage["input_token_details"] = InputTokenDetails(cache_read=cached)
    return usage
