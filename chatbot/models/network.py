"""A causal network of Transformers with its tokenizer: loaded, and computing answers in batches."""

import importlib.util
import re
import sys
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any, Literal

from chatbot.errors import GeneratorError, PromptTooLong
from chatbot.models.batching import BatchedAnswer

Quantization = Literal["nf4", "int8", "bf16", "off"]

_EXTRA = ("torch", "transformers", "accelerate", "bitsandbytes")
_HUB_PATIENCE = 5.0
_TOO_LITTLE_MEMORY = re.compile(
    "out of memory|allocate memory|not enough memory|on the CPU or the disk"
)


class Network:
    """A network and its tokenizer, used by one thread at a time."""

    def __init__(self, name: str, network: Any, tokenizer: Any) -> None:
        from transformers import GenerationConfig

        self.name = name
        self.network = network
        self.tokenizer = tokenizer
        published = network.generation_config.eos_token_id
        ends = published if isinstance(published, list) else [published]
        self._ends: frozenset[int | None] = frozenset({*ends, tokenizer.eos_token_id})
        special = {str(token) for token in tokenizer.added_tokens_decoder.values() if token.special}
        longest_first = sorted(map(re.escape, special), key=len, reverse=True)
        self._marks = re.compile("|".join(longest_first) or "(?!)")
        # What the publisher recommends for sampling must not mix with what a caller asks for.
        network.generation_config = GenerationConfig(pad_token_id=0)
        self.context: int = (
            getattr(network.config.get_text_config(), "max_position_embeddings", None)
            or sys.maxsize
        )
        self._batch: list[BatchedAnswer] = []

    def answer(self, batch: list[BatchedAnswer]) -> None:
        """Compute all answers in one batch; raises GeneratorError."""
        for answer in batch:
            try:
                self._prepare(answer)
            except GeneratorError as error:
                answer.tell(error)
        self._batch = [answer for answer in batch if not answer.over]
        try:
            if self._batch:
                self._generate()
        except (RuntimeError, MemoryError) as error:
            if _out_of_memory(error):
                raise GeneratorError(
                    f"{self.name} ran out of memory with {len(self._batch)} prompts at once: set a "
                    "smaller `largest_batch`, or give less evidence"
                ) from error
            raise GeneratorError(
                f"{self.name} failed while it answered: {_short(error)}"
            ) from error
        finally:
            self._batch = []

    def _prepare(self, answer: BatchedAnswer) -> None:
        import torch

        answer.prompt = self.encode(answer.messages)
        if (left := self.context - len(answer.prompt)) <= 0:
            raise PromptTooLong(
                f"the prompt has {len(answer.prompt)} tokens, and the context of {self.name} holds "
                f"{self.context}: ask a shorter question, or give it less evidence"
            )
        answer.max_tokens = min(answer.max_tokens, left)
        answer.random = torch.Generator(self.network.device).manual_seed(answer.seed)

    def encode(self, messages: list[dict[str, Any]]) -> list[int]:
        """The tokens of a conversation up to where the model answers. Raises GeneratorError."""
        from jinja2 import TemplateError

        if not self.tokenizer.chat_template:
            raise GeneratorError(
                f"{self.name} has no chat template: choose a model tuned to follow instructions"
            )
        data = [{**message, "content": self._broken(message["content"])} for message in messages]
        try:
            tokens: list[int] = self.tokenizer.apply_chat_template(
                data, add_generation_prompt=True, return_dict=False
            )
        except TemplateError as error:
            raise GeneratorError(
                f"the chat template of {self.name} refuses this conversation: {error}"
            ) from error
        return tokens

    def encode_reply(self, reply: str) -> list[int]:
        """The tokens of a whole reply, and the one that ends it. Raises GeneratorError."""
        end = self.tokenizer.eos_token_id
        if end is None:
            raise GeneratorError(
                f"{self.name} has no token that ends a reply: choose another model"
            )
        tokens: list[int] = self.tokenizer.encode(self._broken(reply), add_special_tokens=False)
        return [*tokens, end]

    def _broken(self, text: str) -> str:
        # No text can end its own message or begin another.
        return self._marks.sub(lambda mark: f"{mark[0][0]} {mark[0][1:]}", text)

    def _decode(self, tokens: list[int], *, marks: bool = False) -> str:
        text: str = self.tokenizer.decode(
            tokens, skip_special_tokens=not marks, clean_up_tokenization_spaces=False
        )
        return text

    def _generate(self) -> None:
        import torch

        prompts = [answer.prompt for answer in self._batch]
        longest = max(map(len, prompts))
        tokens = [[0] * (longest - len(prompt)) + prompt for prompt in prompts]
        mask = [[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt in prompts]
        self.network.generate(
            input_ids=torch.tensor(tokens, device=self.network.device),
            attention_mask=torch.tensor(mask, device=self.network.device),
            max_new_tokens=max(answer.max_tokens for answer in self._batch),
            logits_processor=[self._choose],
            stopping_criteria=[self._advance],
        )

    def _choose(self, tokens: Any, scores: Any) -> Any:
        """As a logits processor: scores (rows, vocabulary) that leave each row one token."""
        chosen = scores.argmax(-1)
        for row, answer in enumerate(self._batch):
            if not answer.over:
                decode = partial(self._decode, marks=True)
                chosen[row] = answer.choose(tokens[row], scores[row], decode)
        return scores.new_full(scores.shape, float("-inf")).scatter(1, chosen[:, None], 0.0)

    def _advance(self, tokens: Any, _scores: Any, **_: Any) -> Any:
        """As a stopping criterion: hand out the newest tokens; true for each row that is over."""
        for answer, token in zip(self._batch, tokens[:, -1].tolist(), strict=True):
            if not answer.over:
                answer.take(token, self._decode, self._ends)
        return tokens.new_tensor([answer.over for answer in self._batch]).bool()


def gpu_is_there() -> bool:
    """Whether torch finds a GPU that computes with CUDA."""
    _require_extra()
    import torch

    return bool(torch.cuda.is_available())


def _require_extra() -> None:
    if missing := [package for package in _EXTRA if importlib.util.find_spec(package) is None]:
        raise GeneratorError(
            f'{" and ".join(missing)} missing: `pip install "strata-docs[hf]"` installs what a '
            "model run by Transformers needs"
        )


def load_network(
    name: str,
    quantization: Quantization,
    device: str,
    offline: bool,
    adapter: str | None = None,
) -> Network:
    """A model with its tokenizer, from a folder or the Hub. Raises GeneratorError."""
    _require_extra()
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM, AutoTokenizer, BitsAndBytesConfig

    if device.startswith("cuda") and not torch.cuda.is_available():
        raise GeneratorError(f"torch finds no GPU for the device {device}: use `auto` or `cpu`")
    on_gpus = device == "auto" and torch.cuda.is_available()
    source, local = _locate(name, offline)
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
        raise GeneratorError(_failed_loading(name, local, error)) from error
    if missing := sorted(report["missing_keys"]):
        raise GeneratorError(
            f"{name} lacks {len(missing)} of its weights ({missing[0]}, …): fetch it again"
        )
    if adapter is not None:
        _add_adapter(network, name, Path(adapter).expanduser())
    return Network(name, network, tokenizer)


def _add_adapter(network: Any, name: str, folder: Path) -> None:
    from safetensors import SafetensorError

    if importlib.util.find_spec("peft") is None:
        raise GeneratorError(
            'peft missing: `pip install "strata-docs[hf]"` installs what an adapter needs'
        )
    if not (folder / "adapter_config.json").is_file():
        raise GeneratorError(
            f"no adapter at {folder}: it needs an adapter_config.json and weights beside it, as "
            "`strata tune run` writes them"
        )
    unfit = (
        f"the adapter {folder} cannot be used with {name}: it has to be tuned on this very model"
    )
    try:
        report = network.load_adapter(str(folder), adapter_kwargs={"local_files_only": True})
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise GeneratorError(f"{unfit} ({_short(error)})") from error
    # Otherwise layers that it has no weights for would go untuned, and no one would know.
    if apart := sorted({*report.missing_keys, *report.unexpected_keys}):
        raise GeneratorError(f"{unfit} ({len(apart)} weights have no counterpart: {apart[0]}, …)")
    network.eval()


def _locate(name: str, offline: bool) -> tuple[str, bool]:
    """The folder or Hub id to load, and whether only files of this machine are used."""
    import httpx
    from huggingface_hub import constants

    folder = Path(name).expanduser()
    if (folder / "config.json").is_file():
        return str(folder), True
    if folder.is_dir() or folder.is_absolute() or name.startswith((".", "~")):
        raise GeneratorError(f"no model at {folder}: it needs a config.json and weights beside it")
    if offline or constants.is_offline_mode():
        return name, True
    try:
        # The Hub's own client would try for minutes, even for files that are here.
        httpx.head(constants.ENDPOINT, timeout=_HUB_PATIENCE)
    except httpx.HTTPError:
        return name, True
    return name, False


def _failed_loading(name: str, local: bool, error: Exception) -> str:
    if _out_of_memory(error):
        return f"{name} does not fit in memory: `nf4` takes least; else choose a smaller model"
    if "trust_remote_code" in str(error):
        return (
            f"{name} brings program code of its own, which is never run: choose a model of a kind "
            "that Transformers knows"
        )
    if isinstance(error, OSError) and local:
        return (
            f"{name} is not on this machine, and the Hub was not asked or does not answer: check "
            f"the network and the name, or name a folder that holds the model ({_short(error)})"
        )
    return f"{name} could not be loaded: {_short(error)}"


def _short(error: Exception) -> str:
    return shorten(str(error), 300, placeholder=" …")


def _out_of_memory(error: Exception) -> bool:
    return isinstance(error, MemoryError) or bool(_TOO_LITTLE_MEMORY.search(str(error)))
