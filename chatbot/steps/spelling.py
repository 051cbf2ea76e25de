"""Between rewriting and retrieval: words with a typing error become words of the release."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from chatbot.turn import RuleStep, Turn
from chatbot.words import Vocabulary, is_stop_word_misspelt
from corpora.corpus import Corpus
from corpora.lexical import tokens

_WORD = re.compile(r"(?<![\w.\-/])[^\W\d_]{3,}(?![\w\-/]|\.\w)")


def correct_spelling(
    open_corpus: Callable[[str, str], Corpus], is_ordinary_word: Callable[[str], bool]
) -> RuleStep:
    """Replace what is no word of English nor of the release by the nearest word of the release.

    Names with digits, dots or underscores stay as typed, and so does Base, which the model reads.
    """

    def correct(turn: Turn) -> Turn:
        assert turn.queries is not None
        corpus, asked = open_corpus(*turn.asked), turn.queries
        written = corrected(asked.subject, corpus, is_ordinary_word)
        if written == asked.subject:
            return turn
        queries = replace(
            asked,
            subject=written,
            filtered=corrected(asked.filtered, corpus, is_ordinary_word),
            versionless=asked.versionless
            and corrected(asked.versionless, corpus, is_ordinary_word),
        )
        return replace(turn, queries=queries)

    return correct


def corrected(text: str, vocabulary: Vocabulary, is_ordinary_word: Callable[[str], bool]) -> str:
    """The text with its misspelt words as the vocabulary has them; misspelt stop words go."""

    def right(match: re.Match[str]) -> str:
        word = match[0]
        known = is_ordinary_word(word.lower()) or any(map(vocabulary.frequency, tokens(word)))
        if known or word.isupper():
            return word
        if is_stop_word_misspelt(word.lower()):
            return ""
        return next(iter(vocabulary.similar(word)), word)

    return " ".join(_WORD.sub(right, text).split())
