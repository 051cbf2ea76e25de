"""Small talk, and questions off every document: a short reply without a citation."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.phrasing import listed, word_set
from chatbot.text.query_terms import filtered
from chatbot.turn import Answer, Route, RuleStep, Turn
from corpora.catalog.release import Product
from corpora.indexing.lexical import identifiers

_THANKS = word_set("thanks thank thx ty cheers appreciated")
_FAREWELL = word_set("bye goodbye farewell ciao")
_GREETING = word_set("hello hi hey howdy greetings morning afternoon evening")
_PRAISE = word_set("ok okay great good nice cool perfect fine excellent")
_COURTESIES = _THANKS | _FAREWELL | _GREETING | _PRAISE
_BESIDE = word_set("""
    a again all alright and dear everybody everyone for helped helpful i it job just lot lots much
    no now of oh really so that that's the there this to today very was well work you your
""")
_ABOUT_YOU = word_set("""
    a able about ai an and are as ask assistant be bot can capable chatbot could do does doing
    everything feel for help here how human i in is kind kinds know machine made me model my
    name need of or person please questions real robot should some sort stuff tell the thing things
    to topics use us we what what's who who's why with work yourself
""")
_YOU = word_set("you your yourself")
_HELP = word_set("help please me i need")
_WORD = re.compile(r"[\w’']+")
_LONGEST = 120
NEAR = 0.24
"""The least cosine of a question on the product to the nearest passage: 0.36 of 63 questions."""


def answer_small_talk(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Reply to small talk, leave it out of the conversation, and pass on the rest."""

    def answer(turn: Turn) -> Turn:
        known = products()
        text = small_talk(turn.question, known)
        if text is not None:
            return without_documents(turn, known, Answer(text, abstained=False))
        kept = tuple(pair for pair in turn.history if small_talk(pair[0], known) is None)
        return turn if kept == turn.history else replace(turn, history=kept)

    return answer


def small_talk(question: str, products: Sequence[Product]) -> str | None:
    """The reply to small talk; None where a question is none."""
    words = frozenset(_WORD.findall(question.casefold().replace("’", "'")))
    if not words or len(question) > _LONGEST:
        return None
    if words <= _COURTESIES | _BESIDE and words & _COURTESIES:
        for kind, said in (("thanks", _THANKS), ("farewell", _FAREWELL), ("greeting", _GREETING)):
            if words & said:
                return reply_to(kind, products)
        return "Good. Is there anything else you would like to know?"
    about_you = words <= _ABOUT_YOU | _YOU and words & _YOU
    asks_for_help = "help" in words and words <= _HELP
    return reply_to("abilities", products) if about_you or asks_for_help else None


def reply_to(kind: str, products: Sequence[Product]) -> str:
    """The reply to thanks, farewell, greeting, a question for abilities, and what is off topic."""
    match kind:
        case "thanks":
            return "You're welcome."
        case "farewell":
            return "Goodbye."
        case "greeting":
            return f"Hello! Ask me about {_documented(products)}."
        case "abilities":
            return _abilities(products)
    return f"I can only answer from the documentation of {_documented(products)}."


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
        words = filtered(subject).casefold().split()
        if turn.nearness is None or turn.nearness >= NEAR:
            return turn
        if turn.resolution.status is ReleaseStatus.STATED:
            return turn
        leans = bool(turn.history) and len(filtered(turn.queries.asked).split()) < 2
        named = turn.queries.lacking or identifiers(subject)
        if leans or named or not any(map(is_ordinary_word, words)):
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


def _abilities(products: Sequence[Product]) -> str:
    if not any(product.releases for product in products):
        return "I answer questions from documentation, but there is none yet: add some first."
    product = max(products, key=lambda p: len(p.releases))
    *_, newest = names = [release.name for release in product.releases]
    example = f"What is documented in {product.name} {newest}?"
    if len(names) > 1:
        example = f"What changed in {product.name} between {names[-2]} and {newest}?"
    return (
        f"I answer questions from the documentation of {_documented(products)}, and link to the "
        "exact passage. Ask how something is done, what a value is, since when something is "
        f"there, or what differs between releases.\n\nFor example: {example}"
    )
