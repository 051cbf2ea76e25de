"""BERTScore (Zhang et al., 2020): how alike an answer and a gold answer are, token by token.

The token vectors are the last hidden states of all-MiniLM-L6-v2, the model that searches, from the
same file; the figures compare answers with each other here and not with those that were published
for larger models. They are not rescaled with a baseline, so that unlike texts score well above 0.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from corpora.indexing.embedding import TokenVectors

TokenEmbedding = Callable[[Sequence[str]], Sequence[TokenVectors]]
"""Texts become token vectors: `MiniLM.token_vectors`."""


@dataclass(frozen=True)
class BertScore:
    """Precision, recall and F1, each -1 to 1 and in practice 0 to 1."""

    precision: float
    recall: float
    f1: float


def bert_score(candidate: str, reference: str, token_vectors: TokenEmbedding) -> BertScore:
    """Score a candidate against a reference (Zhang et al., section 3).

    Greedy matching: every token goes with the one of the other text that is most like it.
    R = mean over the reference of max_x̂ xᵀx̂, P the same over the candidate, F1 = 2·P·R / (P + R).
    """
    said, gold = token_vectors([candidate, reference])
    if not said.tokens or not gold.tokens:
        alike = float(said.tokens == gold.tokens)
        return BertScore(alike, alike, alike)
    cosines = said.vectors @ gold.vectors.T
    precision = float(cosines.max(axis=1).mean())
    recall = float(cosines.max(axis=0).mean())
    total = precision + recall
    return BertScore(precision, recall, 2 * precision * recall / total if total > 0 else 0.0)
