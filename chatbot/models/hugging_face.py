"""Any causal model of the Hugging Face Hub or of a folder, run here by Transformers, in batches."""

from __future__ import annotations

import importlib.util
import sys
import threading
from contextlib import aclosing
from textwrap import shorten
from typing import Any, Literal

from langchain_core.messages import AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from chatbot.models.batching import Batches, Piece, Request, Sampling
from chatbot.models.decoding import Decoding, Row
from chatbot.models.errors import GeneratorError
from chatbot.models.hub import failed_loading, locate, out_of_memory
from chatbot.models.streaming import Chunks, StreamingChatModel
from chatbot.models.vocabulary import Vocabulary

Quantization = Literal["nf4", "int8", "bf16", "off"]

_EXTRA = ("torch", "transformers", "accelerate", "bitsandbytes")


class HuggingFaceChatModel(StreamingChatModel):
    """Chat with a causal model that has a chat template; loaded at the first call.

    `model` is a Hub id or a folder. `quantization` is `nf4` (4-bit, double quantization, computed
    in bfloat16), `int8`, `bf16`, or `off` for the type that the weights are stored in. `device` is
    `auto` (all GPUs, else the CPU) or a name of torch's. Temperature 0 or top-k 1 takes the
    likeliest token; top-k 0 considers all. QAMR (Section IV) runs Llama-3-70B-Instruct in NF4 with
    temperature 0.01, top-k 1 and repetition penalty 1.15.

    Calls that come together are one batch, of at most `largest_batch`. Each row has its own limit,
    stop strings and random numbers: with the same seed a row draws the same, whoever is beside it.
    What remains is rounding, which differs with the shape of a batch and can turn a near tie.

    A stream that is left or cancelled ends at once. Code from the Hub is never run. Raises
    GeneratorError.
    """

    model: str
    quantization: Quantization = "nf4"
    device: str = "auto"
    max_tokens: int = Field(512, ge=1)
    temperature: float = Field(0.0, ge=0)
    top_k: int = Field(0, ge=0)
    repetition_penalty: float = Field(1.0, gt=0)
    seed: int = 0
    largest_batch: int = Field(8, ge=1)
    offline: bool = False

    _loaded: _Model | None = PrivateAttr(default=None)
    _loading: threading.Lock = PrivateAttr(default_factory=threading.Lock)
    _batches: Batches = PrivateAttr()

    def model_post_init(self, _: Any) -> None:
        """Make ready for calls; nothing is loaded yet."""
        self._batches = Batches(self._answer, self.largest_batch)

    @property
    def _llm_type(self) -> str:
        return "transformers"

    @property
    def memory_bytes(self) -> int:
        """Bytes that weights and buffers take; 0 before the model is loaded."""
        return self._loaded.network.get_memory_footprint() if self._loaded else 0

    def load(self) -> None:
        """Fetch the model if it is a Hub id, and read it into memory if it is not there yet."""
        with self._loading:
            if self._loaded is None:
                self._loaded = _load(self.model, self.quantization, self.device, self.offline)

    def _answer(self, requests: list[Request]) -> None:
        self.load()
        assert self._loaded is not None
        self._loaded.answer(requests)

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        answer = self._batches.stream(_conversation(messages), self._sampling(stop, options))
        async with aclosing(answer) as pieces:
            async for piece in pieces:
                yield self._chunk(piece)

    def _sampling(self, stop: list[str] | None, options: dict[str, Any]) -> Sampling:
        def option(name: str) -> Any:
            given = options.get(name)
            return getattr(self, name) if given is None else given

        return Sampling(
            max_tokens=option("max_tokens"),
            temperature=option("temperature"),
            top_k=option("top_k"),
            repetition_penalty=option("repetition_penalty"),
            seed=option("seed"),
            stop=tuple(stop or ()),
            top_logprobs=(options.get("top_logprobs") or 0) if options.get("logprobs") else None,
        )

    def _chunk(self, piece: Piece) -> ChatGenerationChunk:
        usage: UsageMetadata | None = None
        info: dict[str, Any] = {}
        if piece.logprobs:
            info["logprobs"] = {"content": list(piece.logprobs)}
        if piece.finish_reason:
            read, written = piece.prompt_tokens, piece.completion_tokens
            usage = UsageMetadata(
                input_tokens=read, output_tokens=written, total_tokens=read + written
            )
            info |= {"finish_reason": piece.finish_reason, "model_name": self.model}
        message = AIMessageChunk(content=piece.text, usage_metadata=usage)
        return ChatGenerationChunk(message=message, generation_info=info or None)


def _conversation(messages: list[BaseMessage]) -> list[dict[str, Any]]:
    converted = convert_to_openai_messages(messages, text_format="string")
    return converted if isinstance(converted, list) else [converted]


