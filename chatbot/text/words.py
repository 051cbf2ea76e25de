"""The words of questions and answers: what carries no topic, units, how things are named."""

import re
from collections.abc import Iterable
from functools import cache

from stopwords import LanguageNotAvailable, get_stopwords

from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import UNSPACED, identifiers

_MEASURES = (
    r"ms|µs|us|ns|s|sec|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?"
    r"|[kKMGT]i?[Bb](?:it|yte)?s?(?:/s|ps)?|[kMGT]?bit/s|bits?|bytes?"
    r"|[kMG]?Hz|(?-i:[mk]?[VAW])|dBm?|[nµumck]?m|inch(?:es)?|k?g|°\s?[CF]|K|%|percent|times"
)
_THINGS = r"characters?|rows?|lines?|connections?|threads?|processes|retries|attempts"
_IN_OTHER_LETTERS = (
    r"N\s?m|bar|secs|mins|hrs?|chars?|px|pt|met(?:er|re)s?|volts?|VDC|watts?|amps?|lbs?|°"
    r"|[kMGT]?bits/s|P[Bb]|millions?|billions?|thousand"
    r"|secondes?|segundos?|Sekunden?|Minuten?|minutos?|heures?|horas?|Stunden?|jours?|Tage?n?"
    r"|Wochen?|Monate?n?|Jahre?n?|semaines?|mois|ans|d[ií]as?|semanas?|mes(?:es)?|años?"
)

UNIT = rf"(?:{_MEASURES}|{_THINGS})(?![\w/])"
"""A unit, or a noun for counted things, which a page has to have in the same letters."""
MEASURE = rf"(?:{_MEASURES}|{_IN_OTHER_LETTERS})(?![\w/])"
"""A unit in any spelling, which never follows the name of a release."""


def listed(names: Iterable[str], last: str = "and") -> str:
    """At least one name, with a word before the last: "17.10, 17.20 and 18.00"."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def word_set(words: str) -> frozenset[str]:
    """The words of a text that are set apart by spaces."""
    return frozenset(words.split())


_ENGLISH = frozenset(get_stopwords("en"))
STOP_WORDS = (
    _ENGLISH
    # Typed without their apostrophe: "dont", "whats", "youre".
    | {w.replace("'", "") for w in _ENGLISH if w.endswith(("n't", "'s", "'re", "'m", "'ve"))}
    # What a question says around its topic; lists for running text lack it.
    | word_set("""
        can will just now may must might need please use used uses using get gets got given find
        found happen know like mean means meant name named called say says show tell want work
        works thing way many much compare compared comparison difference different
        vs question document documentation documented docs without via one ok pls sorry thanks
    """)
)
"""Removed from Filtered queries and never counted as evidence."""

FUNCTION_WORDS = STOP_WORDS.union(
    *map(get_stopwords, ("de", "es", "fr", "it", "pt", "ru")), word_set("de à y e")
)
"""The same and those of other languages, which no number belongs to either."""

_WITHOUT_TOPIC = STOP_WORDS | word_set("release releases rel version versions ver series")

_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{2,}(?:[-_][A-Z0-9]+)*\b")

_EDGES = '?!¿¡,;:()[]{}"“”‘’…？！，；：（）「」『』、。'


_BORDER = re.compile(rf"(?<=[{UNSPACED}])(?=[0-9A-Za-z_`])|(?<=[0-9A-Za-z_`)])(?=[{UNSPACED}])")
"""Between a script that sets no blanks and another one."""


def things_named(text: str) -> list[str]:
    """The names in a text that are no word of a sentence: as in code, or in capitals."""
    return list(dict.fromkeys((*identifiers(text), *_ACRONYM.findall(text))))


def words_of(text: str) -> list[str]:
    """The words of a text as written, without the punctuation around them."""
    words = (word.strip(_EDGES).rstrip(".") for word in scripts_apart(text).split())
    return [word for word in words if word]


def scripts_apart(text: str) -> str:
    """The text with a blank between a script that sets none and letters or figures of another."""
    return _BORDER.sub(" ", text)


def filtered(text: str, languages: Iterable[str] = ()) -> str:
    """Leave out stop words and outer punctuation; identifiers and numbers stay as written.

    Stop words are those of English and of further `languages`.
    """
    left_out = _WITHOUT_TOPIC.union(*map(_stop_words, languages))
    return " ".join(w for w in words_of(text) if w.lower().strip("'`*") not in left_out)


@cache
def _stop_words(language: str) -> frozenset[str]:
    """Those of a language; none where nobody lists them."""
    try:
        return frozenset(get_stopwords(language))
    except LanguageNotAvailable:
        return frozenset()


_COMPOUND = 0.5
"""The weight of a compound that shares a part with a word, or of its part."""


def search_terms(text: str, known: str, corpus: Corpus) -> dict[str, float]:
    """The question, and the words known from the conversation, as lexical terms with weights.

    They are made as those of the corpus were, in each of its languages; where these write compounds
    as one word, those that share a part with a word of the question are terms, too.
    """
    terms = dict.fromkeys(corpus.terms(filtered(text, corpus.languages)), 1.0)
    for term in corpus.compounds(terms):
        terms.setdefault(term, _COMPOUND)
    for term in corpus.terms(filtered(known, corpus.languages)):
        terms.setdefault(term, 0.3)
    own_name = set(corpus.terms(corpus.product))
    return {term: weight for term, weight in terms.items() if term not in own_name}
