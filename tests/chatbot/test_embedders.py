"""Embedders of one's choice: folders, GGUF files, servers; and releases that change theirs."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from pydantic import ValidationError

from chatbot.models.embedders import ServedEmbedder, open_embedder
from chatbot.settings import Settings
from corpora.errors import EmbedderFailed
from corpora.indexing.onnx_embedder import Form, OnnxEmbedder, read_form
from tests.loopback import Asked, Reply, listening
from tests.tiny_cross_encoders import save_gguf
from tests.tiny_embedders import DIMENSION, save_onnx_embedder

WORDS = "port watt fuse lamp draws twelve query : passage"


@pytest.mark.parametrize("pooling", ["mean", "cls", "lasttoken"])
def test_a_folder_tells_how_it_is_used(tmp_path: Path, pooling: str) -> None:
    folder = save_onnx_embedder(
        tmp_path, WORDS, pooling=pooling, prompts={"query": "query: ", "passage": "passage: "}
    )
    form = read_form(folder)
    assert form == Form(pooling, "query: ", "passage: ", 64)  # type: ignore[arg-type]

    embedder = OnnxEmbedder(folder, form)
    assert embedder.dimension == DIMENSION
    texts = ["lamp", "lamp draws twelve watt", "fuse port"]
    vectors = embedder.embed(texts)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    # One text alone has the vector that it has beside others, and what stands before it counts.
    for text, vector in zip(texts, vectors, strict=True):
        assert np.allclose(embedder.embed([text])[0], vector, atol=1e-6)
        bare = OnnxEmbedder(folder, Form(pooling)).embed([f"passage: {text}"])  # type: ignore[arg-type]
        assert np.allclose(bare[0], vector, atol=1e-6)
    if pooling == "mean":
        assert not np.allclose(embedder.embed_queries(["lamp"]), vectors[:1], atol=1e-3)
    assert embedder.embed([]).shape == (0, DIMENSION)


def test_a_file_that_pools_itself_is_taken_as_it_is(tmp_path: Path) -> None:
    folder = save_onnx_embedder(tmp_path, WORDS, inside=True)
    vectors = OnnxEmbedder(folder, read_form(folder)).embed(["lamp fuse", "fuse lamp"])
    assert vectors.shape == (2, DIMENSION)
    assert np.allclose(vectors[0], vectors[1], atol=1e-6)


def test_the_name_is_that_of_the_vectors(tmp_path: Path) -> None:
    one, copied, other = (
        save_onnx_embedder(tmp_path / name, WORDS, seed=seed)
        for name, seed in (("one", 1), ("copied", 1), ("other", 2))
    )
    names = [OnnxEmbedder(f, read_form(f)).name for f in (one, copied, other)]
    assert names[0] == names[1] != names[2]
    assert OnnxEmbedder(one, Form("cls")).name != names[0]


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("1_Pooling/config.json", {"pooling_mode_max_tokens": True}, "pooling_mode_max_tokens"),
        ("modules.json", [{"type": "sentence_transformers.models.Dense"}], "a layer behind"),
        ("config_sentence_transformers.json", "{", "fetch the folder again"),
    ],
)
def test_a_folder_that_cannot_be_used_says_why(
    tmp_path: Path, file: str, content: object, said: str
) -> None:
    folder = save_onnx_embedder(tmp_path, WORDS)
    text = content if isinstance(content, str) else json.dumps(content)
    (folder / file).write_text(text, "utf-8")
    with pytest.raises(EmbedderFailed, match=said):
        read_form(folder)


def test_a_folder_without_a_model_says_what_it_needs(tmp_path: Path) -> None:
    with pytest.raises(EmbedderFailed, match=r"needs tokenizer\.json and model\.onnx"):
        open_embedder(Settings(embedder=str(tmp_path)))
    with pytest.raises(EmbedderFailed, match=r"strata models pull bge-small-en-v1\.5"):
        open_embedder(Settings(embedder="bge-small-en-v1.5", models_dir=tmp_path))
    with pytest.raises(ValidationError, match="no known embedder, owner/repository of the Hub"):
        Settings(embedder="nothing-of-that-name")


def test_a_gguf_file_embeds(tmp_path: Path) -> None:
    path = save_gguf(tmp_path / "tiny.gguf", embedder=True)
    embedder = open_embedder(Settings(embedder=str(path)))
    vectors = embedder.embed(["watt fuse", "lamp", "watt fuse", "", "watt " * 400])
    assert vectors.shape == (5, embedder.dimension)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert np.allclose(vectors[0], vectors[2], atol=1e-5)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-2)
    before = open_embedder(Settings(embedder=str(path), embedder_before_query="lamp "))
    assert before.name != embedder.name
    assert np.allclose(before.embed_queries(["watt"]), embedder.embed(["lamp watt"]), atol=1e-5)

    (tmp_path / "broken.gguf").write_bytes(b"GGUF nothing")
    with pytest.raises(EmbedderFailed, match=r"broken\.gguf could not be loaded as an embedder"):
        open_embedder(Settings(embedder=str(tmp_path / "broken.gguf"))).embed(["a"])


@dataclass
class Embeddings:
    """A server of a model, what it was asked last, and what it replies instead of vectors."""

    model: str = ""
    asked: dict[str, Any] = field(default_factory=dict)
    reply: object = None

    def __call__(self, asked: Asked) -> Reply:
        sent = json.loads(asked.body)
        self.asked = {**sent, "path": asked.path, "key": asked.headers["Authorization"]}
        rows = [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(sent["input"])]
        said = {"data": rows[::-1]} if self.reply is None else self.reply
        return Reply(body=json.dumps(said).encode())


@pytest.fixture
def served() -> Iterator[Embeddings]:
    embeddings = Embeddings()
    with listening(embeddings) as address:
        embeddings.model = f"{address}/v1#small"
        yield embeddings


def test_a_server_embeds(served: Embeddings) -> None:
    settings = Settings(embedder=served.model, embedder_key="secret", embedder_before_query="q: ")
    embedder = open_embedder(settings)
    vectors = embedder.embed([*"ab", "ccc"] * 20)
    assert vectors.shape == (60, 2) == (60, embedder.dimension)
    assert np.allclose(vectors[2], np.array([3, 1]) / np.sqrt(10))
    embedder.embed_queries(["a"])
    assert served.asked == {
        "model": "small", "input": ["q: a"], "path": "/v1/embeddings", "key": "Bearer secret"
    }  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        {"error": "no"},
        {"data": []},
        {"data": [{"index": 0, "embedding": []}]},
        {"data": [{"index": 0, "embedding": [0.0, 0.0]}]},
        {"data": [{"index": 0, "embedding": ["a"]}]},
        [],
    ],
)
def test_a_server_that_gives_no_vectors_is_named(served: Embeddings, reply: object) -> None:
    served.reply = reply
    embedder = open_embedder(Settings(embedder=served.model))
    with pytest.raises(EmbedderFailed, match=r"127\.0\.0\.1.*STRATA_EMBEDDER"):
        embedder.embed_queries(["a"])
    # It may be the query of one person, which keeps nobody else's from it.
    served.reply = None
    assert embedder.embed_queries(["b"]).shape == (1, 2)


def test_one_question_alone_waits_for_a_server_that_did_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, over = threading.Semaphore(0), threading.Event()

    def hangs(*given: Any) -> Any:
        asked.release()
        over.wait(30)
        raise httpx.ReadTimeout("")

    monkeypatch.setattr("chatbot.models.embedders.posted", hangs)
    monkeypatch.setattr("chatbot.models.embedders._AVOIDED_SECONDS", 3600.0)
    embedder = ServedEmbedder("http://127.0.0.1:1/v1#small", None, Form())
    embedder._failed = -1e9, "it was gone"
    with ThreadPoolExecutor(1) as pool:
        waits = pool.submit(embedder.embed_queries, ["a"])
        assert asked.acquire(timeout=30)
        with pytest.raises(EmbedderFailed, match="it was gone"):
            embedder.embed_queries(["b"])
        over.set()
        with pytest.raises(EmbedderFailed, match="ReadTimeout"):
            waits.result()


def test_the_key_goes_to_no_server_but_that_of_the_settings(served: Embeddings) -> None:
    for today in ("https://embedders.example.org/v1#small", "http://127.0.0.1:1/v1#small"):
        settings = Settings(embedder=today, embedder_key="secret")
        open_embedder(settings, chosen=served.model).embed(["a"])
        assert served.asked["key"] is None
    # Another model of the same server.
    settings = Settings(embedder=served.model.replace("small", "large"), embedder_key="secret")
    open_embedder(settings, chosen=served.model).embed(["a"])
    assert served.asked["key"] == "Bearer secret"


def test_an_address_with_a_password_is_refused() -> None:
    with pytest.raises(ValidationError, match="STRATA_EMBEDDER_KEY instead"):
        Settings(embedder="https://ann:secret@embedders.example.org/v1#small")


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(EmbedderFailed, match="gave no vectors"):
        open_embedder(Settings(embedder="http://127.0.0.1:1/v1#small")).embed(["a"])
    with pytest.raises(EmbedderFailed, match="names no model"):
        open_embedder(Settings(embedder="http://127.0.0.1:1/v1"))
