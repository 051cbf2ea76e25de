"""A GGUF model run inside this process by xllamacpp, behind LangChain's chat model interface."""

from __future__ import annotations

import importlib
import os
import queue
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import generate_from_stream
from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from chatbot.models.errors import GeneratorError

_PATIENCE = 0.2


class EmbeddedChatModel(BaseChatModel):
    """Chat with a local GGUF file; loaded at the first call, one request at a time.

    The prompt prefix shared with the previous request is not computed again. Leaving the stream
    early stops the model. Raises GeneratorError.
    """

    path: Path
    threads: int = 0
    context: int = 4096
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int = 0

    _server: Any = PrivateAttr(default=None)
    _loading: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "xllamacpp"

    def load(self) -> None:
        """Read the model into memory if it is not there yet (about two seconds, 1.9 GB)."""
        with self._loading:
            if self._server is None:
                self._server = self._start()

    def _start(self) -> Any:
        if not self.path.is_file():
            raise GeneratorError(f"no model at {self.path}: run `strata models pull`")
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")

        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        params.n_ctx = self.context
        params.n_parallel = 1
        threads = self.threads or os.cpu_count() or 1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.verbosity = -1
        # The library opens a loopback port of its own; without a key any web page could use it.
        params.api_keys = [secrets.token_urlsafe(32)]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise GeneratorError(
                f"{self.path.name} could not be loaded ({error}): free memory, or run "
                "`strata models pull` to check the file"
            ) from error

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return generate_from_stream(self._stream(messages, stop, run_manager, **kwargs))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        self.load()
        request = {
            "messages": convert_to_openai_messages(messages),
            "max_tokens": kwargs.get("max_tokens", self.max_tokens),
            "temperature": kwargs.get("temperature", self.temperature),
            "seed": self.seed,
            "stop": stop or [],
            "stream": True,
            "cache_prompt": True,
        }
        for event in _events(self._server, request):
            if event is None:
                # Nothing yet: whoever listens gets a chance to stop while the prompt is read.
                if run_manager:
                    run_manager.on_llm_new_token("")
                continue
            if "error" in event:
                raise GeneratorError(f"{self.path.name}: {event['error'].get('message', event)}")
            chunk = _chunk(event)
            if run_manager and chunk.text:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk


def _chunk(event: dict[str, Any]) -> ChatGenerationChunk:
    choices: Sequence[dict[str, Any]] = event.get("choices") or [{}]
    text = choices[0].get("delta", {}).get("content") or ""
    usage: UsageMetadata | None = None
    if timings := event.get("timings"):
        read = timings["cache_n"] + timings["prompt_n"]
        written = timings["predicted_n"]
        usage = UsageMetadata(input_tokens=read, output_tokens=written, total_tokens=read + written)
    return ChatGenerationChunk(message=AIMessageChunk(content=text, usage_metadata=usage))


def _events(server: Any, request: dict[str, Any]) -> Iterator[dict[str, Any] | None]:
    """Run a request in a thread of its own and yield what it reports; closing this cancels it.

    While nothing is reported, None is yielded every `_PATIENCE` seconds.
    """
    events: queue.Queue[dict[str, Any] | None] = queue.Queue()
    abandoned = threading.Event()

    def report(event: dict[str, Any]) -> bool:
        events.put(event)
        return abandoned.is_set()

    def work(handle: Callable[..., None] = server.handle_chat_completions) -> None:
        try:
            handle(request, report)
        finally:
            events.put(None)

    thread = threading.Thread(target=work, name="generator", daemon=True)
    thread.start()
    try:
        while True:
            try:
                event = events.get(timeout=_PATIENCE)
            except queue.Empty:
                yield None
                continue
            if event is None:
                return
            yield event
    finally:
        # Not waited for: it ends with the next token, and the server takes requests in turn.
        abandoned.set()
