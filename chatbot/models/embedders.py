"""The embedder of the settings: MiniLM, a known one, a folder, a GGUF file, a server, a package."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Protocol
from urllib.parse import urlsplit

import httpx
import numpy as np
from pydantic import BaseModel, Field, SecretStr, ValidationError
from sqlalchemy import select

from chatbot.models.certificates import posted
from chatbot.models.files import EMBEDDING, TOKENIZER, embedder_files
from chatbot.models.gguf_model import GgufModel
from chatbot.runtime.model_calls import TIMEOUT, Attempt, note
from chatbot.settings import Settings
from corpora.database.engine import Database
from corpora.database.tables import EmbeddingModelRow
from corpora.errors import EmbedderFailed
from corpora.indexing.embedding import Embedder, MiniLM, Vectors, unit
from corpora.indexing.onnx_embedder import Form, Formed, OnnxEmbedder, read_form
from corpora.indexing.queries_together import QueriesTogether
from corpora.settings import EMBEDDERS, MINILM
from ingestion.plugins import BadPlugin

_AT_ONCE = 32
_SECONDS = 60.0
_PROBE_SECONDS = 3.0
_AVOIDED_SECONDS = 30.0
"""So long after it did not answer no query is sent: a server that hangs would hold up all."""

_log = logging.getLogger(__name__)


FORMS = {
    "bge-small-en-v1.5": Form("cls", "Represent this sentence for searching relevant passages: "),
    "granite-embedding-small-english-r2": Form("cls"),
    "granite-embedding-97m-multilingual-r2": Form("cls"),
    "multilingual-e5-small": Form("mean", "query: ", "passage: "),
}
"""How the known embedders are used, as their makers say."""


class EmbedderFactory(Protocol):
    """A factory of an embedder; `strata.embedders` is the group of entry points."""

    def __call__(self, settings: Settings) -> Embedder:
        """Make the embedder, whose model is loaded at its first call.

        Args:
            settings: Those of Strata.

        Raises:
            BadSettings: with what to set.
        """


def open_minilm(settings: Settings, threads: int | None = None) -> MiniLM:
    """all-MiniLM-L6-v2, which knows English words too; by default on all cores."""
    files = EMBEDDING.path_in(settings.models_dir), TOKENIZER.path_in(settings.models_dir)
    return MiniLM(*files, threads, runtime=settings.embedding_runtime)


def open_embedder(
    settings: Settings, threads: int | None = None, chosen: str | None = None
) -> Embedder:
    """The embedder of the settings, or another `chosen` one; its model is loaded at first use.

    Raises EmbedderFailed where its files are not there, BadPlugin for one of a package that cannot
    be imported.
    """
    chosen = chosen or settings.embedder
    if chosen == MINILM:
        return open_minilm(settings, threads)
    if chosen in EMBEDDERS.added():
        factory: EmbedderFactory = EMBEDDERS.load(chosen)
        return factory(settings)
    if urlsplit(chosen).scheme in {"http", "https"}:
        # A server that was in use before is not told the key of today's.
        is_its = _origin(chosen) == _origin(settings.embedder)
        key = settings.embedder_key if is_its else None
        return ServedEmbedder(chosen, key, _form(settings, Form()))
    path = Path(chosen).expanduser()
    if path.suffix == ".gguf":
        return GgufEmbedder(path, threads, _form(settings, Form()))
    if files := embedder_files(chosen):
        path = files[0].path_in(settings.models_dir).parent
        if not path.is_dir():
            raise EmbedderFailed(
                f"{chosen} is not here: run `strata models pull {chosen}`, or copy its folder "
                "here and set STRATA_EMBEDDER to its path"
            )
    form = _form(settings, FORMS.get(chosen) or read_form(path))
    return OnnxEmbedder(path, form, threads, runtime=settings.embedding_runtime)


def _origin(address: str) -> tuple[str, str | None, int | None]:
    """The scheme, host and port of an address; a port that is the scheme's own is none."""
    url = urlsplit(address)
    own = {"http": 80, "https": 443}.get(url.scheme)
    return url.scheme, url.hostname, None if url.port == own else url.port


