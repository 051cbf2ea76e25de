"""A capable model gives search words in the language of the documents."""

import asyncio

import pytest

from chatbot.turn import Turn
from chatbot.understanding.question_reading import read_question
from corpora.catalog.release import Product, Release
from tests.chatbot import lamp

ENGLISH = ("en",)


def prompt(*products: Product) -> str:
    """What the model is asked of a question to the lamp."""

    def unread(*_: object) -> Turn:
        raise AssertionError("not read by the model")

    question = "Wie hell ist sie?"
    model = lamp.model(lamp.reading(question, search="Helligkeit"))
    read = read_question(model, lambda: products, unread, unread)  # type: ignore[arg-type]
    turn = asyncio.run(read(Turn(question, product="lamp")))
    assert turn.rewritten
    assert turn.rewritten.filtered == "Helligkeit"
    return "\n".join(text for _, text in turn.calls[0].prompt)


def product(name: str, *languages: tuple[str, ...]) -> Product:
    releases = (Release(name, f"{n}.0", languages=of) for n, of in enumerate(languages, 1))
    return Product(name, releases=tuple(releases))


def test_english_documents_are_searched_in_english() -> None:
    asked = prompt(product("lamp", ENGLISH, ()), product("valve", ENGLISH))
    assert "in English unless another language is asked for" in asked
    assert "documents in" not in asked
    assert asked.endswith("</question>")


@pytest.mark.parametrize(
    ("languages", "told"),
    [
        ([("de",)], "lamp: 1.0 (the newest); documents in German –"),
        ([ENGLISH, ("ja", "en")], "2.0 (the newest); documents in Japanese and English –"),
    ],
)
def test_other_documents_are_searched_in_their_language(
    languages: list[tuple[str, ...]], told: str
) -> None:
    asked = prompt(product("lamp", *languages), product("valve", ENGLISH))
    assert told in asked
    assert "valve: 1.0 (the newest)\n" in asked
    assert '"search" and "other_words" in the language of the documents' in asked
