"""A sentence embedder of one's choice: a folder as sentence-transformers writes it, with ONNX."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from corpora.errors import EmbedderFailed
from corpora.indexing.embedding import Vectors, mean_of_tokens, unit
from corpora.indexing.encoder import Encoder
from corpora.indexing.onnx_session import Runtime, model_in

Pooling = Literal["mean", "cls", "lasttoken"]
MOST_TOKENS = 512
"""Tokens of a text that are read: search chunks have fewer, and time grows with their square."""


@dataclass(frozen=True)
class Form:
    """How an embedder is used: what makes one vector of its tokens, and what stands before texts.

    `longest` counts the tokens of a text that are read.
    """

    pooling: Pooling = "mean"
    before_query: str = ""
    before_text: str = ""
    longest: int = MOST_TOKENS


class Formed(ABC):
    """An embedder that is used in a form: what it needs stands before queries and before texts."""

    form: Form

    @cached_property
    def dimension(self) -> int:
        """The length of its vectors, of which one is made to see."""
        return int(self._embed(["a"]).shape[1])

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in input order. Raises EmbedderFailed."""
        return self._embed_all([self.form.before_text + text for text in texts])

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one row per query, in input order. Raises EmbedderFailed."""
        return self._embed_all([self.form.before_query + query for query in queries])

    def _hash(self, *files: Path) -> str:
        """A hash of what vectors depend on: its form and its files."""
        digest = sha256(repr(self.form).encode())
        for file in files:
            with file.open("rb") as opened:
                digest.update(file_digest(opened, "sha256").digest())
        return digest.hexdigest()[:24]

    def _embed_all(self, texts: Sequence[str]) -> Vectors:
        return self._embed(texts) if texts else np.empty((0, self.dimension), dtype=np.float32)

    @abstractmethod
    def _embed(self, texts: Sequence[str]) -> Vectors:
        """One row for each of some texts."""


class OnnxEmbedder(Formed):
    """An embedder from a folder with `tokenizer.json` and an ONNX file, on the CPU; thread-safe.

    `read_form` tells its form. Its name is a hash of what its vectors depend on, so that the same
    model bears the same name on every machine. Raises EmbedderFailed.
    """

    def __init__(
        self,
        folder: Path,
        form: Form,
        threads: int | None = None,
        *,
        runtime: Runtime = "auto",
    ) -> None:
        self._folder = folder
        model, tokenizer = model_in(folder), folder / "tokenizer.json"
        if model is None or not tokenizer.is_file():
            raise EmbedderFailed(
                f"{folder} does not hold an embedder: it needs tokenizer.json and model.onnx; "
                "set STRATA_EMBEDDER to such a folder, or to minilm"
            )
        self.form = form
        self._encoder = Encoder(model, tokenizer, self.form.longest, threads, runtime=runtime)

    @property
    def setting(self) -> str:
        """Its folder."""
        return str(self._folder)

    @cached_property
    def name(self) -> str:
        """A hash of model, tokenizer and form."""
        return f"onnx:{self._hash(self._encoder.model, self._encoder.tokenizer_file)}"

    def _embed(self, texts: Sequence[str]) -> Vectors:
        rows: list[int] = []
        parts: list[Vectors] = []
        try:
            for places, _, output, mask in self._encoder.batches(texts):
                rows += places
                parts.append(_pooled(output, mask, self.form.pooling))
        except Exception as error:
            # The runtimes and the tokenizer raise classes of their own for what they cannot use.
            raise EmbedderFailed(
                f"{self._folder} could not embed ({type(error).__name__}: {error}): set "
                "STRATA_EMBEDDER to another embedder, or to minilm"
            ) from error
        vectors: Vectors = np.concatenate(parts)[np.argsort(rows)].astype(np.float32, copy=False)
        return vectors


def _pooled(output: Vectors, mask: npt.NDArray[np.int64], pooling: Pooling) -> Vectors:
    if output.ndim == 2:
        # The file does the pooling itself.
        return unit(output)
    match pooling:
        case "cls":
            return unit(output[:, 0])
        case "lasttoken":
            return unit(output[np.arange(len(output)), mask.sum(axis=1) - 1])
        case "mean":
            return mean_of_tokens(output, mask)


def read_form(folder: Path) -> Form:
    """Read how an embedder is used from the files of sentence-transformers; raise EmbedderFailed.

    Without them it is the mean of the tokens, and nothing stands before texts.
    """
    pooling = _read(folder / "1_Pooling" / "config.json")
    prompts = _read(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    if any("Dense" in str(module.get("type", "")) for module in _modules(folder)):
        raise EmbedderFailed(
            f"{folder} has a layer behind its pooling, which is not supported: export it with the "
            "pooling inside (output sentence_embedding), or set STRATA_EMBEDDER to another one"
        )
    return Form(
        _pooling(pooling, folder),
        _first(prompts, "query"),
        _first(prompts, "document", "passage"),
        _longest(folder),
    )


def _pooling(config: Mapping[str, Any], folder: Path) -> Pooling:
    names: dict[str, Pooling] = {
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "cls",
        "pooling_mode_lasttoken": "lasttoken",
    }
    chosen = [key for key, value in config.items() if key.startswith("pooling_mode_") and value]
    if not chosen:
        return "mean"
    if len(chosen) > 1 or chosen[0] not in names:
        raise EmbedderFailed(
            f"{folder} pools by {', '.join(chosen)}, which is not supported: set STRATA_EMBEDDER "
            "to an embedder that takes the mean, the first or the last token"
        )
    return names[chosen[0]]


def _longest(folder: Path) -> int:
    config = _read(folder / "config.json")
    taken = _number(config, "max_position_embeddings")
    if taken and "roberta" in str(config.get("model_type")):
        # Its first two positions are not for tokens.
        taken -= 2
    own = _number(_read(folder / "sentence_bert_config.json"), "max_seq_length")
    return min(filter(None, (own, taken, MOST_TOKENS)))


def _number(config: Mapping[str, Any], key: str) -> int | None:
    value = config.get(key)
    return value if isinstance(value, int) and value > 0 else None


def _first(prompts: Mapping[str, Any], *names: str) -> str:
    return next((prompts[name] for name in names if isinstance(prompts.get(name), str)), "")


def _modules(folder: Path) -> list[Mapping[str, Any]]:
    modules = _read(folder / "modules.json", [])
    return [m for m in modules if isinstance(m, dict)] if isinstance(modules, list) else []


def _read(file: Path, otherwise: Any = None) -> Any:
    if not file.is_file():
        return {} if otherwise is None else otherwise
    try:
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise EmbedderFailed(f"{file} cannot be read ({error}): fetch the folder again") from error
