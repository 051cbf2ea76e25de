from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from corpora.indexing.recent_vectors import RecentVectors
from tests.hash_embedder import HashEmbedder


def test_what_was_embedded_lately_is_not_embedded_again() -> None:
    inner = HashEmbedder()
    recent = RecentVectors(inner, most=3)
    first = recent.embed(["a lamp", "a relay", "a lamp"])
    assert inner.embedded == ["a lamp", "a relay"]
    assert np.array_equal(first, HashEmbedder().embed(["a lamp", "a relay", "a lamp"]))

    again = recent.embed(["a valve", "a lamp"])
    assert inner.embedded == ["a lamp", "a relay", "a valve"]
    assert np.array_equal(again, HashEmbedder().embed(["a valve", "a lamp"]))
    assert recent.embed([]).shape == (0, recent.dimension)


def test_a_file_is_shared_by_those_that_come_at_once_and_later(tmp_path: Path) -> None:
    inner = HashEmbedder()
    both = [RecentVectors(inner, tmp_path / "vectors.db") for _ in range(2)]
    for recent in both:
        recent.embed(["a lamp", "a \ud800 relay"])
    assert len(inner.embedded) == 2
    # More than one statement takes.
    texts = [f"text {n}" for n in range(1200)]
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(lambda n: both[n % 2].embed(texts), range(8)):
            assert np.array_equal(found, HashEmbedder().embed(texts))
    inner.embedded.clear()
    RecentVectors(inner, tmp_path / "vectors.db").embed(texts)
    assert inner.embedded == []


def test_models_do_not_share_vectors(tmp_path: Path) -> None:
    one, other = HashEmbedder(), HashEmbedder()
    other.name = "another model"
    for embedder in (one, other):
        RecentVectors(embedder, tmp_path / "vectors.db").embed(["a lamp"])
    assert one.embedded == other.embedded == ["a lamp"]


@pytest.mark.parametrize("damage", ["a folder", "not a database", "no folder/vectors.db"])
def test_a_file_that_cannot_be_used_is_done_without(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "a folder").mkdir()
    (tmp_path / "not a database").write_bytes(b"nothing of the kind" * 500)
    file = tmp_path / damage
    inner = HashEmbedder()
    recent = RecentVectors(inner, file)
    for _ in range(3):
        assert np.array_equal(recent.embed(["a lamp"]), HashEmbedder().embed(["a lamp"]))
    assert inner.embedded == ["a lamp"]
    assert "cannot be used and is done without" in caplog.text
