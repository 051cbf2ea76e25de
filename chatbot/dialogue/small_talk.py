"""Small talk: a short reply that rests on no document."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.words import STOP_WORDS, listed, word_set, words_of
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.release import Product

_GREETING = word_set("hello hi hey")
_THANKS = word_set("thanks thank thx ok great helpful helped lot bye")
_ABILITIES = word_set("what can you do help me for there")


def small_talk(question: str) -> str:
    """Whether a text is a "greeting", "thanks" or asks what the chatbot can do; else empty.

    All of its words are courtesies or stop words, and none asks: "ok, how does it work?".
    """
    words = {word.casefold() for word in words_of(question) if any(map(str.isalnum, word))}
    if words <= _ABILITIES | _GREETING and words & {"you", "help"}:
        return "greeting"
    if "?" in question or "how" in words or not words <= _GREETING | _THANKS | STOP_WORDS:
        return ""
    return "greeting" if words & _GREETING else "thanks" if words & _THANKS else ""


def without_documents(turn: Turn, products: Sequence[Product], kind: str) -> Turn:
    """The turn with the reply to a "greeting", "thanks", or what is "off_topic"."""
    named = (f"{p.name} {listed(r.name for r in p.releases)}" for p in products if p.releases)
    documented = "; ".join(named) or "a product, once some is added"
    text = {
        "greeting": f"Hello! I answer questions from the documentation of {documented}, and link "
        "to the exact passage.",
        "thanks": "You're welcome.",
        "off_topic": f"I can only answer from the documentation of {documented}.",
    }[kind]
    name = products[0].name if len(products) == 1 else None
    resolution = Resolution(ReleaseStatus.NONE, name, explanation="no document needed")
    answer = Answer(text, abstained=kind == "off_topic")
    return replace(turn, resolution=resolution, route=Route.CHAT, answer=answer)
