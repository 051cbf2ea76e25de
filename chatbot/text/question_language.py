"""The language that a question is in, as far as its words tell."""

import re
from collections.abc import Iterable
from functools import cache

from stopwords import get_stopwords

from chatbot.text.asked_words import words_in
from chatbot.text.languages import LANGUAGES

_KANA = re.compile("[\u3041-\u3096\u30a1-\u30fa]")
_HAN = re.compile("[\u3400-\u9fff]")
_OPENED = re.compile("[¿¡]")
"""The signs before a question, which no other language has."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_SPACED = ("en", "de", "es", "fr", "it", "pt")
"""Languages that are told apart by their words; a question in the last two is answered, too."""


def language_of(question: str) -> str | None:
    """The code of the language, one of LANGUAGES; None where the words do not tell.

    The names of a question are mostly English, whatever its language: what counts is which words
    of a sentence stand between them. Those of Chinese and Japanese stand in a script of their own.
    """
    words = [word.casefold().replace("’", "'") for word in _WORD.findall(question)]
    hits = {code: sum(word in _words(code) for word in words) for code in _SPACED}
    hits["es"] += len(_OPENED.findall(question))
    most = max(hits.values())
    if len(_KANA.findall(question)) > most:
        return "ja"
    if len(_HAN.findall(question)) > most:
        return "zh"
    first = [code for code, number in hits.items() if number == most]
    return first[0] if most and len(first) == 1 and first[0] in LANGUAGES else None


def is_foreign(question: str, languages: Iterable[str]) -> bool:
    """Whether a question is in another language than documents in these, as far as it tells."""
    return language_of(question) not in (None, *languages)


@cache
def _words(code: str) -> frozenset[str]:
    own = frozenset(get_stopwords(code))
    return own | words_in(code) if code in LANGUAGES else own
