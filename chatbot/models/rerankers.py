"""The reranker of the settings: a cross-encoder here, on a server, or of an installed package."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, Field, SecretStr, ValidationError

from chatbot.models.certificates import posted
from chatbot.models.files import RERANKER_FILES
from chatbot.models.gguf_model import GgufModel
from chatbot.retrieval.settings import RERANKERS, ContextSettings
from corpora.errors import RerankerFailed
from corpora.indexing.cross_encoder import CrossEncoder, Reranker
from corpora.indexing.onnx_session import Runtime

_SECONDS = 10.0
_SHORT = 100
"""Characters of a passage from which on nothing is cut off."""


class RerankerFactory(Protocol):
    """A factory of a reranker; `strata.rerankers` is the group of entry points."""

    def __call__(self, settings: ContextSettings) -> Reranker:
        """Make the reranker, which is loaded at its first call.

        Args:
            settings: Those of retrieval.

        Raises:
            BadSettings: with what to set.
        """


def open_reranker(
    settings: ContextSettings, models: Path, runtime: Runtime = "auto"
) -> Reranker | None:
    """The reranker of the settings, loaded at its first call; None where it is off.

    Known ones lie in the folder `models`. Raises RerankerFailed for one that is not there,
    BadPlugin for one of a package that cannot be imported.
    """
    chosen = settings.reranker
    if chosen == "off":
        return None
    if chosen in RERANKERS.added():
        factory: RerankerFactory = RERANKERS.load(chosen)
        return factory(settings)
    if urlsplit(chosen).scheme in {"http", "https"}:
        return ServedReranker(chosen, settings.reranker_key)
    path = Path(chosen).expanduser()
    if known := RERANKER_FILES.get(chosen):
        if not all(file.path_in(models).is_file() for file in known):
            raise RerankerFailed(f"{chosen} is not here: run `strata models pull {chosen}`")
        # Two files are a folder with an ONNX file.
        path = models / (known[0].name if len(known) == 1 else chosen)
    if path.suffix == ".gguf":
        return GgufReranker(path)
    # Weights in int8 cost OpenVINO four times as much (docs/operations.md, A reranker).
    return CrossEncoder(path, runtime="onnxruntime" if runtime == "auto" else runtime)


class GgufReranker:
    """A cross-encoder from a GGUF file, run by xllamacpp in this process; loaded at first use."""

    def __init__(self, path: Path) -> None:
        self._model = GgufModel(path, "rerank", None)

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each passage. Raises RerankerFailed."""
        if not passages:
            return []
        path = self._model.path
        try:
            reply = self._reply(question, list(passages))
        except FileNotFoundError as error:
            raise RerankerFailed(f"there is no file {path}: correct STRATA_RERANKER") from error
        except RuntimeError as error:
            raise RerankerFailed(
                f"{path.name} could not be loaded as a reranker ({error}): set STRATA_RERANKER to "
                "a cross-encoder's GGUF file, or to off"
            ) from error
        return _scores(reply, len(passages), path.name, logits=True)

    def _reply(self, question: str, texts: list[str]) -> Any:
        while True:
            request = {"query": question, "documents": texts, "top_n": len(texts)}
            reply = self._model.call(request)
            told = reply.get("error") if isinstance(reply, dict) else None
            longest = max(map(len, texts))
            if told is None or "input (" not in str(told.get("message")) or longest < _SHORT:
                return reply
            # Longer than the context of the model, in tokens that only the library can count.
            texts = [text[: longest * 3 // 4] for text in texts]


class ServedReranker:
    """A reranker on a server, which is sent question and passages as `POST` to `url`.

    Understood are the replies of llama.cpp, vLLM, Jina, Cohere and LiteLLM (`results` with `index`
    and `relevance_score`) and of Text Embeddings Inference (a list with `index` and `score`).
    """

    def __init__(self, url: str, key: SecretStr | None) -> None:
        self._url = url
        self._key = key

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each passage. Raises RerankerFailed."""
        if not passages:
            return []
        texts = list(passages)
        # Text Embeddings Inference calls the documents "texts"; others ignore that.
        body = {"query": question, "documents": texts, "texts": texts, "top_n": len(texts)}
        address = httpx.URL(self._url).copy_with(userinfo=b"", query=None)
        try:
            return _scores(posted(self._url, body, self._key, _SECONDS), len(texts), str(address))
        except (httpx.HTTPError, ValueError) as error:
            raise RerankerFailed(
                f"the reranker at {address} gave no scores ({type(error).__name__}): start it, or "
                "set STRATA_RERANKER to off"
            ) from error


class _Scored(BaseModel):
    index: int = Field(ge=0)
    score: float | None = None
    relevance_score: float | None = None


class _Reply(BaseModel):
    results: list[_Scored]


def _scores(reply: Any, number: int, whose: str, *, logits: bool = False) -> list[float]:
    """The scores by passage, 0 to 1; those outside of it are logits."""
    try:
        read = _Reply.model_validate({"results": reply} if isinstance(reply, list) else reply)
    except ValidationError as error:
        raise RerankerFailed(
            f"{whose} gave no scores of passages: set STRATA_RERANKER to a reranker, or to off"
        ) from error
    by_index = {
        row.index: row.score if row.relevance_score is None else row.relevance_score
        for row in read.results
    }
    found = [by_index.get(i) for i in range(number)]
    known = [score for score in found if score is not None and math.isfinite(score)]
    if len(known) < number:
        raise RerankerFailed(
            f"{whose} scored {len(known)} of {number} passages: set STRATA_RERANKER to another "
            "reranker, or to off"
        )
    if logits or not all(0 <= score <= 1 for score in known):
        return [0.5 * (1.0 + math.tanh(score / 2)) for score in known]
    return known
