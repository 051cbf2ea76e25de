"""A LoRA adapter for the embedded backend: a GGUF file, written by llama.cpp's `gguf` package.

It knows the architectures whose linear layers differ at most in the order of their rows.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chatbot.errors import TuningError
from chatbot.models.gguf_file import (
    INPUT,
    OUTPUT,
    GgufHeader,
    UnfitAdapter,
    read_header,
    require_fit,
)
from chatbot.tuning.instructions import require_extras
from corpora.database.durable import written_whole

Matrix = np.ndarray[Any, np.dtype[np.float16]]
LowRank = tuple[Matrix, Matrix]
"""The two matrices of a layer: (rank, input) and (output, rank)."""

# Rotary embeddings turn rows two by two: there neighbours, in Transformers half a head apart.
_NEIGHBOURS = frozenset({"granite", "llama"})
_ARCHITECTURES = frozenset({"qwen2", "qwen3"}) | _NEIGHBOURS

_ANY = frozenset(
    {"auto_mapping", "exclude_modules", "inference_mode", "lora_dropout", "peft_version"}
    | {"revision", "target_modules", "task_type"}
)
"""The keys of a configuration that do not change how matrices are read."""

_MATRIX = re.compile(r"base_model\.model\.(?P<layer>.+)\.lora_(?P<which>[AB])\.weight")
_BLOCK = re.compile(r"blk\.\d+")


class _Config(BaseModel):
    model_config = ConfigDict(extra="allow")

    r: int = Field(ge=1)
    lora_alpha: float
    base_model_name_or_path: str | None = None


@dataclass(frozen=True)
class ConversionReport:
    """The files written, and the model that the adapter says it was `tuned_on`."""

    file: str
    bytes: int
    architecture: str
    layers: int
    rank: int
    alpha: float
    tuned_on: str


def convert(folder: Path, model: Path, file: Path) -> ConversionReport:
    """Write an adapter as a GGUF file, in half precision. Raises TuningError, NotGguf."""
    require_extras("gguf", "peft", "torch")
    if file.exists() and file.samefile(model):
        raise TuningError(f"{file} is the model itself: name another file to write")
    header = read_header(model)
    if header.architecture not in _ARCHITECTURES:
        raise TuningError(
            f"{model.name} is of the architecture {header.architecture}, and adapters are "
            f"converted for {', '.join(sorted(_ARCHITECTURES))}: take convert_lora_to_gguf.py of "
            "llama.cpp"
        )
    config = _read_config(folder)
    layers = _renamed(_read_layers(folder), header)
    try:
        _require_fit(layers, header)
    except UnfitAdapter as error:
        raise TuningError(
            f"{folder} does not fit {model.name}: {error}. Name the GGUF file of the model that "
            "it was tuned on by --generator"
        ) from error
    _write(file, header.architecture, config.lora_alpha, _reordered(layers, header))
    return ConversionReport(
        file=str(file),
        bytes=file.stat().st_size,
        architecture=header.architecture,
        layers=len(layers),
        rank=config.r,
        alpha=config.lora_alpha,
        tuned_on=config.base_model_name_or_path or "",
    )


def _read_config(folder: Path) -> _Config:
    from peft import LoraConfig

    path = folder / "adapter_config.json"
    try:
        config = _Config.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise TuningError(
            f"no adapter at {folder}: it needs an {path.name} and weights beside it, as `strata "
            "tune run` writes them"
        ) from error
    except (OSError, ValidationError) as error:
        raise TuningError(f"{path} cannot be read: {error}") from error
    plain = LoraConfig().to_dict()
    settings = {
        name: value for name, value in (config.model_extra or {}).items() if name not in _ANY
    }
    odd = [name for name, value in settings.items() if (value or None) != (plain.get(name) or None)]
    if odd:
        raise TuningError(
            f"{folder} is not a plain LoRA adapter, the only kind supported: its {path.name} sets "
            f"{', '.join(sorted(odd))}"
        )
    return config


def _read_layers(folder: Path) -> dict[str, LowRank]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = folder / "adapter_model.safetensors"
    try:
        weights = load_file(path)
    except (OSError, SafetensorError) as error:
        raise TuningError(f"{path} cannot be read: {error}") from error
    halves: dict[str, dict[str, Matrix]] = {}
    for name, weight in weights.items():
        matrix = _MATRIX.fullmatch(name)
        if matrix is None or weight.ndim != 2:
            raise TuningError(f"{path} has {name}, which does not belong to a linear layer")
        half = weight.half().numpy()
        if not np.isfinite(half).all():
            raise TuningError(f"{path} has numbers in {name} that are too large for half precision")
        halves.setdefault(matrix["layer"], {})[matrix["which"]] = half
    for layer, pair in halves.items():
        if len(pair) != 2 or pair["A"].shape[0] != pair["B"].shape[1]:
            raise TuningError(f"{path} is damaged: the matrices of {layer} do not fit together")
    return {layer: (pair["A"], pair["B"]) for layer, pair in halves.items()}


def _renamed(layers: dict[str, LowRank], model: GgufHeader) -> dict[str, LowRank]:
    """The layers by their names in GGUF; one that the model cannot have keeps its own."""
    import gguf

    architecture = {name: arch for arch, name in gguf.MODEL_ARCH_NAMES.items()}[model.architecture]
    names = gguf.get_tensor_name_map(architecture, model.of_model("block_count"))
    return {f"{names.get_name(layer) or layer}.weight": pair for layer, pair in layers.items()}


def _require_fit(layers: dict[str, LowRank], model: GgufHeader) -> None:
    require_fit({name: (a.shape[1], b.shape[0]) for name, (a, b) in layers.items()}, model)
    tuned = {block[0] for block in map(_BLOCK.match, layers) if block}
    if len(tuned) != (blocks := model.of_model("block_count")):
        # Otherwise blocks that it has no weights for would go untuned, and no one would know.
        raise UnfitAdapter(f"it tunes {len(tuned)} of {blocks} blocks")


def _reordered(layers: dict[str, LowRank], model: GgufHeader) -> dict[str, LowRank]:
    """The layers with their rows in the order that they have in GGUF."""
    if model.architecture not in _NEIGHBOURS:
        return layers
    heads = model.of_model("attention.head_count")
    of_layer = {"attn_q": heads, "attn_k": model.of_model("attention.head_count_kv") or heads}
    reordered = {}
    for name, (a, b) in layers.items():
        if count := of_layer.get(name.split(".")[-2]):
            b = b.reshape(count, 2, -1, b.shape[1]).swapaxes(1, 2).reshape(b.shape)
        reordered[name] = (a, b)
    return reordered


def _write(file: Path, architecture: str, alpha: float, layers: dict[str, LowRank]) -> None:
    import gguf

    try:
        with written_whole(file) as unfinished:
            writer = gguf.GGUFWriter(unfinished, architecture)
            writer.add_type(gguf.GGUFType.ADAPTER)
            writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
            writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, alpha)
            for name, (a, b) in layers.items():
                writer.add_tensor(name + INPUT, a)
                writer.add_tensor(name + OUTPUT, b)
            writer.write_header_to_file()
            writer.write_kv_data_to_file()
            writer.write_tensors_to_file()
            writer.close()
    except OSError as error:
        raise TuningError(f"{file} cannot be written: {error}") from error
