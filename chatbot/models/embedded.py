"""A GGUF model run inside this process by xllamacpp, asked at the loopback port that it opens."""

from __future__ import annotations

import asyncio
import importlib
import os
import secrets
import threading
from contextlib import aclosing
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from pydantic import Field, PrivateAttr, SecretStr

from chatbot.models.errors import GeneratorError
from chatbot.models.served import ServedChatModel
from chatbot.models.streaming import Chunks, StreamingChatModel

# Between two batches of a prompt the model looks whether it is still asked: on two cores this many
# tokens take less than a second, and reading is as fast as with larger batches, within 5 %.
_PROMPT_BATCH = 48

# What was computed for earlier prompts, such as each step's fixed beginning, is kept in this much
# memory (28 KB a token of the default model) when a slot goes on to another prompt.
_PROMPT_CACHE_MIB = 256

# It is this machine that answers, however long a prompt takes to read.
_PATIENCE_SECONDS = 3600.0


class EmbeddedChatModel(StreamingChatModel):
    """Chat with a local GGUF file, loaded at the first call; `slots` requests are served together.

    `context` is the longest prompt and answer of one request, in tokens; every slot has memory for
    it. More requests than slots wait in turn. A prompt's beginning that was read before, in any
    slot, is not computed again. Leaving or cancelling a stream stops the model after the token or
    the prompt batch it is at. Raises GeneratorError.
    """

    path: Path
    threads: int = 0
    context: int = 4096
    slots: int = Field(4, ge=1)
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int = 0

    _server: Any = PrivateAttr(default=None)
    _served: ServedChatModel | None = PrivateAttr(default=None)
    _loading: threading.Lock = PrivateAttr(default_factory=threading.Lock)

    @property
    def _llm_type(self) -> str:
        return "xllamacpp"

    def load(self) -> ServedChatModel:
        """Read the model into memory if it is not there yet (about two seconds)."""
        with self._loading:
            if self._served is None:
                self._served = self._start()
            return self._served

    def _start(self) -> ServedChatModel:
        if not self.path.is_file():
            raise GeneratorError(f"no model at {self.path}: run `strata models pull`")
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")

        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        # A mapped file would stay in memory beside the weights as they are rearranged for this CPU.
        params.load_mode = xllamacpp.llama_load_mode.LLAMA_LOAD_MODE_NONE
        # The chat template is the file's own; thoughts before an answer would be all of its tokens.
        params.use_jinja = True
        params.enable_reasoning = 0
        # Not one context shared by the slots: when it is full, requests under way would fail.
        params.n_ctx = self.context * self.slots
        params.n_parallel = self.slots
        params.n_batch = params.n_ubatch = _PROMPT_BATCH
        params.cache_ram_mib = _PROMPT_CACHE_MIB
        threads = self.threads or os.cpu_count() or 1
        params.cpuparams.n_threads = threads
        params.cpuparams_batch.n_threads = threads
        params.verbosity = -1
        # Without a key any web page that is open on this machine could use the port.
        key = secrets.token_urlsafe(32)
        params.api_keys = [key]
        try:
            self._server = xllamacpp.Server(params)
        except RuntimeError as error:
            raise GeneratorError(
                f"{self.path.name} could not be loaded ({error}): free memory, or run "
                "`strata models pull` to check the file"
            ) from error
        return ServedChatModel(
            url=f"{self._server.listening_address}/v1",
            model=self.path.stem,
            label=self.path.name,
            key=SecretStr(key),
            timeout=_PATIENCE_SECONDS,
            retries=0,
            concurrency=self.slots,
            optional=(),
        )

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        served = await asyncio.to_thread(self.load)
        defaults = {name: getattr(self, name) for name in ("max_tokens", "temperature", "seed")}
        # Told with each batch of the prompt: the server sees that nobody listens as it tells it.
        given = {**defaults, **options, "return_progress": True}
        async with aclosing(served._chunks(messages, stop, given)) as chunks:
            async for chunk in chunks:
                yield chunk
