import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings
from corpora.errors import ModelMissing
from corpora.indexing.embedding import MiniLM

TEXTS = [
    "The number of connections that the pool keeps open.",
    "pool_size=5",
    "",
    "Bananas are yellow. " * 200,
    "¿Qué? 文档 🙂 \x00 \n\t",
    "How many connections stay open in the pool?",
]


MODELS = Settings().models_dir
FILES = EMBEDDING.path_in(MODELS), TOKENIZER.path_in(MODELS)
ROUNDED = {"onnxruntime": 1e-5, "openvino": 5e-3}
"""How far a number of a vector may be from the same one in another batch; OpenVINO computes in
bfloat16 where the processor can."""


@pytest.fixture(scope="module", params=["onnxruntime", "openvino"])
def embedder(request: pytest.FixtureRequest) -> MiniLM:
    return MiniLM(*FILES, runtime=request.param)


def test_vectors_are_unit_rows_in_the_order_of_the_texts(embedder: MiniLM) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    np.testing.assert_allclose(vectors, alone, atol=ROUNDED[embedder.runtime])


def test_the_vector_is_that_of_the_original_model(embedder: MiniLM) -> None:
    # sentence-transformers/all-MiniLM-L6-v2 in fp32, first eight of its 384 numbers.
    (vector,) = embedder.embed(["This is an example sentence"])
    original = [0.06765, 0.06350, 0.04871, 0.07930, 0.03745, 0.00265, 0.03937, -0.00710]
    np.testing.assert_allclose(vector[:8], original, atol=4e-3)
    assert embedder.embed([]).shape == (0, 384)
    assert embedder.knows_word("connection")
    assert not embedder.knows_word("queuepool")


def test_threads_share_an_embedder(embedder: MiniLM) -> None:
    fresh = MiniLM(*FILES, runtime=embedder.runtime)
    with ThreadPoolExecutor(6) as threads:
        rows = list(threads.map(lambda text: fresh.embed([text])[0], TEXTS))
    np.testing.assert_allclose(rows, embedder.embed(TEXTS), atol=ROUNDED[embedder.runtime])


def test_the_vectors_of_both_runtimes_serve_one_index() -> None:
    one, other = (MiniLM(*FILES, runtime=r).embed(TEXTS) for r in ("onnxruntime", "openvino"))
    # OpenVINO computes in bfloat16 where the CPU has it.
    assert (one * other).sum(axis=1) == pytest.approx(1, abs=5e-3)


def test_a_missing_runtime_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpora.indexing.onnx_session.find_spec", lambda name: None)
    with pytest.raises(ModelMissing, match="OpenVINO is not installed"):
        MiniLM(*FILES, 1, runtime="openvino").embed(TEXTS)
    assert MiniLM(*FILES, 1).embed(TEXTS).shape == (len(TEXTS), 384)


@pytest.mark.parametrize("missing", ["model", "tokenizer"])
def test_a_missing_file_is_named_with_what_to_do(tmp_path: Path, missing: str) -> None:
    files = {name: tmp_path / name for name in ("model", "tokenizer")}
    for name, path in files.items():
        if name != missing:
            path.touch()
    with pytest.raises(ModelMissing, match=rf"{missing} is missing; run `strata models pull`"):
        MiniLM(files["model"], files["tokenizer"]).embed(["text"])


def test_the_mean_of_the_token_vectors_with_both_ends_is_the_text(embedder: MiniLM) -> None:
    tokens = embedder.token_vectors(["pool_size is 5", "", "Bananas are yellow."])
    assert tokens[0].tokens == ("pool", "_", "size", "is", "5")
    assert tokens[1].tokens == ()
    assert tokens[1].vectors.shape == (0, 384)
    assert tokens[2].vectors.shape == (4, 384)
    assert np.linalg.norm(tokens[2].vectors, axis=1) == pytest.approx(1, abs=1e-5)
    mean = tokens[2].vectors.mean(axis=0)
    (vector,) = embedder.embed(["Bananas are yellow."])
    assert mean @ vector / np.linalg.norm(mean) > 0.9
    # They do not depend on the texts beside.
    (alone,) = embedder.token_vectors(["Bananas are yellow."])
    np.testing.assert_allclose(alone.vectors, tokens[2].vectors, atol=ROUNDED[embedder.runtime])
    assert embedder.token_vectors([]) == []


_AT_ONCE = """
import os, sys, sqlite3, threading, time
import numpy as np
from pathlib import Path
from corpora.indexing.onnx_session import open_session

session, together, end = open_session(Path(sys.argv[1]), "openvino"), threading.Barrier(6), []

def run():
    together.wait()
    session.run({name: np.zeros((1, 3), np.int64) for name in session.inputs})

def take_the_lock():
    together.wait()
    while not end:
        sqlite3.connect(":memory:").execute("select 1").fetchall()

running = [threading.Thread(target=run, daemon=True) for _ in range(4)]
others = [threading.Thread(target=take_the_lock, daemon=True) for _ in range(2)]
for thread in (*running, *others):
    thread.start()
for thread in running:
    thread.join()
print("all have run", flush=True)
os._exit(0)
"""


@pytest.mark.slow
def test_the_first_texts_of_a_process_are_embedded_by_several_threads_at_once() -> None:
    # Of ten processes one at least stood still without what `open_session` does for it.
    for _ in range(10):
        command = [sys.executable, "-c", _AT_ONCE, str(FILES[0])]
        ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert ended.stdout == "all have run\n"
