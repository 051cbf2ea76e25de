"""Any causal model of the Hugging Face Hub or of a folder, run here by Transformers, in batches."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import Any

from langchain_core.messages import BaseMessage, convert_to_openai_messages
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from chatbot.models.batching import Answer, Batches
from chatbot.models.errors import GeneratorError
from chatbot.models.network import Network, Quantization, load_network
from chatbot.models.streaming import Chunks, StreamingChatModel

_SAMPLING = ("max_tokens", "temperature", "top_k", "repetition_penalty", "seed")


class HuggingFaceChatModel(StreamingChatModel):
    """Chat with a causal model that has a chat template; loaded at the first call.

    `model` is a Hub id or a folder. `quantization` is `nf4` (4-bit, double quantization, computed
    in bfloat16), `int8`, `bf16`, or `off` for the type that the weights are stored in. `device` is
    `auto` (all GPUs, else the CPU) or a name of torch's. Temperature 0 or top-k 1 takes the
    likeliest token; top-k 0 considers all. `adapter` is the folder of a LoRA adapter that was tuned
    on the model. QAMR (Section IV) runs Llama-3-70B-Instruct in NF4 with temperature 0.01, top-k 1
    and repetition penalty 1.15.

    Calls that come together are one batch, of at most `largest_batch`, each with its own limit,
    stop strings and random numbers. A stream that is left or cancelled ends at once. Code from the
    Hub is never run. Raises GeneratorError.
    """

    model: str
    quantization: Quantization = "nf4"
    device: str = "auto"
    adapter: str | None = None
    max_tokens: int = Field(512, ge=1)
    temperature: float = Field(0.0, ge=0)
    top_k: int = Field(0, ge=0)
    repetition_penalty: float = Field(1.0, gt=0)
    seed: int = 0
    largest_batch: int = Field(8, ge=1)
    offline: bool = False

    _loaded: Network | None = PrivateAttr(default=None)
    _loading: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _batches: Batches = PrivateAttr()

    def model_post_init(self, _: Any) -> None:
        """Make ready for calls; nothing is loaded yet."""
        self._batches = Batches(lambda batch: self.load().answer(batch), self.largest_batch)

    @property
    def _llm_type(self) -> str:
        return "transformers"

    @property
    def memory_bytes(self) -> int:
        """Bytes that weights and buffers take; 0 before the model is loaded."""
        return self._loaded.network.get_memory_footprint() if self._loaded else 0

    def load(self) -> Network:
        """Fetch the model if it is a Hub id, and read it into memory if it is not there yet."""
        with self._loading:
            if self._loaded is None:
                self._loaded = load_network(
                    self.model, self.quantization, self.device, self.offline, self.adapter
                )
            return self._loaded

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        loop = asyncio.get_running_loop()
        events: asyncio.Queue[ChatGenerationChunk | GeneratorError] = asyncio.Queue()

        def deliver(event: ChatGenerationChunk | GeneratorError) -> None:
            # A loop that is closed has nobody left who listens.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(events.put_nowait, event)

        given = {name: options.get(name) for name in _SAMPLING}
        sampling = {n: getattr(self, n) if value is None else value for n, value in given.items()}
        converted = convert_to_openai_messages(messages, text_format="string")
        answer = Answer(
            converted if isinstance(converted, list) else [converted],
            deliver,
            **sampling,
            stop=tuple(filter(None, stop or ())),
            top_logprobs=(options.get("top_logprobs") or 0) if options.get("logprobs") else None,
        )
        self._batches.submit(answer)
        try:
            while True:
                event = await events.get()
                if isinstance(event, GeneratorError):
                    # One failure may reach several callers, and each raises its own.
                    raise GeneratorError(str(event)) from event
                yield event
                if event.message.response_metadata.get("finish_reason"):
                    return
        finally:
            answer.ended = True
