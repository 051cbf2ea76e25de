"""Small talk, and questions off every document: a short reply without a citation."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.phrasing import listed, word_set
from chatbot.text.query_terms import STOP_WORDS, filtered, words_of
from chatbot.turn import Answer, Route, RuleStep, Turn
from corpora.catalog.release import Product
from corpora.indexing.lexical import identifiers

_GREETING = word_set("hello hi hey morning")
_FAREWELL = word_set("bye goodbye")
COURTESIES = _GREETING | _FAREWELL | word_set("thanks thank ok okay great good")
_ASKING = word_set("how what which who why when where")
_POINTING = word_set("it that this them those these")
NEAR = 0.24
"""The least cosine of a question on the product to the nearest passage: 0.36 of 63 questions."""


def answer_small_talk(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Reply to small talk, leave it out of the conversation, and pass on the rest."""

    def answer(turn: Turn) -> Turn:
        known = products()
        kind = small_talk(turn.question)
        if kind is not None:
            return without_documents(turn, known, Answer(reply_to(kind, known), abstained=False))
        return replace(turn, history=tuple(p for p in turn.history if small_talk(p[0]) is None))

    return answer


def small_talk(question: str) -> str | None:
    """What a text that asks for nothing is: a greeting, thanks or farewell, or about the chatbot.

    All of its words are courtesies or stop words; None where one is not. Courtesies before a
    question are none: "ok, how does it work?".
    """
    words = {word.casefold() for word in words_of(question) if any(map(str.isalnum, word))}
    if not words <= COURTESIES | STOP_WORDS:
        return None
    asks = "?" in question or bool(words & _ASKING)
    for kind, said in (
        () if asks else (("farewell", _FAREWELL), ("greeting", _GREETING), ("thanks", COURTESIES))
    ):
        if words & said:
            return kind
    return "abilities" if words & {"you", "help"} and not words & _POINTING else None


def reply_to(kind: str, products: Sequence[Product]) -> str:
    """The reply to thanks, farewell, greeting, a question for abilities, and what is off topic."""
    documented = _documented(products)
    match kind:
        case "thanks":
            return "You're welcome."
        case "farewell":
            return "Goodbye."
        case "greeting":
            return f"Hello! Ask me about {documented}."
        case "abilities":
            return (
                f"I answer questions from the documentation of {documented}, and link to the exact "
                "passage. Ask how something is done, what a value is, since when something is "
                "there, or what differs between releases."
            )
    return f"I can only answer from the documentation of {documented}."


def refuse_off_topic(
    products: Callable[[], Sequence[Product]], is_ordinary_word: Callable[[str], bool]
) -> RuleStep:
    """Refuse a question whose meaning is far from everything that was found; pass on any other.

    What names a release, a thing from the code, or only unknown names, is for later steps.
    """

    def refuse(turn: Turn) -> Turn:
        assert turn.queries is not None
        assert turn.resolution is not None
        subject = turn.queries.subject
        named = turn.resolution.status is ReleaseStatus.STATED or identifiers(subject)
        words = filtered(turn.queries.asked).casefold().split()
        if turn.nearness is None or turn.nearness >= NEAR or named or turn.queries.lacking:
            return turn
        if not any(map(is_ordinary_word, words)):
            return turn
        known = products()
        return without_documents(turn, known, Answer(reply_to("off_topic", known), abstained=True))

    return refuse


def without_documents(turn: Turn, products: Sequence[Product], answer: Answer) -> Turn:
    """The turn with an answer that rests on no document."""
    name = products[0].name if len(products) == 1 else None
    resolution = Resolution(ReleaseStatus.NONE, name, explanation="no document needed")
    return replace(turn, resolution=resolution, route=Route.CHAT, answer=answer)


def _documented(products: Sequence[Product]) -> str:
    named = (f"{p.name} {listed(r.name for r in p.releases)}" for p in products if p.releases)
    return "; ".join(named) or "a product, once some is added"
