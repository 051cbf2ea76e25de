"""Any causal model of the Hugging Face Hub or of a folder, run here by Transformers, in batches."""

import threading
from pathlib import Path
from typing import Any, cast

from langchain_core.messages import BaseMessage, convert_to_openai_messages
from pydantic import Field, PrivateAttr

from chatbot.errors import GeneratorError
from chatbot.models.batching import BatchedAnswer, Batches
from chatbot.models.network import Network, Quantization, load_network
from chatbot.models.streaming import Chunks, StreamingChatModel, mailbox

_SAMPLING = ("max_tokens", "temperature", "top_k", "repetition_penalty", "seed")


class HuggingFaceChatModel(StreamingChatModel):
    """Chat with a causal model that has a chat template; loaded at the first call.

    `model` is a Hub id or a folder, `adapter` the folder of a LoRA adapter tuned on it. `nf4` is
    4-bit, double quantization, computed in bfloat16; `off` the type that the weights are stored in.
    `device` is `auto` (all GPUs, else the CPU) or a name of torch's. Top-k 0 considers all tokens.
    QAMR (Section IV) runs Llama-3-70B-Instruct in NF4 with temperature 0.01, top-k 1 and repetition
    penalty 1.15.

    Calls that come together are one batch, each with its own limit, stop strings and random
    numbers. A stream that is left or cancelled ends at once. Raises GeneratorError.
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
    def known_as(self) -> str:
        """The model's name, or its folder's."""
        return Path(self.model).name if Path(self.model).is_absolute() else self.model

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
        events, deliver = mailbox()
        given = {name: options.get(name) for name in _SAMPLING}
        sampling = {n: getattr(self, n) if value is None else value for n, value in given.items()}
        answer = BatchedAnswer(
            cast("list[Any]", convert_to_openai_messages(messages, text_format="string")),
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
                    raise type(event)(str(event)) from event
                yield event
                if event.message.response_metadata.get("finish_reason"):
                    return
        finally:
            answer.ended = True
