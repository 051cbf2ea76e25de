"""The reranker of the settings: a cross-encoder here, on a server, or of an installed package."""

import importlib
import math
import os
import secrets
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
from pydantic import BaseModel, Field, SecretStr, ValidationError

from chatbot.retrieval.settings import RERANKERS, ContextSettings
from corpora.errors import RerankerFailed
from corpora.indexing.cross_encoder import CrossEncoder, Reranker
from corpora.indexing.onnx_session import Runtime

_BATCH = 2048
_SECONDS = 10.0


class RerankerFactory(Protocol):
    """A factory of a reranker; `strata.rerankers` is the group of entry points."""

    def __call__(self, settings: ContextSettings) -> Reranker:
        """Make the reranker, which is loaded at its first call.

        Args:
            settings: Those of retrieval.

        Raises:
            BadSettings: with what to set.
        """


def open_reranker(settings: ContextSettings, runtime: Runtime = "auto") -> Reranker | None:
    """The reranker of the settings, loaded at its first call; None where it is off.

    Raises BadPlugin for one of a package that cannot be imported.
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
    return GgufReranker(path) if path.suffix == ".gguf" else CrossEncoder(path, runtime=runtime)


class GgufReranker:
    """A cross-encoder from a GGUF file, run by xllamacpp in this process; loaded at first use."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._server: Any = None

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each passage. Raises RerankerFailed."""
        if not passages:
            return []
        request = {"query": question, "documents": list(passages), "top_n": len(passages)}
        with self._lock:
            self._server = self._server or self._start()
            reply = self._server.handle_rerank(request)
        return _scores(reply, len(passages), self._path.name, logits=True)

    def _start(self) -> Any:
        if not self._path.is_file():
            raise RerankerFailed(f"there is no file {self._path}: correct STRATA_RERANKER")
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self._path)
        params.embedding = True
        params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
        # A pair is computed in one batch, and never cut.
        params.n_ctx = params.n_batch = params.n_ubatch = _BATCH
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = os.cpu_count() or 1
        params.verbosity = -1
        # The library opens a loopback port of its own; without a key any web page could use it.
        params.api_keys = [secrets.token_urlsafe(32)]
        try:
            return xllamacpp.Server(params)
        except RuntimeError as error:
            raise RerankerFailed(
                f"{self._path.name} could not be loaded as a reranker ({error}): set "
                "STRATA_RERANKER to a cross-encoder's GGUF file, or to off"
            ) from error


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
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"} if self._key else {}
        address = httpx.URL(self._url).copy_with(userinfo=b"", query=None)
        try:
            reply = httpx.post(self._url, json=body, headers=headers, timeout=_SECONDS)
            reply.raise_for_status()
            return _scores(reply.json(), len(texts), str(address))
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
