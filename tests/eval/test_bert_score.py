from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from chatbot.models.files import EMBEDDING, TOKENIZER
from chatbot.settings import Settings
from corpora.indexing.embedding import MiniLM, TokenVectors
from eval.likeness import bert_score

DIRECTIONS = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (0.6, 0.8)}


def letters(texts: Sequence[str]) -> list[TokenVectors]:
    """Every word is one of three directions in the plane."""
    return [
        TokenVectors(
            tuple(text.split()),
            np.array([DIRECTIONS[w] for w in text.split()], np.float32).reshape(-1, 2),
        )
        for text in texts
    ]


def test_equal_texts_score_one_and_order_does_not_matter() -> None:
    same, turned = (bert_score(said, "a b", letters) for said in ("a b", "b a"))
    assert (same.precision, same.recall, same.f1) == pytest.approx((1, 1, 1))
    assert turned.f1 == pytest.approx(1)


def test_every_token_goes_with_the_one_most_like_it() -> None:
    # The candidate's a finds a (1), its c finds a (0.6); the reference's a finds a, b finds c.
    score = bert_score("a c", "a b", letters)
    assert score.precision == pytest.approx((1 + 0.8) / 2)
    assert score.recall == pytest.approx((1 + 0.8) / 2)
    short = bert_score("a", "a b", letters)
    assert (short.precision, short.recall) == pytest.approx((1, 0.5))
    assert short.f1 == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("candidate", "reference", "f1"), [("", "", 1), ("", "a", 0), ("a", "", 0)]
)
def test_a_text_without_tokens_is_like_another_one_only(
    candidate: str, reference: str, f1: float
) -> None:
    score = bert_score(candidate, reference, letters)
    assert score.f1 == f1


def test_opposite_texts_have_no_f1_to_speak_of() -> None:
    def ends(texts: Sequence[str]) -> list[TokenVectors]:
        return [TokenVectors((t,), np.array([[1.0 if t == "+" else -1.0]])) for t in texts]

    score = bert_score("+", "-", ends)
    assert (score.precision, score.recall, score.f1) == (-1, -1, 0)


def test_with_the_real_model_the_right_answer_is_more_like_the_gold_one() -> None:
    models = Settings().models_dir
    minilm = MiniLM(EMBEDDING.path_in(models), TOKENIZER.path_in(models))
    gold = "The pool keeps five connections open."
    said = ("Five connections stay open in the pool.", "Bananas are yellow.")
    right, wrong = (bert_score(text, gold, minilm.token_vectors) for text in said)
    assert right.f1 > 0.7
    assert wrong.f1 < 0.5