def _form(settings: Settings, own: Form) -> Form:
    """A form with what the settings say stands before queries and texts."""
    query, text = settings.embedder_before_query, settings.embedder_before_text
    return replace(
        own,
        before_query=own.before_query if query is None else query,
        before_text=own.before_text if text is None else text,
    )


class Embedders:
    """The embedder of the settings, and those that releases were embedded with before.

    `setting_of` gives the setting of an earlier one by its name, if it is known; `served` is that
    of the settings where it is on a server.
    """

    def __init__(
        self,
        settings: Settings,
        threads: int | None = None,
        setting_of: Callable[[str], str] = lambda name: "",
    ) -> None:
        self._settings = settings
        self._threads = threads
        self._setting_of = setting_of
        self._former: dict[str, Embedder | None] = {}
        self._lock = Lock()
        self.current = open_embedder(settings, threads)
        self.served = (self.current,) if isinstance(self.current, ServedEmbedder) else ()
        embed_queries = self.current.embed_queries
        # A server puts requests together itself, and one that hangs must not hold up everybody.
        self._embed_queries = embed_queries if self.served else QueriesTogether(embed_queries)
        self.setting = settings.embedder

    @property
    def name(self) -> str:
        """That of the embedder of the settings."""
        return self.current.name

    @property
    def dimension(self) -> int:
        """That of the embedder of the settings."""
        return self.current.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, in input order. Raises EmbedderFailed."""
        return self.current.embed(texts)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one row per query, in input order. Raises EmbedderFailed."""
        return self._embed_queries(queries)

    def named(self, name: str) -> Embedder | None:
        """The embedder whose vectors bear this name, if it can still be opened."""
        if name == self.name:
            return self.current
        with self._lock:
            if name not in self._former:
                self._former[name] = self._open(name)
            return self._former[name]

    def _open(self, name: str) -> Embedder | None:
        chosen = MINILM if name == MiniLM.name else self._setting_of(name)
        try:
            former = open_embedder(self._settings, self._threads, chosen) if chosen else None
        except (EmbedderFailed, BadPlugin) as error:
            _log.warning("an embedder that was in use before cannot be opened: %s", error)
            return None
        return former if former is not None and former.name == name else None


def open_embedders(settings: Settings, database: Database, threads: int | None = None) -> Embedders:
    """The embedder of the settings, with those that the database has vectors of."""

    def setting_of(name: str) -> str:
        query = select(EmbeddingModelRow.setting).where(EmbeddingModelRow.name == name)
        with database.reading() as session:
            return session.scalar(query) or ""

    return Embedders(settings, threads, setting_of)


