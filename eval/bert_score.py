"""BERTScore (Zhang et al., 2020): how alike an answer and a gold answer are, token by token.

The token vectors are the last hidden states of all-MiniLM-L6-v2, the model that searches, from the
same file; the figures compare answers with each other here and not with those that were published
for larger models. They are not rescaled with a baseline, so that unlike texts score well above 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from corpora.indexing.embedding import TokenVectors

TokenEmbedding = Callable[[Sequence[str]], Sequence[TokenVectors]]
"""Texts become token vectors: `MiniLM.token_vectors`."""

Idf = Callable[[str], float]
"""How much a token weighs."""


@dataclass(frozen=True)
class BertScore:
    """Precision, recall and F1, each -1 to 1 and in practice 0 to 1."""

    precision: float
    recall: float
    f1: float


def bert_scores(
    candidates: Sequence[str],
    references: Sequence[str],
    token_vectors: TokenEmbedding,
    *,
    idf: Idf | None = None,
) -> list[BertScore]:
    """Score each candidate against the reference at its place (Zhang et al., section 3).

    With `idf` (see `inverse_document_frequencies`) rare tokens weigh more.
    """
    if len(candidates) != len(references):
        raise ValueError(f"{len(candidates)} candidates for {len(references)} references")
    vectors = token_vectors([*candidates, *references])
    pairs = zip(vectors[: len(candidates)], vectors[len(candidates) :], strict=True)
    return [_score(candidate, reference, idf) for candidate, reference in pairs]


def inverse_document_frequencies(references: Sequence[str], token_vectors: TokenEmbedding) -> Idf:
    """idf(w) = −log((1 + number of references with w) / (1 + number of references))."""
    held = Counter(token for text in token_vectors(references) for token in set(text.tokens))
    return lambda token: -math.log((1 + held[token]) / (1 + len(references)))


def _score(candidate: TokenVectors, reference: TokenVectors, idf: Idf | None) -> BertScore:
    """Greedy matching: every token goes with the one of the other text that is most like it.

    R = Σ_x idf(x)·max_x̂ xᵀx̂ / Σ_x idf(x) over the reference, P the same over the candidate,
    F1 = 2·P·R / (P + R).
    """
    if not candidate.tokens or not reference.tokens:
        alike = float(candidate.tokens == reference.tokens)
        return BertScore(alike, alike, alike)
    cosines = candidate.vectors @ reference.vectors.T
    precision = _mean(cosines.max(axis=1), candidate.tokens, idf)
    recall = _mean(cosines.max(axis=0), reference.tokens, idf)
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)


def _mean(best: np.ndarray, tokens: Sequence[str], idf: Idf | None) -> float:
    if idf is None:
        return float(best.mean())
    weights = np.array([idf(token) for token in tokens])
    # A text of tokens that stand everywhere has no rare ones to weigh.
    return float(best @ weights / weights.sum()) if weights.sum() > 0 else float(best.mean())
