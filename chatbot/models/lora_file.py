"""A LoRA adapter as a GGUF file: what it consists of, and whether it fits a model.

llama.cpp checks as much when it loads one, but tells the reason in a log only.
"""

from collections.abc import Mapping
from pathlib import Path

from chatbot.models.gguf_header import GgufHeader, read_header

INPUT, OUTPUT = ".lora_a", ".lora_b"
"""What the two matrices of a layer are called, after its weights: (rank, input), (output, rank)."""


class UnfitAdapter(ValueError):
    """A file is no adapter for a model; the message says why."""


def require_adapter(path: Path, model: GgufHeader) -> None:
    """Raise UnfitAdapter, NotGguf or OSError for a file that is no LoRA adapter for the model."""
    header = read_header(path)
    if header.keys.get("adapter.type") != "lora":
        raise UnfitAdapter("it is no LoRA adapter")
    if header.architecture != model.architecture:
        raise UnfitAdapter(f"it is for {header.architecture}, the model is {model.architecture}")
    widths: dict[str, list[int]] = {}
    for name, shape in sorted(header.shapes.items()):
        layer, which = name[: -len(INPUT)], name[-len(INPUT) :]
        if which not in (INPUT, OUTPUT) or len(shape) != 2:
            raise UnfitAdapter(f"it has {name}, which is no part of a linear layer")
        widths.setdefault(layer, []).append(shape[0 if which == INPUT else 1])
    require_fit({layer: tuple(found) for layer, found in widths.items()}, model)


def require_fit(shapes: Mapping[str, tuple[int, ...]], model: GgufHeader) -> None:
    """Raise UnfitAdapter where a tuned layer is not in the model, or has another shape there."""
    for layer, shape in shapes.items():
        own = model.shapes.get(layer)
        if own is None:
            raise UnfitAdapter(f"it tunes {layer}, which the model does not have")
        if own != shape:
            raise UnfitAdapter(
                f"it tunes {layer} as {_told(shape)}, in the model it is {_told(own)}"
            )


def _told(shape: tuple[int, ...]) -> str:
    return " × ".join(map(str, shape))
