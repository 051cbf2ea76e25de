"""The header of a GGUF file, and whether the file can be used.

The `gguf` package takes nine seconds for a vocabulary of 150,000 words; this takes a tenth of one.
llama.cpp gives the reason why an adapter does not fit in its log only.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

LEAST_CONTEXT = 2048
"""Tokens; with fewer there is no room for evidence beside the rest of a prompt."""

INPUT, OUTPUT = ".lora_a", ".lora_b"
"""The suffixes of a layer's two matrices, after its weights: (rank, input), (output, rank)."""

_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class NotGguf(ValueError):
    """A file cannot be read as a GGUF file, or holds no chat model; the message says why."""


class UnfitAdapter(ValueError):
    """A file is no adapter for a model; the message says why."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The keys of a file with their values, None for an array, and its tensors' shapes by name.

    The shape of a linear layer is the width of its input, then that of its output.
    """

    keys: dict[str, Any]
    shapes: dict[str, tuple[int, ...]]

    @property
    def architecture(self) -> str:
        """The architecture of the model, such as qwen2; empty where the file has no such key."""
        return self.keys.get("general.architecture") or ""

    @property
    def context(self) -> int:
        """The longest request that a model was made for, in tokens."""
        return self.of_model("context_length")

    @property
    def parameters(self) -> int:
        """The number of weights."""
        return sum(map(prod, self.shapes.values()))

    def of_model(self, key: str) -> int:
        """A number that the architecture has a key for; 0 where the file has no such key."""
        value = self.keys.get(f"{self.architecture}.{key}")
        return value if isinstance(value, int) else 0


def read_header(path: Path) -> GgufHeader:
    """The header before the weights (versions 2 and 3). Raises NotGguf, and OSError."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise NotGguf(f"{path} is not in GGUF format")
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            data.seek(4)
            try:
                version, tensors, keys = (_number(data, kind) for kind in "IQQ")
                if version not in (2, 3):
                    raise KeyError(version)
                return GgufHeader(
                    {_text(data): _value(data, _number(data, "I")) for _ in range(keys)},
                    dict(_shape(data) for _ in range(tensors)),
                )
            except (struct.error, KeyError, ValueError, OverflowError) as error:
                raise NotGguf(
                    f"{path} is a damaged GGUF file, or cut off: fetch it again"
                ) from error


def read_chat_model(path: Path) -> GgufHeader:
    """The header of a model that can answer here. Raises NotGguf, and OSError."""
    header = read_header(path)
    if not header.context:
        raise NotGguf(f"{path} has no context length, so it is not a language model")
    if header.context < LEAST_CONTEXT:
        raise NotGguf(f"{path} reads {header.context} tokens at most; it takes {LEAST_CONTEXT}")
    if not header.keys.get("tokenizer.chat_template"):
        raise NotGguf(f"{path} has no chat template: choose a model tuned to follow instructions")
    return header


def require_adapter(path: Path, model: GgufHeader) -> None:
    """Raise UnfitAdapter, NotGguf or OSError for a file that is no LoRA adapter for the model."""
    header = read_header(path)
    if header.keys.get("adapter.type") != "lora":
        raise UnfitAdapter("it is not a LoRA adapter")
    if header.architecture != model.architecture:
        raise UnfitAdapter(f"it is for {header.architecture}, the model is {model.architecture}")
    widths: dict[str, list[int]] = {}
    for name, shape in sorted(header.shapes.items()):
        layer, which = name[: -len(INPUT)], name[-len(INPUT) :]
        if which not in (INPUT, OUTPUT) or len(shape) != 2:
            raise UnfitAdapter(f"it has {name}, which does not belong to a linear layer")
        widths.setdefault(layer, []).append(shape[0 if which == INPUT else 1])
    require_fit({layer: tuple(sizes) for layer, sizes in widths.items()}, model)


def require_fit(shapes: Mapping[str, tuple[int, ...]], model: GgufHeader) -> None:
    """Raise UnfitAdapter where a tuned layer is not in the model, or has another shape there."""
    for layer, shape in shapes.items():
        own = model.shapes.get(layer)
        if own is None:
            raise UnfitAdapter(f"it tunes {layer}, which the model does not have")
        if own != shape:
            tuned, there = (" × ".join(map(str, widths)) for widths in (shape, own))
            raise UnfitAdapter(f"it tunes {layer} as {tuned}, in the model it is {there}")


def _shape(data: mmap) -> tuple[str, tuple[int, ...]]:
    name = _text(data)
    shape = tuple(_number(data, "Q") for _ in range(_number(data, "I")))
    data.seek(struct.calcsize("<IQ"), 1)
    return name, shape


def _value(data: mmap, kind: int) -> Any:
    """A value as it stands in the file; None for an array, which is passed over."""
    if kind == _STRING:
        return _text(data)
    if kind != _ARRAY:
        return _number(data, _NUMBERS[kind])
    kind, count = _number(data, "I"), _number(data, "Q")
    if kind != _STRING:
        # An array of arrays is no number either: llama.cpp reads none.
        data.seek(count * struct.calcsize(_NUMBERS[kind]), 1)
        return None
    for _ in range(count):
        data.seek(_number(data, "Q"), 1)
    return None


def _text(data: mmap) -> str:
    return bytes(data.read(_number(data, "Q"))).decode("utf-8")


def _number(data: mmap, kind: str) -> Any:
    return struct.unpack(f"<{kind}", data.read(struct.calcsize(f"<{kind}")))[0]
