"""The reading of a question by rules: courtesies, replies to a question back, catalog, release."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.releases.product_names import product_spans
from chatbot.releases.resolution import ReleaseStatus, Resolution, cut
from chatbot.text import asked_words as asked
from chatbot.text.asked_words import own_release, words, words_asked
from chatbot.text.words import FUNCTION_WORDS
from chatbot.turn import Route, RuleStep, Turn
from chatbot.understanding.catalog_answers import (
    answer_from_catalog,
    answer_own_release,
    without_documents,
)
from chatbot.understanding.clarification import ask_back, fold_clarifications, resolve_turn
from corpora.catalog.release import Product
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import UNSPACED

_OWN_RELEASE = re.compile(
    r"(?:which|what)\s+(?:release|version)\s+(?:of\s+[^?]{1,60}?\s+)?"
    r"(?:am\s+i|are\s+we|(?:do|have)\s+(?:i|we)|is\s+(?:this|that|it))"
    r"(?:\s+(?:on|running|using|run|use|have|got|installed|here|now|currently))*\s*(?:[?:]|$)",
    re.I,
)
"""Asks for the release that the asker has: "Which release am I on?", with what was printed."""

_BESIDE_UNSPACED = re.compile(rf"(?<=[{UNSPACED}])\0|\0(?=[{UNSPACED}])")
"""A name beside letters of a script that sets no blanks."""

Products = Callable[[], Sequence[Product]]


def answer_small_talk(products: Products) -> RuleStep:
    """Reply to small talk, leave it out of the conversation, and pass on the rest."""

    def answer(turn: Turn) -> Turn:
        if kind := small_talk(turn.question):
            return without_documents(turn, products(), kind)
        return replace(turn, history=tuple(p for p in turn.history if not small_talk(p[0])))

    return answer


def take_up_question(products: Products) -> RuleStep:
    """A step that asks the question of a clarification again, with the names in the reply."""
    return lambda turn: fold_clarifications(turn, products()) if turn.history else turn


def answer_inventory(products: Products, open_corpus: Callable[[str, str], Corpus]) -> RuleStep:
    """Answer a question about products, releases and documents themselves, or ask back.

    All its words but names are words for what there is. The release that any other question is
    about goes with its turn.
    """

    def answer(turn: Turn) -> Turn:
        known = products()
        own = _OWN_RELEASE.match(turn.question) or own_release().match(turn.question)
        if known and own:
            return answer_own_release(turn, turn.question[own.end() :], known)
        resolution = resolve_turn(turn, known)
        about = _inventory_words(turn.question, resolution, known)
        if about and product_spans(turn.question, known):
            # What there is of a product is asked of the one that is named, whichever is chosen.
            resolution = resolve_turn(replace(turn, product=None), known)
        if not (known and about) or (resolution.product is None and turn.product is not None):
            return replace(turn, resolved=resolution)
        if about & words(asked.PRODUCTS):
            resolution = Resolution(ReleaseStatus.NONE, None)
        documents = about & words(asked.DOCUMENTS) or (
            resolution.mentions and about & words(asked.DOCUMENTATION)
        )
        several = words(asked.RELEASES, asked.PRODUCTS)
        every = not several.isdisjoint(words_asked(turn.question))
        turn = replace(turn, resolved=resolution)
        return answer_from_catalog(turn, known, open_corpus, documents=bool(documents), every=every)

    return answer


def extract_release(products: Products) -> RuleStep:
    """Resolve the release; an unknown or ambiguous one becomes a question, never a guess.

    What an earlier step has resolved is not resolved again.
    """

    def extract(turn: Turn) -> Turn:
        known = products()
        resolution = turn.resolved or resolve_turn(turn, known)
        turn = replace(turn, resolved=resolution)
        if resolution.releases:
            return turn
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))

    return extract


def small_talk(question: str) -> str:
    """ "greeting" (also for a question about the chatbot's abilities), "thanks", or "" for others.

    In a courtesy all words are courtesies or stop words: "ok, how does it work?" is none.
    """
    said = {word for word in words_asked(question) if any(map(str.isalnum, word))}
    greeting, thanks = words(asked.GREETING), words(asked.THANKS)
    if said <= words(asked.ABILITIES, asked.GREETING) and said & words(asked.HELP):
        return "greeting"
    if re.search("[?？]", question) or said & words(asked.HOW):
        return ""
    if not said <= greeting | thanks | FUNCTION_WORDS | words(asked.WHETHER):
        return ""
    return "greeting" if said & greeting else "thanks" if said & thanks else ""


def _inventory_words(
    question: str, resolution: Resolution, known: Sequence[Product]
) -> frozenset[str]:
    """The words of a question beside its names; none where one is for something else.

    Two of three have to be there: a name, a noun such as "releases", and a word for existence.
    Beside a product's name may stand its type: "releases of the Acme NAME controller".
    """
    text = cut(question, resolution.mentions)
    spans = product_spans(text, known)
    for start, end, _ in reversed(spans):
        text = f"{text[:start]}\0{text[end:]}"
    all_words = words_asked(_BESIDE_UNSPACED.sub(" \0 ", text))
    called = {i + step for i, word in enumerate(all_words) if "\0" in word for step in (-1, 0, 1)}
    said = frozenset(word for i, word in enumerate(all_words) if i not in called)
    releases = words(asked.PRODUCTS, asked.RELEASES, asked.ONE_RELEASE)
    nouns = said & (releases | words(asked.DOCUMENTS, asked.DOCUMENTATION))
    within = any(m.text.lower().startswith("in ") for m in resolution.mentions)
    there = words(asked.WHETHER, asked.THERE)
    # What one language asks with fills another one's questions: French "y", Spanish "y".
    asks = there - words(asked.FILLING)
    signs = bool(nouns), bool(resolution.mentions or spans), not said.isdisjoint(asks)
    is_about_stock = (
        sum(signs) > 1
        and "when" not in question.lower()
        and said - nouns <= there | words(asked.FILLING)
    )
    return said if is_about_stock and (nouns or not within) else frozenset()
