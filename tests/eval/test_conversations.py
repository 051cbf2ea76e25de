from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chatbot.queries.query_rewriting import rewrite_query
from chatbot.turn import Fallback, Queries, Turn
from corpora.catalog.release import Product
from eval.conversations import (
    CaseScore,
    ConversationCase,
    catalog_of,
    figures,
    measure,
)
from eval.gold import GoldError, read_lines
from ui.cli.main import app

TABLE = Path(__file__).parents[1] / "chatbot" / "conversation_cases.jsonl"
CASES = read_lines(TABLE, ConversationCase)
PRODUCTS = catalog_of(CASES)
KNOWN_FAILURES = 10
"""Cases that the rules get wrong; this may only become less."""


@pytest.fixture(scope="module")
def by_rules() -> tuple[CaseScore, ...]:
    return measure(rewrite_query(lambda: PRODUCTS), CASES, PRODUCTS)


@pytest.mark.parametrize(
    "place",
    [i for i, case in enumerate(CASES) if not case.rules_fail],
    ids=lambda i: CASES[i].question[:60],
)
def test_topic_and_release_carry_over_and_are_dropped_with_the_subject(
    place: int, by_rules: tuple[CaseScore, ...]
) -> None:
    score = by_rules[place]
    assert score.keeps_topic, score.base
    assert score.drops_rest, score.base
    assert score.right_release


def test_what_the_rules_get_wrong_is_known_and_does_not_grow(
    by_rules: tuple[CaseScore, ...],
) -> None:
    failing = [score.question for score in by_rules if not score.right]
    assert failing == [case.question for case in CASES if case.rules_fail]
    assert len(failing) <= KNOWN_FAILURES


def test_the_table_is_broad() -> None:
    assert len(CASES) >= 80
    assert {case.product for case in CASES} == {"tessaline", "sqlalchemy", "mpi4py"}
    assert sum(not case.follow_up for case in CASES) >= 20
    assert sum(len(case.history) > 1 for case in CASES) >= 8


def test_words_of_a_case_come_from_its_conversation() -> None:
    for case in CASES:
        said = " ".join(text for turn in case.history for text in turn) + case.question
        for word in (*case.topic_words, *case.absent):
            assert word.casefold() in said.casefold(), (case.question, word)


def case(**more: object) -> ConversationCase:
    fields = {
        "catalog": {"valve": "1.0 2.0"},
        "product": "valve",
        "history": (("What is the torque in 1.0?", "5 N·m."),),
        "question": "and in 2.0?",
        "follow_up": True,
        "release": "2.0",
        "topic_words": ("torque",),
        "absent": ("1.0",),
    }
    return ConversationCase.model_validate({**fields, **more})


def with_base(base: str, *fallbacks: Fallback) -> object:
    def step(turn: Turn) -> Turn:
        return replace(turn, queries=Queries(base, base, None, base), fallbacks=fallbacks)

    return step


@pytest.mark.parametrize(
    ("base", "right"),
    [
        ("Torque in 2.0", (True, True)),
        ("What is it in 2.0?", (False, True)),
        ("What is the torque in 1.0?", (True, False)),
    ],
)
def test_base_has_to_hold_the_topic_and_nothing_of_what_was_left(
    base: str, right: tuple[bool, bool]
) -> None:
    cases = [case()]
    score = measure(with_base(base), cases, catalog_of(cases))[0]  # type: ignore[arg-type]
    assert (score.keeps_topic, score.drops_rest) == right
    assert score.right == all(right)


def test_a_release_that_is_not_asked_for_counts_as_wrong() -> None:
    cases = [case(release="1.0"), case(), case(question="compare both", release=["1.0", "2.0"])]
    scores = measure(with_base("torque"), cases, catalog_of(cases))  # type: ignore[arg-type]
    assert [score.right_release for score in scores][:2] == [False, True]


def test_a_step_of_a_model_is_awaited_and_its_fallbacks_are_counted() -> None:
    async def step(turn: Turn) -> Turn:
        await asyncio.sleep(0)
        made = replace(turn, fallbacks=(Fallback("query_rewriting", "no JSON"),))
        return rewrite_query(lambda: PRODUCTS)(made)

    scores = measure(step, CASES[:9], PRODUCTS)
    assert str(figures(scores)["left to the rules by the model"]) == "9/9"
    assert figures(scores)["all"].hits == 9


def test_the_command_prints_the_figures_and_what_went_wrong() -> None:
    printed = CliRunner().invoke(app, ["eval", "conversations", str(TABLE)])
    assert printed.exit_code == 0
    assert "follow-ups" in printed.output
    as_json = CliRunner().invoke(app, ["eval", "conversations", str(TABLE), "--json"])
    told = json.loads(as_json.output)
    assert told["figures"]["all"] == {"hits": len(CASES) - KNOWN_FAILURES, "of": len(CASES)}
    assert [score["question"] for score in told["scores"]] == [case.question for case in CASES]


@pytest.mark.parametrize(
    ("text", "told"), [("", "nothing in this file"), ('{"question": "x"}', "line 1: cat")]
)
def test_a_file_without_cases_says_so(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "cases.jsonl"
    file.write_text(text, "utf-8")
    with pytest.raises(GoldError, match=told):
        read_lines(file, ConversationCase)


def test_the_catalog_holds_each_product_once() -> None:
    products: Sequence[Product] = PRODUCTS
    assert [product.name for product in products] == ["mpi4py", "sqlalchemy", "tessaline"]
