from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chain.reply import reply_of
from chatbot.chatbot import Chatbot
from chatbot.text.languages import spoken
from chatbot.text.question_language import language_of
from chatbot.turn import Route, Turn
from chatbot.understanding.reading_by_rules import answer_inventory
from corpora.indexing.corpus import Corpus
from tests.chatbot.release_catalogs import CATALOGS, MPI4PY, SQLALCHEMY, TESSALINE


def no_corpus(product: str, release: str) -> Corpus:
    raise AssertionError(f"the documents of {product} {release} were opened")


def told(question: str, *products: object) -> Turn:
    known = products or (MPI4PY, SQLALCHEMY, TESSALINE)
    return answer_inventory(lambda: known, no_corpus)(Turn(question))  # type: ignore[arg-type, return-value]


def text(turn: Turn) -> str:
    assert turn.answer is not None
    assert turn.route is Route.INVENTORY
    assert not turn.answer.abstained
    return turn.answer.text


@pytest.mark.parametrize(
    ("question", "value", "status", "release"),
    [
        ("how many releases of sqlalchemy are there?", "5 releases of sqlalchemy", "none", None),
        (
            "what is the newest release of mpi4py?",
            "The newest release: mpi4py 3",
            "latest",
            "3.1.6",
        ),
        ("is 18.00 the latest?", "Yes, tessaline 18.00 (the latest) is", "stated", "18.00"),
        ("is 17.20 the latest?", "No, the latest is tessaline 18.00.", "none", None),
        ("do you have 1.4?", "Yes, sqlalchemy 1.4.54 is documented here.", "stated", "1.4.54"),
        ("do you have tessaline 16.0?", 'No, there is no release "16.0" of', "unknown", None),
        ("what was released before 17.20?", "Before 17.20: tessaline 17.10.", "stated", "17.10"),
        ("list the products", "There is documentation of mpi4py, sqlalchemy", "none", None),
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
    assert told("do you have Alpine?", *CATALOGS["shared alias"]).route is Route.CLARIFY


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of echo?",
        "which releases support hot standby?",
        "what is new in the newest release?",
        "is 18.00 compatible with 17.20?",
        "when was 17.20 released?",
        "how many versions does the object store keep?",
        "list the files of a diagnostics dump in 17.20",
        "which version of Cython is required to build mpi4py 3.0?",
        "which releases?",
        "what about 17.10?",
        "What is the first document of 17.20?",
        "do you have 2 ports?",
    ],
)
def test_any_other_question_passes(question: str) -> None:
    assert told(question).answer is None


def test_the_documents_of_a_release_are_those_that_serve(
    relay: Callable[[BaseChatModel | None], Chatbot],
) -> None:
    chatbot = relay(None)
    step = answer_inventory(chatbot.products, chatbot.corpora.corpus)
    turn = step(Turn("which documents of 17.20?"))
    assert text(turn) == "Documents of relay 17.20 (1):\n\n- Relay guide (`guide.md`)"
    every = text(step(Turn("which documents are there in all releases?")))
    assert all(f"Documents of relay {n} (1)" in every for n in ("17.10", "17.20", "18.00"))


@pytest.mark.parametrize(
    ("question", "value", "status"),
    [
        ("Welche Versionen von tessaline gibt es?", "3 Versionen von tessaline sind", "none"),
        ("Gibt es tessaline 16.0?", "Nein, es gibt hier keine Version „16.0“ von", "unknown"),
        ("Ist 18.00 die neueste?", "Ja, tessaline 18.00 (die neueste) ist hier", "stated"),
        ("Welche Produkte kennst du?", "Es gibt Dokumentation zu mpi4py, sqlalchemy", "none"),
        ("Quelles versions de tessaline existent ?", "3 versions de tessaline sont", "none"),
        ("Y a-t-il tessaline 16.0 ?", "Non, il n'y a pas de version « 16.0 »", "unknown"),
        ("¿Qué versiones de tessaline hay?", "Aquí están documentadas 3 versiones", "none"),
        ("¿Hay 1.4?", "Sí, sqlalchemy 1.4.54 está documentada aquí", "stated"),
        ("tessalineにはどのバージョンがありますか？", "tessaline は 3 件の", "none"),
        ("tessaline 16.0はありますか？", "いいえ、tessaline のバージョン「16.0」", "unknown"),
        ("mpi4pyの最新バージョンはどれですか？", "mpi4pyの最新", "latest"),
        ("tessaline有哪些版本？", "这里有 tessaline 的 3 个版本", "none"),
        ("有1.4吗？", "是的，这里有 sqlalchemy 1.4.54", "stated"),
    ],
)
def test_the_catalog_answers_in_the_language_of_the_question(
    question: str, value: str, status: str
) -> None:
    with spoken(language_of(question)):
        turn = told(question)
    assert text(turn).startswith(value)
    assert turn.resolution.status == status


@pytest.mark.parametrize(
    "question",
    [
        "Welche Version brauche ich für Cython?",
        "Quelle version de Cython faut-il ?",
        "どのバージョンのCythonが必要ですか？",
        "需要哪个版本的Cython？",
        "Wie viele Versionen behält der Objektspeicher?",
        "¿Qué versión de Cython necesito?",
    ],
)
def test_any_other_question_in_another_language_passes(question: str) -> None:
    assert told(question).answer is None
