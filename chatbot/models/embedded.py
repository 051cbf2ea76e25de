"""A GGUF model run inside this process by xllamacpp, behind LangChain's chat model interface."""

import importlib
import os
import secrets
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from chatbot.errors import GeneratorError, PromptTooLong
from chatbot.models.prompt_state import PromptState
from chatbot.models.streaming import Chunks, StreamingChatModel, chunk_of, mailbox

# Between two batches of a prompt the model looks whether it is still asked: on two cores this many
# tokens take less than a second, and reading is as fast as with larger batches, within 5 %.
_PROMPT_BATCH = 48

# What was computed for earlier prompts, such as each step's fixed beginning, is kept in this much
# memory (28 KB a token of the default model) when a slot goes on to another prompt.
_PROMPT_CACHE_MIB = 256


NICE = 5
"""The model computes at a lower priority than pages are made and drawn at, and before the worker.

An answer takes seconds, and a page that somebody opens meanwhile some tenths of one."""


def _give_way() -> None:
    """Lower the priority of the thread that calls; elsewhere than on Linux it is the process's."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), os.nice(0) + NICE)


class EmbeddedChatModel(StreamingChatModel):
    """Chat with a local GGUF file, loaded at the first call; `slots` requests are served together.

    `context` is the longest prompt and answer of one request, in tokens; every slot has memory for
    it. A prompt's beginning that was read before, in any slot, is not computed again; the one that
    is given as `beginning` is kept in a file and read once on a machine. Leaving or cancelling a
    stream stops the model after the token or the prompt batch it is at. Raises GeneratorError.
    """

    path: Path
    adapter: Path | None = None
    threads: int = 0
    context: int = 4096
    slots: int = Field(4, ge=1)
    max_tokens: int = 60
    temperature: float = 0.0
    seed: int = 0
    beginning: tuple[tuple[str, str], ...] = ()

    _server: Any = PrivateAttr(default=None)
    _key: str = PrivateAttr(default_factory=lambda: secrets.token_urlsafe(32))
    _loading: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _reading: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _workers: ThreadPoolExecutor = PrivateAttr()

    def model_post_init(self, _: Any) -> None:
        """Make ready for calls; nothing is loaded yet."""
        self._workers = ThreadPoolExecutor(self.slots, thread_name_prefix="generator")

    @property
    def _llm_type(self) -> str:
        return "xllamacpp"

    @property
    def known_as(self) -> str:
        """The name of its file, and of its adapter's."""
        return self.path.stem + (f" + {self.adapter.stem}" if self.adapter else "")

    def load(self) -> None:
        """Read the model into memory if it is not there yet (about two seconds).

        Where the beginning of prompts was never read by it on this machine, it is read, too.
        """
        with self._loading:
            if self._server is None:
                server = self._start()
                if self.beginning:
                    self._begin(server)
                self._server = server

    def _begin(self, server: Any) -> None:
        state = PromptState(self.path, self.adapter, self.context, self.beginning)
        if state.restore(server.listening_address, self._key):
            return
        messages = [{"role": role, "content": text} for role, text in self.beginning]
        request = {"messages": messages, "max_tokens": 1, "cache_prompt": True, "stream": True}
        server.handle_chat_completions(request, lambda event: False)
        state.save(server.listening_address, self._key)

    def _start(self) -> Any:
        if not self.path.is_file():
            raise GeneratorError(f"no model at {self.path}: run `strata models pull`")
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")

        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        if self.adapter:
            params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(self.adapter))]
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
        params.slot_save_path = f"{self.path.parent}{os.sep}"
        params.verbosity = -1
        # The library opens a loopback port of its own; without a key any web page could use it.
        params.api_keys = [self._key]
        try:
            # Its threads get the priority of the one that starts them.
            with ThreadPoolExecutor(1, "gives way", _give_way) as starting:
                return starting.submit(xllamacpp.Server, params).result()
        except RuntimeError as error:
            adapted = f" with the adapter {self.adapter.name}" if self.adapter else ""
            again = ", or `strata tune convert` to write the adapter again" if self.adapter else ""
            raise GeneratorError(
                f"{self.path.name}{adapted} could not be loaded ({error}): free memory, or run "
                f"`strata models pull` to check the file{again}"
            ) from error

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        defaults = {name: getattr(self, name) for name in ("max_tokens", "temperature", "seed")}
        parameters = {**defaults, **options, "stop": stop}
        request = {
            **{name: value for name, value in parameters.items() if value is not None},
            "messages": convert_to_openai_messages(messages),
            "stream": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": True,
            # Reported with each batch of the prompt: what stops a request is the reply to a report.
            "return_progress": True,
        }
        events, deliver = mailbox()
        left = threading.Event()
        work = self._workers.submit(self._answer, request, deliver, left)
        work.add_done_callback(lambda _: deliver(None))
        try:
            while (event := await events.get()) is not None:
                if "error" in event:
                    raise self._failed(event["error"].get("message", event))
                yield _chunk(event)
            work.result()
        finally:
            left.set()
            work.cancel()

    def _answer(
        self, request: dict[str, Any], deliver: Callable[[Any], None], left: threading.Event
    ) -> None:
        self.load()
        # The library reads one prompt after the other and reports only the one it is at. So it gets
        # them one after the other: a prompt that is left while it waits is not begun.
        with ExitStack() as reading:
            reading.enter_context(self._reading)
            if left.is_set():
                return

            def report(event: dict[str, Any]) -> bool:
                if "prompt_progress" not in event:
                    reading.close()
                deliver(event)
                return left.is_set()

            try:
                self._server.handle_chat_completions(request, report)
            except (RuntimeError, ValueError) as error:
                raise self._failed(error) from error

    def _failed(self, reason: object) -> GeneratorError:
        # The library says in words alone that a prompt exceeds the context.
        kind = PromptTooLong if "context" in str(reason) else GeneratorError
        return kind(f"the language model failed: {reason}")


def _chunk(event: dict[str, Any]) -> ChatGenerationChunk:
    """The chunk of an event of OpenAI's chat completions; empty for an event of progress."""
    choice = (event.get("choices") or [{}])[0]
    usage = event.get("usage")
    return chunk_of(
        choice.get("delta", {}).get("content") or "",
        logprobs=(choice.get("logprobs") or {}).get("content") or (),
        finish_reason=choice.get("finish_reason"),
        tokens=(usage["prompt_tokens"], usage.get("completion_tokens") or 0) if usage else None,
        cached=((usage or {}).get("prompt_tokens_details") or {}).get("cached_tokens"),
    )