class GgufEmbedder(Formed):
    """An embedder from a GGUF file, run by xllamacpp in this process; loaded at first use.

    It pools as its file says. What exceeds its context is left out of a text.
    """

    def __init__(self, path: Path, threads: int | None, form: Form) -> None:
        if not path.is_file():
            raise EmbedderFailed(f"there is no file {path}: correct STRATA_EMBEDDER")
        self.setting = str(path)
        self.form = form
        self._model = GgufModel(path, "embeddings", threads)

    @cached_property
    def name(self) -> str:
        """A hash of the file and the form."""
        return f"gguf:{self._hash(self._model.path)}"

    def _embed(self, texts: Sequence[str]) -> Vectors:
        return np.concatenate([self._one(text) for text in texts])

    def _one(self, text: str) -> Vectors:
        while True:
            try:
                reply = self._model.call({"input": [text or " "]})
            except RuntimeError as error:
                raise EmbedderFailed(
                    f"{self._model.path.name} could not be loaded as an embedder ({error}): set "
                    "STRATA_EMBEDDER to the GGUF file of one, or to minilm"
                ) from error
            told = reply.get("error") if isinstance(reply, dict) else None
            if told is None or "input (" not in str(told.get("message")) or len(text) < _AT_ONCE:
                return _vectors(reply, 1, self._model.path.name)
            # Longer than the context of the model, in tokens that only the library can count.
            text = text[: len(text) * 3 // 4]


class ServedEmbedder(Formed):
    """An embedder on a server that speaks OpenAI's protocol: `http://host/v1#model`."""

    def __init__(self, url: str, key: SecretStr | None, form: Form) -> None:
        address, _, self._of_server = url.partition("#")
        if not self._of_server:
            raise EmbedderFailed(
                f"{address} names no model: set STRATA_EMBEDDER to {address}#MODEL"
            )
        self.setting = url
        self.form = form
        self._url = httpx.URL(address.rstrip("/") + "/embeddings")
        self._key = key
        self._failed: tuple[float, str] | None = None
        self.server = str(httpx.URL(address).copy_with(userinfo=b"", query=None))

    @property
    def known_as(self) -> str:
        """The model's name."""
        return self._of_server

    def problem(self) -> str:
        """Why the server gives no vectors now, in a sentence; empty if it does."""
        try:
            self._ask(["a"], _PROBE_SECONDS)
        except EmbedderFailed as error:
            return str(error)
        return ""

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a row per query, in input order. Raises EmbedderFailed, at once if it is away."""
        if failed := self._failed:
            if time.monotonic() - failed[0] < _AVOIDED_SECONDS:
                raise EmbedderFailed(failed[1])
            # One alone asks whether it is back, and waits.
            self._failed = time.monotonic(), failed[1]
        try:
            vectors = super().embed_queries(queries)
        except EmbedderFailed as error:
            # A server that refuses the query of one person takes those of others.
            why, is_away = error.__cause__, isinstance(error.__cause__, httpx.TransportError)
            if isinstance(why, httpx.HTTPStatusError):
                is_away = why.response.status_code in (502, 503, 504)
            self._failed = (time.monotonic(), str(error)) if is_away else None
            raise
        self._failed = None
        return vectors

    @property
    def name(self) -> str:
        """The model's name and a hash of the form: whose server it is does not matter."""
        return f"served:{self._of_server}:{self._hash()[:8]}"

    def _embed(self, texts: Sequence[str]) -> Vectors:
        parts = [texts[i : i + _AT_ONCE] for i in range(0, len(texts), _AT_ONCE)]
        return np.concatenate([self._ask(some) for some in parts])

    def _ask(self, texts: Sequence[str], seconds: float = _SECONDS) -> Vectors:
        whose = f"the embedder at {self._url.copy_with(userinfo=b'', query=None)}"
        body = {"model": self._of_server, "input": list(texts)}
        started, error = time.perf_counter(), ""
        try:
            return _vectors(posted(self._url, body, self._key, seconds), len(texts), whose)
        except (httpx.HTTPError, ValueError, EmbedderFailed) as raised:
            error = _kind(raised)
            why = f"{whose} gave no vectors ({type(raised).__name__}): start it, or set "
            why += "STRATA_EMBEDDER to another embedder"
            why = str(raised) if isinstance(raised, EmbedderFailed) else why
            raise EmbedderFailed(why) from raised
        finally:
            taken = round(time.perf_counter() - started, 4)
            note(Attempt(self.server, self._of_server, error, taken, None))


def _kind(error: Exception) -> str:
    """What a failure is counted as, in the words of those of language models."""
    if isinstance(error, httpx.HTTPStatusError):
        return str(error.response.status_code)
    if isinstance(error, httpx.TimeoutException):
        return TIMEOUT
    return "unreachable" if isinstance(error, httpx.TransportError) else "failed"


class _Embedded(BaseModel):
    index: int = Field(ge=0)
    embedding: list[float] = Field(min_length=1)


class _Reply(BaseModel):
    data: list[_Embedded]


def _vectors(reply: Any, number: int, whose: str) -> Vectors:
    """The vectors by the places of their texts, of length one."""
    try:
        read = _Reply.model_validate(reply)
        by_place = {row.index: row.embedding for row in read.data}
        vectors = np.array([by_place[i] for i in range(number)], dtype=np.float32)
    except (ValidationError, KeyError, ValueError) as error:
        told = reply.get("error") if isinstance(reply, dict) else None
        raise EmbedderFailed(
            f"{whose} gave no vectors for {number} texts "
            f"({str(told or type(error).__name__)[:200]}): set "
            "STRATA_EMBEDDER to an embedder, or to minilm"
        ) from error
    if not np.isfinite(vectors).all() or not np.linalg.norm(vectors, axis=1).all():
        raise EmbedderFailed(
            f"{whose} gave vectors that are zero or not finite: set STRATA_EMBEDDER to another "
            "embedder"
        )
    return unit(vectors)
