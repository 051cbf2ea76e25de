"""The sets of questions in this repository are what the figures say they are."""

from pathlib import Path

import pytest

import eval
from eval.gold import read_gold, read_lines
from eval.memory_pairs import QuestionPair
from eval.releases import ReleaseQuestion

QUESTIONS = Path(eval.__file__).parent / "questions"
BENCHMARK = QUESTIONS.parent / "benchmark" / "questions"
EXAMPLES = QUESTIONS.parents[1] / "examples"
GOLD = [
    *sorted(p for p in BENCHMARK.glob("*.jsonl") if ".releases." not in p.name),
    *(QUESTIONS / f"{name}.jsonl" for name in ("gold_dev_history", "tuning", "validation")),
    *sorted((QUESTIONS / "imported").glob("*_asked.jsonl")),
    *sorted(EXAMPLES.glob("*questions.jsonl")),
]


@pytest.mark.parametrize("path", GOLD, ids=lambda path: path.stem)
def test_a_gold_answer_is_right_and_complete_by_its_own_patterns(path: Path) -> None:
    questions = read_gold(path)
    for question in questions:
        if question.answerable:
            assert question.accepts(question.gold_answer), question.id
            assert question.facts_in(question.gold_answer) == len(question.facts), question.id
            assert question.has_steps(question.gold_answer), question.id


def test_a_history_holds_none_of_the_questions_that_are_asked() -> None:
    def asked(name: str) -> set[str]:
        return {question.question.casefold() for question in read_gold(QUESTIONS / name)}

    history = asked("gold_dev_history.jsonl")
    assert history
    assert not history & (asked("tuning.jsonl") | asked("validation.jsonl"))


def test_no_two_questions_are_said_to_be_the_same_and_not() -> None:
    """What follows from the paraphrases, over all pairs of a product, contradicts no trap."""
    pairs = read_lines(QUESTIONS / "memory_pairs.jsonl", QuestionPair)
    stands_for: dict[tuple[str, ...], tuple[str, ...]] = {}

    def root(question: tuple[str, ...]) -> tuple[str, ...]:
        while question in stands_for:
            question = stands_for[question]
        return question

    def sides(pair: QuestionPair) -> list[tuple[str, ...]]:
        return [root((pair.product, pair.release, getattr(pair, side))) for side in ("a", "b")]

    for pair in pairs:
        one, other = sides(pair)
        if pair.same and one != other:
            stands_for[other] = one
    for pair in pairs:
        one, other = sides(pair)
        assert pair.same or one != other, pair


@pytest.mark.parametrize("path", sorted(BENCHMARK.glob("*.releases.jsonl")), ids=str)
def test_phrasings_of_releases_can_be_read(path: Path) -> None:
    assert read_lines(path, ReleaseQuestion, unique="id")