class _Left(Exception):
    """Nobody waits for this batch any more."""


class _Model:
    """A network and its vocabulary, used by one thread at a time."""

    def __init__(self, name: str, network: Any, vocabulary: Vocabulary) -> None:
        import torch
        from transformers import GenerationConfig

        self.name = name
        self.network = network
        self.vocabulary = vocabulary
        # What the publisher recommends for sampling must not mix with what a caller asks for.
        network.generation_config = GenerationConfig(pad_token_id=0)
        self._context: int = (
            getattr(network.config.get_text_config(), "max_position_embeddings", None)
            or sys.maxsize
        )
        self._rows: list[Row] = []
        for module in network.modules():
            if isinstance(module, torch.nn.ModuleList):
                for layer in module:
                    layer.register_forward_pre_hook(self._stop_if_left)

    def _stop_if_left(self, *_: Any) -> None:
        """Reading long prompts takes seconds; with this it ends within a layer."""
        if self._rows and all(row.request.over for row in self._rows):
            raise _Left

    def answer(self, requests: list[Request]) -> None:
        """Compute the answers to all requests in one batch."""
        rows = []
        for request in requests:
            if request.over:
                continue
            try:
                rows.append(self._row(request))
            except GeneratorError as error:
                request.fail(error)
        self._rows = rows
        try:
            if rows:
                self._generate(rows)
        except _Left:
            pass
        except (RuntimeError, MemoryError) as error:
            raise GeneratorError(_failed_answering(self.name, len(rows), error)) from error
        finally:
            self._rows = []

    def _row(self, request: Request) -> Row:
        import torch

        prompt = self.vocabulary.encode(request.messages)
        if len(prompt) >= self._context:
            raise GeneratorError(
                f"the prompt has {len(prompt)} tokens, and the context of {self.name} holds "
                f"{self._context}: ask a shorter question, or give it less evidence"
            )
        limit = min(request.sampling.max_tokens, self._context - len(prompt))
        random = torch.Generator(self.network.device).manual_seed(request.sampling.seed)
        return Row(request, prompt, limit, self.vocabulary, random)

    def _generate(self, rows: list[Row]) -> None:
        import torch

        longest = max(len(row.prompt) for row in rows)
        padding = [longest - len(row.prompt) for row in rows]
        tokens = [[0] * pad + row.prompt for pad, row in zip(padding, rows, strict=True)]
        mask = [[0] * pad + [1] * (longest - pad) for pad in padding]
        decoding = Decoding(rows, padding)
        self.network.generate(
            input_ids=torch.tensor(tokens, device=self.network.device),
            attention_mask=torch.tensor(mask, device=self.network.device),
            max_new_tokens=max(row.limit for row in rows),
            logits_processor=[decoding.choose],
            stopping_criteria=[decoding.ended],
        )


def _load(name: str, quantization: Quantization, device: str, offline: bool) -> _Model:
    if missing := [package for package in _EXTRA if importlib.util.find_spec(package) is None]:
        raise GeneratorError(
            f'{" and ".join(missing)} missing: `pip install "strata-docs[hf]"` installs what a '
            "model run by Transformers needs"
        )
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise GeneratorError(f"torch finds no GPU for the device {device}: use `auto` or `cpu`")
    on_gpus = device == "auto" and torch.cuda.is_available()
    source, local = locate(name, offline)
    where: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    dtypes = {"nf4": torch.bfloat16, "int8": torch.float16, "bf16": torch.bfloat16, "off": "auto"}
    quantizers = {
        "nf4": BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        ),
        "int8": BitsAndBytesConfig(load_in_8bit=True),
    }
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **where)
        network, report = AutoModelForCausalLM.from_pretrained(
            source,
            dtype=dtypes[quantization],
            quantization_config=quantizers.get(quantization),
            device_map="auto" if on_gpus else {"": device.replace("auto", "cpu")},
            output_loading_info=True,
            **where,
        )
    except (OSError, ValueError, RuntimeError, MemoryError, ImportError, SafetensorError) as error:
        raise GeneratorError(failed_loading(name, local, error)) from error
    if missing := sorted(report["missing_keys"]):
        raise GeneratorError(
            f"{name} lacks {len(missing)} of its weights ({missing[0]}, …): fetch it again"
        )
    return _Model(
        name, network, Vocabulary(name, tokenizer, network.generation_config.eos_token_id)
    )


def _failed_answering(name: str, rows: int, error: Exception) -> str:
    if out_of_memory(error):
        return (
            f"{name} ran out of memory with {rows} prompts at once: set a smaller `largest_batch`, "
            "or give less evidence"
        )
    return f"{name} failed while it answered: {shorten(str(error), 300, placeholder=' …')}"
