from __future__ import annotations

import numpy as np

from corpora.indexing.embedding import RecentVectors
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


def test_the_texts_unused_for_longest_are_let_go() -> None:
    inner = HashEmbedder()
    recent = RecentVectors(inner, most=2)
    for texts in (["a"], ["b"], ["a"], ["c"], ["a"], ["b"]):
        recent.embed(texts)
    assert inner.embedded == ["a", "b", "c", "b"]


def test_nothing_is_an_array_without_rows() -> None:
    recent = RecentVectors(HashEmbedder())
    assert recent.embed([]).shape == (0, recent.dimension)
    assert recent.name == HashEmbedder().name
