"""A chat model of which only the asynchronous stream has to be written, and its chunks."""

import asyncio
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.messages.ai import InputTokenDetails, UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult

Chunks = AsyncGenerator[ChatGenerationChunk, None]


class StreamingChatModel(BaseChatModel):
    """Asks by `_chunks`; a blocking call must not be made inside an event loop."""

    @property
    def known_as(self) -> str:
        """The model's name, as people know it."""
        return self._llm_type

    @property
    def server(self) -> str:
        """The server that runs it, without secrets; empty where this process does."""
        return ""

    @abstractmethod
    def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        """Answer; closing the generator, or cancelling who waits for it, stops the work."""

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        async with aclosing(self._chunks(messages, stop, kwargs)) as chunks:
            async for chunk in chunks:
                if run_manager:
                    await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return asyncio.run(self._agenerate(messages, stop, **kwargs))


def mailbox() -> tuple[asyncio.Queue[Any], Callable[[Any], None]]:
    """A queue of this event loop, and how a thread puts something into it."""
    loop = asyncio.get_running_loop()
    events: asyncio.Queue[Any] = asyncio.Queue()

    def deliver(event: Any) -> None:
        # A loop that is closed has nobody left who listens.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(events.put_nowait, event)

    return events, deliver


def chunk_of(
    text: str,
    *,
    logprobs: Sequence[dict[str, Any]] = (),
    finish_reason: str | None = None,
    tokens: tuple[int, int] | None = None,
    cached: int | None = None,
) -> ChatGenerationChunk:
    """A piece of an answer; `tokens` are those read and written, `cached` those not read anew.

    Log-probabilities are in the response metadata as OpenAI has them: a list `content`, each with
    `token`, `logprob` and `top_logprobs`.
    """
    metadata: dict[str, Any] = {"logprobs": {"content": list(logprobs)}} if logprobs else {}
    if finish_reason:
        metadata["finish_reason"] = finish_reason
    usage = None
    if tokens:
        read, written = tokens
        usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=sum(tokens))
        if cached is not None:
            usage["input_token_details"] = InputTokenDetails(cache_read=cached)
    message = AIMessageChunk(content=text, response_metadata=metadata, usage_metadata=usage)
    return ChatGenerationChunk(message=message)
