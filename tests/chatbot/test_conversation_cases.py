"""What a conversation hands on: topic and release carry over, or are dropped with the subject."""

import json
from pathlib import Path
from typing import Any

import pytest

from chatbot.memory.questions import standalone_text
from chatbot.turn import Turn
from chatbot.understanding.follow_ups import context_of_follow_up
from chatbot.understanding.queries import rewrite_query
from chatbot.understanding.reading_by_rules import extract_release, take_up_question
from corpora.catalog.release import Product, Release, is_prerelease

FILE = Path(__file__).with_name("conversation_cases.jsonl")
CASES = [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]
NAMED = {name: releases.split() for case in CASES for name, releases in case["catalog"].items()}
PRODUCTS = tuple(
    Product(name, (), tuple(Release(name, r, (), is_prerelease(r)) for r in releases))
    for name, releases in sorted(NAMED.items())
)
FEWEST_RIGHT = 81
"""Of 91: what is asked has every word of the topic and none that was left."""


def rewritten(case: dict[str, Any]) -> Turn:
    history = tuple((user, said) for user, said in case["history"])
    turn = Turn(case["question"], product=case.get("product"), history=history)
    turn = extract_release(lambda: PRODUCTS)(take_up_question(lambda: PRODUCTS)(turn))
    return turn if turn.answer else rewrite_query(lambda: PRODUCTS, lambda *_: None)(turn)


def test_topic_and_release_carry_over_and_are_dropped_with_the_subject() -> None:
    turns = [(case, rewritten(case)) for case in CASES]
    meant = [
        tuple(r) if isinstance(r := case["release"], list) else (r,)
        for case, turn in turns
        if turn.resolved
    ]
    found = [turn.resolution.releases for _, turn in turns if turn.resolved]
    assert sum(one == other for one, other in zip(meant, found, strict=True)) >= FEWEST_RIGHT
    wrong = []
    for case, turn in turns:
        base = turn.phrased.base.casefold() if turn.phrased else ""
        has_topic = all(word.casefold() in base for word in case["topic_words"])
        if not has_topic or any(word.casefold() in base for word in case.get("absent", ())):
            wrong.append((case["question"], base))
    assert len(CASES) - len(wrong) >= FEWEST_RIGHT, wrong


def test_a_follow_up_is_kept_in_words_that_can_be_read_alone() -> None:
    told = [(case["asks"], standalone_text(rewritten(case))) for case in CASES if "asks" in case]
    assert [kept for _, kept in told] == [asks for asks, _ in told]


@pytest.mark.parametrize("letter", ["u", "`u`", "U"])
def test_a_row_may_be_called_by_a_letter(letter: str) -> None:
    history = [("What is the default of hold_time?", "The default is 20 s [1].")]
    rows = {("Parameter", "Default"): ["hold_time", "u", "v"]}
    topic = context_of_follow_up(f"and {letter}?", history, str, lambda words: rows)
    assert topic == ("What is the default of u?", "")
