"""OpenAI's chat completions: a request, and its streamed events as LangChain's chunks.

llama.cpp, vLLM, Ollama and hosted services speak it; so does the embedded model.
"""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk

from chatbot.models.streaming import chunk_of


def streamed_request(
    messages: Sequence[BaseMessage], stop: Sequence[str] | None, options: dict[str, Any]
) -> dict[str, Any]:
    """The body of a request whose answer is streamed, with its usage in the end.

    Options that are None are left out.
    """
    return {
        "messages": convert_to_openai_messages(messages),
        **{name: value for name, value in options.items() if value is not None},
        **({"stop": list(stop)} if stop else {}),
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def read_event(event: dict[str, Any]) -> ChatGenerationChunk | None:
    """The chunk of a streamed event; None if it tells nothing.

    Raises KeyError, TypeError, AttributeError and IndexError for an event of another shape.
    """
    choice = (event.get("choices") or [{}])[0]
    text = (choice.get("delta") or {}).get("content") or ""
    logprobs = [
        {**_token(token), "top_logprobs": [_token(t) for t in token.get("top_logprobs") or []]}
        for token in (choice.get("logprobs") or {}).get("content") or []
    ]
    finish_reason = choice.get("finish_reason")
    tokens = cached = None
    if usage := event.get("usage"):
        tokens = usage["prompt_tokens"], usage.get("completion_tokens") or 0
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    if not (text or logprobs or finish_reason or tokens):
        return None
    return chunk_of(
        text, logprobs=logprobs, finish_reason=finish_reason, tokens=tokens, cached=cached
    )


def _token(token: dict[str, Any]) -> dict[str, Any]:
    return {"token": token["token"], "logprob": token["logprob"]}
