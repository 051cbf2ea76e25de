from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from chatbot.dialogue.catalog_questions import read_inquiry
from tests.chatbot.release_catalogs import CATALOGS, MPI4PY, SQLALCHEMY, TESSALINE

PRODUCTS = [MPI4PY, SQLALCHEMY, TESSALINE]
CASES = [
    json.loads(line)
    for line in (Path(__file__).parent / "catalog_question_cases.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize("case", CASES, ids=lambda c: c["question"][:60])
def test_a_question_about_what_there_is_is_told_from_any_other(case: dict[str, Any]) -> None:
    history = [(user, assistant) for user, assistant in case.get("history", ())]
    inquiry = read_inquiry(case["question"], PRODUCTS, history)
    if inquiry is None:
        assert case["kind"] is None
    else:
        assert (inquiry.kind.name, inquiry.release) == (case["kind"], case.get("release", ""))


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("which releases of sqlalchemy do you know?", ["sqlalchemy"]),
        ("which releases of sqlalchemy and mpi4py do you know?", ["sqlalchemy", "mpi4py"]),
        ("which releases do you know?", []),
        ("how many releases of the Python mpi4py bindings are there?", ["mpi4py"]),
    ],
)
def test_the_products_that_are_named_are_told(question: str, names: list[str]) -> None:
    inquiry = read_inquiry(question, PRODUCTS)
    assert inquiry is not None
    assert [product.name for product in inquiry.products] == names


def test_releases_called_by_words_are_seen() -> None:
    inquiry = read_inquiry("do you have Jammy Jellyfish?", CATALOGS["ubuntu"])
    assert inquiry is not None
    assert inquiry.release == "jammy jellyfish"


@pytest.mark.parametrize("piece", ["which releases ", "17.20 ", "please ", "~#§ ", "(", "what's "])
def test_any_text_is_read_fast(piece: str) -> None:
    started = time.perf_counter()
    for length in (190, 20_000):
        read_inquiry((piece * 10_000)[:length], PRODUCTS)
    assert time.perf_counter() - started < 1


def test_the_signs_that_stand_for_products_and_releases_are_none_of_the_askers() -> None:
    asked = read_inquiry("is # 18.00 there?", PRODUCTS)
    assert asked is not None
    assert asked.release == "18.00"
    assert read_inquiry("is release # there?", PRODUCTS) in (
        None,
        read_inquiry("is there a release?", PRODUCTS),
    )
