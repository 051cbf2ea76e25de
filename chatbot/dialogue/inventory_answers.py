"""Questions about what is documented here, answered from the catalog without a model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.dialogue.inventory import YES_NO, take_stock
from chatbot.queries.asking_back import resolve_turn
from chatbot.releases.product_names import product_spans
from chatbot.releases.resolution import ReleaseStatus, Resolution, cut
from chatbot.text.words import word_set, words_of
from chatbot.turn import RuleStep, Turn
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus

_SEVERAL = word_set("releases versions products")
_DOCUMENTS = word_set("documents documentation docs")
_THERE = word_set("was got know there list documented available exist came released")
_FILLING = word_set("""
    a all also among and every for here how in many of one the them u what what's which you your
""")
_CALLED = re.compile(r"\bof\s+(?:the\s+)?(?:\S+\s+)?\0(?:\s+\w+)?")
"""A product with what it is called besides its name: "releases of the Acme NAME controller"."""


def answer_inventory(
    products: Callable[[], Sequence[Product]], open_corpus: Callable[[str, str], Corpus]
) -> RuleStep:
    """Answer a question about products, releases and documents themselves, or ask back.

    All its words but names are words for what there is. The release that any other question is
    about goes with its turn.
    """

    def answer(turn: Turn) -> Turn:
        known = products()
        resolution = resolve_turn(turn, known)
        words = _words_for_what_there_is(turn.question, resolution, known)
        if not (known and words) or (resolution.product is None and turn.product is not None):
            return replace(turn, resolution=resolution)
        if "products" in words:
            resolution = Resolution(ReleaseStatus.NONE, None)
        documents = words & _DOCUMENTS and (resolution.mentions or "documents" in words)
        every = not _SEVERAL.isdisjoint(words_of(turn.question.lower()))
        turn = replace(turn, resolution=resolution)
        return take_stock(turn, known, open_corpus, documents=bool(documents), every=every)

    return answer


def _words_for_what_there_is(
    question: str, resolution: Resolution, known: Sequence[Product]
) -> frozenset[str]:
    """The words of a question beside its names; none where one is for something else.

    Two of three have to be there: a name, a noun for what there is, and that it is there.
    """
    text = cut(question, resolution.mentions)
    spans = product_spans(text, known)
    for start, end, _ in reversed(spans):
        text = f"{text[:start]}\0{text[end:]}"
    text = _CALLED.sub(" ", text).replace("\0", " ").replace("’", "'")
    words = frozenset(words_of(text.lower()))
    nouns = words & (_SEVERAL | _DOCUMENTS | {"release", "version"})
    within = any(m.text.lower().startswith("in ") for m in resolution.mentions)
    there = YES_NO | _THERE
    signs = bool(nouns), bool(resolution.mentions or spans), not words.isdisjoint(there)
    told = sum(signs) > 1 and "when" not in question.lower() and words - nouns <= there | _FILLING
    return words if told and (nouns or not within) else frozenset()
