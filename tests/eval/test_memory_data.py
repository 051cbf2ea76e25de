"""The pairs and paraphrases that the memory is measured on are what they say they are."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import eval
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.releases.rules import resolve_release
from corpora.catalog.release import Product
from eval.gold import GoldQuestion, QuestionKind, read_gold
from eval.gold import read_lines as read_models
from eval.memory_pairs import Pair
from tests.chatbot.release_catalogs import MPI4PY, SQLALCHEMY, TESSALINE
from tests.eval.gold_sources import check_sources

REPOSITORY = Path(eval.__file__).parents[1]
EXAMPLES = REPOSITORY / "examples"
QUESTIONS = REPOSITORY / "eval" / "questions"
FILES = {
    "sample": EXAMPLES / "paraphrases.jsonl",
    "gold_dev": QUESTIONS / "gold_dev_paraphrases.jsonl",
}
CATALOGS = {"ex": TESSALINE, "sa": SQLALCHEMY, "mp": MPI4PY}
FROM_ONE_RELEASE = set(QuestionKind) - {
    QuestionKind.COMPARE,
    QuestionKind.FOLLOW_UP,
    QuestionKind.UNANSWERABLE,
}


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def plain(text: str) -> str:
    return " ".join(text.casefold().split())


def sample() -> dict[str, GoldQuestion]:
    files = ("questions.jsonl", "more_questions.jsonl")
    return {question.id: question for file in files for question in read_gold(EXAMPLES / file)}


def resolve(text: str, product: Product) -> Resolution:
    return resolve_release(text, [product], product=product.name)


PAIRS = read_models(QUESTIONS / "memory_pairs.jsonl", Pair)
PARAPHRASES = {name: read_lines(path) for name, path in FILES.items()}
ROWS = [
    pytest.param(row["id"], row["paraphrases"], id=row["id"])
    for rows in PARAPHRASES.values()
    for row in rows
]


def test_the_pairs_are_many_of_six_products_and_stand_once() -> None:
    products = {"celery", "coverage", "gunicorn", "pip", "sphinx", "supervisor"}
    assert {pair.product for pair in PAIRS} == products
    assert sum(pair.same for pair in PAIRS) >= 600
    assert sum(not pair.same for pair in PAIRS) >= 900
    assert all(pair.a != pair.b for pair in PAIRS)
    asked = {(pair.release, frozenset((pair.a, pair.b))) for pair in PAIRS}
    assert len(asked) == len(PAIRS)


def test_no_two_questions_are_said_to_be_the_same_and_not() -> None:
    """What follows from the paraphrases, over all pairs of a product, contradicts no trap."""
    stands_for: dict[tuple[str, ...], tuple[str, ...]] = {}

    def root(question: tuple[str, ...]) -> tuple[str, ...]:
        while question in stands_for:
            question = stands_for[question]
        return question

    def sides(pair: Pair) -> list[tuple[str, ...]]:
        return [root((pair.product, pair.release, getattr(pair, side))) for side in ("a", "b")]

    for pair in PAIRS:
        if pair.same:
            one, other = sides(pair)
            if one != other:
                stands_for[other] = one
    for pair in PAIRS:
        if not pair.same:
            one, other = sides(pair)
            assert one != other, pair


@pytest.mark.parametrize("name", FILES)
def test_there_are_forty_questions_with_five_paraphrases_each(name: str) -> None:
    rows = PARAPHRASES[name]

    assert len(rows) == 40
    assert len({row["id"] for row in rows}) == 40
    for row in rows:
        assert row.keys() == {"id", "paraphrases"}
        assert len(row["paraphrases"]) >= 5, row["id"]
    texts = [plain(text) for row in rows for text in row["paraphrases"]]
    assert len(set(texts)) == len(texts)


def test_the_paraphrases_of_the_sample_are_of_questions_answered_from_one_release() -> None:
    questions = sample()

    for row in PARAPHRASES["sample"]:
        question = questions[row["id"]]
        assert question.kind in FROM_ONE_RELEASE, row["id"]
        texts = [plain(question.question), *map(plain, row["paraphrases"])]
        assert len(set(texts)) == len(texts), row["id"]


@pytest.mark.parametrize(("identity", "paraphrases"), ROWS)
def test_all_paraphrases_of_a_question_mean_one_release(
    identity: str, paraphrases: list[str]
) -> None:
    """And the release of the question, where its file is here; those of gold_dev are fetched.

    One of five may be asked back: "idle time 17.20 logs a user out".
    """
    product = CATALOGS[identity[:2]]
    resolved = [resolve(text, product) for text in paraphrases]
    found = [r for r in resolved if r.status is not ReleaseStatus.AMBIGUOUS]

    assert len(resolved) - len(found) <= 1
    assert {(r.status, r.releases) for r in found} == {(found[0].status, found[0].releases)}
    question = sample().get(identity)
    if question is not None:
        asked = resolve(question.question, product)
        assert (asked.status, asked.releases) == (found[0].status, found[0].releases)
        assert found[0].releases == question.gold_releases


def test_the_further_questions_on_the_sample_are_answered_in_it(tmp_path: Path) -> None:
    build = [sys.executable, str(EXAMPLES / "build.py"), "--output", str(tmp_path)]
    subprocess.run(build, check=True, capture_output=True)

    assert check_sources(read_gold(EXAMPLES / "more_questions.jsonl"), tmp_path) == []


def test_every_further_question_has_paraphrases() -> None:
    further = {question.id for question in read_gold(EXAMPLES / "more_questions.jsonl")}

    assert further <= {row["id"] for row in PARAPHRASES["sample"]}
