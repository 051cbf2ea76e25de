"""The measures of likeness, against their papers' own examples."""

from collections.abc import Sequence

import numpy as np
import pytest

from corpora.indexing.embedding import TokenVectors
from eval.likeness import bert_score, bleu, entities, entity_jaccard, rouge_1, rouge_l, sim

DIRECTIONS = {"a": (1.0, 0.0), "b": (0.0, 1.0), "c": (0.6, 0.8), "-": (-1.0, 0.0)}
LIN = "police killed the gunman"
"""The reference of the worked example in section 3.1 of the ROUGE paper."""
GOLD = "The default of hold_time is 300 s."


def letters(texts: Sequence[str]) -> list[TokenVectors]:
    """Every word is a direction in the plane."""
    return [
        TokenVectors(
            tuple(text.split()),
            np.array([DIRECTIONS[w] for w in text.split()], np.float32).reshape(-1, 2),
        )
        for text in texts
    ]


@pytest.mark.parametrize(
    ("said", "gold", "score"),
    [
        ("b a", "a b", (1, 1, 1)),
        # The candidate's a finds a (1), its c finds b (0.8); the reference's b finds c (0.8).
        ("a c", "a b", (0.9, 0.9, 0.9)),
        ("a", "a b", (1, 0.5, 2 / 3)),
        ("", "", (1, 1, 1)),
        ("", "a", (0, 0, 0)),
        ("-", "a", (-1, -1, 0)),
    ],
)
def test_bert_score_matches_every_token_with_the_one_most_like_it(
    said: str, gold: str, score: tuple[float, ...]
) -> None:
    assert tuple(bert_score(said, gold, letters)) == pytest.approx(score)


@pytest.mark.parametrize(
    ("candidate", "of_words", "of_order"),
    [
        ("Police kill the gunman!", 3 / 4, 3 / 4),
        ("the gunman kill police", 3 / 4, 2 / 4),
        ("the the the gunman", 2 / 4, 2 / 4),
        ("the gunman", 2 / 3, 2 / 3),
        ("", 0, 0),
    ],
)
def test_rouge_counts_words_and_their_order(
    candidate: str, of_words: float, of_order: float
) -> None:
    assert rouge_1(candidate, LIN) == pytest.approx(of_words)
    assert rouge_l(candidate, LIN) == pytest.approx(of_order)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("hold_time is 300 s, or 300s.", {"hold_time", "300s"}),
        ("9,216 bytes, e.g. for `Query.update()`", {"9216bytes", "query.update"}),
        ("Port XF-2 sends UTF-8, which is read-only.", {"xf-2", "utf-8"}),
        ("A major alarm is raised.", set()),
    ],
)
def test_entities_are_names_and_figures(text: str, found: set[str]) -> None:
    assert entities(text) == found


@pytest.mark.parametrize(
    ("answer", "shared"),
    [
        ("`hold_time` is 300 s by default.", 1),
        ("hold_time is 5 s.", 1 / 3),
        ("hold_time is 300 s, lock_time 5 s.", 2 / 4),
        ("", 0),
    ],
)
def test_entities_are_held_against_those_of_the_gold_answer(answer: str, shared: float) -> None:
    assert entity_jaccard(answer, GOLD) == pytest.approx(shared)
    assert entity_jaccard(answer, "Major.") is None


@pytest.mark.parametrize(
    ("said", "gold", "score"),
    [
        ("the cat sat on the mat", "the cat sat on the mat", 1),
        # Every run of the three words is in the longer text: exp(1 - 6/3).
        ("the cat sat", "the cat sat on the mat", np.exp(-1)),
        # 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, and half a run of four for none of one.
        ("the cat sat up", "the cat sat down", (3 / 4 * 2 / 3 * 1 / 2 * 1 / 2) ** (1 / 4)),
        ("", "the cat sat", 0),
    ],
)
def test_bleu_is_the_mean_precision_of_runs(said: str, gold: str, score: float) -> None:
    assert bleu(said, gold) == pytest.approx(score)


def test_sim_is_the_cosine_and_nothing_is_like_nothing() -> None:
    def embed(texts: Sequence[str]) -> np.ndarray:
        return np.array([DIRECTIONS[text] for text in texts], np.float32)

    assert sim("a", "c", embed) == pytest.approx(0.6)
    assert sim("a", "b", embed) == pytest.approx(0)
    assert sim(" ", "b", embed) == 0
