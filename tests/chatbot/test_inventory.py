from __future__ import annotations

from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chain.reply import reply_of
from chatbot.chatbot import Chatbot
from chatbot.turn import Route, Turn
from chatbot.understanding.reading_by_rules import answer_inventory
from corpora.indexing.corpus import Corpus
from tests.chatbot.release_catalogs import CATALOGS, MPI4PY, SQLALCHEMY, TESSALINE


def no_corpus(product: str, release: str) -> Corpus:
    raise AssertionError(f"the documents of {product} {release} were opened")


def told(question: str, *products: object, **more: object) -> Turn:
    known = products or (MPI4PY, SQLALCHEMY, TESSALINE)
    return answer_inventory(lambda: known, no_corpus)(Turn(question, **more))  # type: ignore[arg-type, return-value]


def text(turn: Turn) -> str:
    assert turn.answer is not None
    assert turn.route is Route.INVENTORY
    assert not turn.answer.abstained
    return turn.answer.text


def test_releases_of_a_product_are_listed_the_newest_first() -> None:
    turn = told("which releases of tessaline do you know?")
    assert text(turn) == (
        "3 releases of tessaline documented here: 18.00 (the latest), 17.20 and 17.10."
    )
    assert (turn.resolution.product, turn.resolution.releases) == ("tessaline", ())


def test_several_products_are_told_apart() -> None:
    answer = text(told("which releases do you know?"))
    assert answer.startswith("There is documentation of mpi4py, sqlalchemy and tessaline:")
    assert "- **mpi4py**: 3.1.6 (the latest), 3.0.3, 2.0.0 and 1.3.1" in answer
    assert "- **tessaline**: 18.00 (the latest), 17.20 and 17.10" in answer


@pytest.mark.parametrize(
    ("question", "value", "status", "release"),
    [
        (
            "how many releases of sqlalchemy are there?",
            "5 releases of sqlalchemy documented here: 2.1.9",
            "none",
            None,
        ),
        (
            "what is the newest release of mpi4py?",
            "The newest release: mpi4py 3.1.6 (the latest).",
            "latest",
            "3.1.6",
        ),
        (
            "what is the oldest version of mpi4py?",
            "The oldest version: mpi4py 1.3.1.",
            "stated",
            "1.3.1",
        ),
        ("is 18.00 the latest?", "Yes, tessaline 18.00 (the latest) is", "stated", "18.00"),
        (
            "is 17.20 the latest?",
            "No, the latest is tessaline 18.00.",
            "none",
            None,
        ),
        ("do you have 1.4?", "Yes, sqlalchemy 1.4.54 is documented here.", "stated", "1.4.54"),
        (
            "do you have tessaline 16.0?",
            'No, there is no release "16.0" of tessaline here,',
            "unknown",
            None,
        ),
        (
            "what was released before 17.20?",
            "Before 17.20: tessaline 17.10.",
            "stated",
            "17.10",
        ),
        (
            "which releases are newer than 17.10?",
            "3 releases of tessaline documented here: 18.00 (the latest), 17.20 and 17.10.",
            "none",
            None,
        ),
        ("is there a release 19 of tessaline?", "No, there is no release", "unknown", None),
        (
            "list the products",
            "There is documentation of mpi4py, sqlalchemy and tessaline.",
            "none",
            None,
        ),
    ],
)
def test_the_short_answer_and_its_release(
    question: str, value: str, status: str, release: str | None
) -> None:
    turn = told(question)
    text(turn)
    reply = reply_of(turn, "embedded")
    assert turn.answer is not None
    assert turn.answer.value.startswith(value)
    assert (reply.release_status, reply.release) == (status, release)
    assert (reply.route, reply.model_calls, reply.citations) == ("inventory", 0, ())


def test_a_release_that_is_not_there_is_denied_with_those_that_are() -> None:
    turn = told("do you have tessaline 16.0?")
    assert text(turn).startswith('No, there is no release "16.0" of tessaline here,')
    assert reply_of(turn, "embedded").available_releases == ("18.00", "17.20", "17.10")


@pytest.mark.parametrize(
    ("question", "status", "available"),
    [
        ("which documents of tessaline 16.0?", "unknown", ["18.00", "17.20", "17.10"]),
        ("which documents of 2.0?", "ambiguous", ["mpi4py 2.0.0", "sqlalchemy 2.0.57"]),
    ],
)
def test_what_is_unknown_or_ambiguous_is_asked_back(
    question: str, status: str, available: list[str]
) -> None:
    turn = told(question)
    assert turn.route is Route.CLARIFY
    reply = reply_of(turn, "embedded")
    assert (reply.release_status, reply.available_releases) == (status, tuple(available))
    assert reply.abstained


def test_an_alias_of_several_releases_is_asked_back() -> None:
    turn = told("do you have Alpine?", *CATALOGS["shared alias"])
    assert turn.route is Route.CLARIFY


def test_the_conversation_says_the_product_and_the_release() -> None:
    turn = told("which releases are there?", conversation_release=("mpi4py", "2.0.0"))
    assert text(turn).startswith("4 releases of mpi4py documented here:")


def test_the_product_that_is_chosen_is_the_one_told() -> None:
    assert text(told("what is the newest?", product="tessaline")).endswith(
        "tessaline 18.00 (the latest)."
    )


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of echo?",
        "which releases have OTDR?",
        "which releases support hot standby?",
        "which releases have it?",
        "what is new in the newest release?",
        "what is in 17.20?",
        "is that in 1.4?",
        "is 18.00 compatible with 17.20?",
        "is the latest release 17.20?",
        "does 17.20 have OTDR?",
        "when was 17.20 released?",
        "how many versions does the object store keep?",
        "list the files of a diagnostics dump in 17.20",
        "which version of Cython is required to build mpi4py 3.0?",
        "which releases?",
        "and in 17.10?",
        "what about 17.10?",
        "how many are there?",
        "which files?",
        "What is the first document of 17.20?",
        "do you have 2 ports?",
        "why?",
    ],
)
def test_any_other_question_passes_with_its_release(question: str) -> None:
    turn = told(question)
    assert turn.answer is None


def test_without_any_product_there_is_nothing_to_list() -> None:
    assert answer_inventory(lambda: (), no_corpus)(Turn("which releases are there?")).answer is None


def test_an_unknown_product_is_left_to_the_next_step() -> None:
    turn = told("which releases are there?", product="gizmo")
    assert turn.answer is None


def test_the_documents_of_a_release_are_those_that_serve(
    relay: Callable[[BaseChatModel | None], Chatbot],
) -> None:
    chatbot = relay(None)
    step = answer_inventory(chatbot.products, chatbot.corpora.corpus)
    turn = step(Turn("which documents of 17.20?"))
    assert text(turn) == "Documents of relay 17.20 (1):\n\n- Relay guide (`guide.md`)"
    every = text(step(Turn("which documents are there in all releases?")))
    assert [f"Documents of relay {n} (1)" in every for n in ("17.10", "17.20", "18.00")] == (
        [True] * 3
    )
