from __future__ import annotations

from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chain.reply import reply_of
from chatbot.chatbot import Chatbot
from chatbot.dialogue.inventory import answer_inventory
from chatbot.turn import Route, Turn
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
    assert text(turn) == ("There are 3 releases of tessaline: 18.00 (the latest), 17.20 and 17.10.")
    assert turn.resolution is not None
    assert (turn.resolution.product, turn.resolution.releases) == ("tessaline", ())


def test_several_products_are_told_apart() -> None:
    answer = text(told("which releases do you know?"))
    assert answer.startswith("There are 12 releases of 3 products")
    assert "- **mpi4py**: 3.1.6 (the latest), 3.0.3, 2.0.0 and 1.3.1" in answer
    assert "- **tessaline**: 18.00 (the latest), 17.20 and 17.10" in answer


def test_named_products_are_the_ones_told() -> None:
    answer = text(told("list the releases of sqlalchemy and mpi4py"))
    assert answer.startswith("There are 9 releases of 2 products")
    assert "tessaline" not in answer


@pytest.mark.parametrize(
    ("question", "value", "status", "release"),
    [
        (
            "how many releases of sqlalchemy are there?",
            "There are 5 releases of sqlalchemy: 2.1.9",
            "none",
            None,
        ),
        (
            "what is the newest release of mpi4py?",
            "The newest release of mpi4py is 3.1.6.",
            "latest",
            "3.1.6",
        ),
        (
            "what is the oldest version of mpi4py?",
            "The oldest release of mpi4py is 1.3.1.",
            "stated",
            "1.3.1",
        ),
        ("is 18.00 the latest?", "Yes, 18.00 is the newest release", "stated", "18.00"),
        (
            "is 17.20 the latest?",
            "No, the newest release of tessaline is 18.00.",
            "stated",
            "17.20",
        ),
        ("do you have 1.4?", "Yes, sqlalchemy 1.4.54 is documented here.", "stated", "1.4.54"),
        (
            "do you have tessaline 16.0?",
            'No, there is no release "16.0" of tessaline.',
            "unknown",
            None,
        ),
        ("does 16.0 exist?", 'No, there is no release "16.0".', "unknown", None),
        ("do you have 2.0?", "Yes, mpi4py 2.0.0 and sqlalchemy 2.0.57", "none", None),
        (
            "what was released before 17.20?",
            "Right before tessaline 17.20 came 17.10.",
            "stated",
            "17.10",
        ),
        (
            "which releases are newer than 17.10?",
            "Right after tessaline 17.10 came 17.20",
            "stated",
            "17.20",
        ),
        ("what came before 17.10?", "No release came before 17.10", "stated", "17.10"),
        ("is there anything newer than 18.00?", "No release came after 18.00", "stated", "18.00"),
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
    assert text(turn).startswith('No, there is no release "16.0" of tessaline.')
    assert reply_of(turn, "embedded").available_releases == ("18.00", "17.20", "17.10")


@pytest.mark.parametrize(
    ("question", "status", "available"),
    [
        ("which documents of tessaline 16.0?", "unknown", ["18.00", "17.20", "17.10"]),
        ("what was released before 2.0?", "ambiguous", ["mpi4py 2.0.0", "sqlalchemy 2.0.57"]),
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
    assert text(turn).startswith("There are 4 releases of mpi4py")
    turn = told("is there a newer version?", conversation_release=("mpi4py", "3.0.3"))
    assert text(turn) == "Right after mpi4py 3.0.3 came 3.1.6."


def test_the_product_that_is_chosen_is_the_one_told() -> None:
    assert text(told("what is the newest?", product="tessaline")).endswith("tessaline is 18.00.")


@pytest.mark.parametrize("question", ["What is the default of echo?", "which releases have OTDR?"])
def test_any_other_question_passes(question: str) -> None:
    turn = told(question)
    assert turn == Turn(question)


def test_an_unknown_product_is_left_to_the_next_step() -> None:
    turn = told("which releases are there?", product="gizmo")
    assert turn.answer is None


def test_the_documents_of_a_release_are_those_that_serve(
    relay: Callable[[BaseChatModel | None], Chatbot],
) -> None:
    chatbot = relay(None)
    step = answer_inventory(chatbot.products, chatbot.corpora.corpus)
    turn = step(Turn("which documents of 17.20?"))
    assert text(turn) == "relay 17.20 has 1 document:\n\n- Relay guide (`guide.md`)"
    history = (("which documents of 17.20?", text(turn)),)
    assert text(step(Turn("and of 17.10?", history=history))).startswith("relay 17.10 has 1")
    counted = step(Turn("how many?", history=history))
    assert text(counted).startswith("relay 17.20 has 1 document")
    assert counted.resolution is not None
    assert counted.resolution.releases == ("17.20",)
    every = text(step(Turn("which documents are there in all releases?")))
    assert [f"relay {name} has 1 document" in every for name in ("17.10", "17.20", "18.00")] == (
        [True] * 3
    )
