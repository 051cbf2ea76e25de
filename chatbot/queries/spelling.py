"""Between rewriting and retrieval: a word with a typing error becomes a word of the release."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from string import ascii_lowercase

from chatbot.runtime.concurrency import end_if_left
from chatbot.turn import RuleStep, Turn
from corpora.indexing.corpus import Corpus

_WORD = re.compile(r"(?<![\w.\-/])[^\W\dA-Z_]{4,60}(?![\w\-/]|\.\w)")


def correct_spelling(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """Replace what is no word of English nor of any release by the nearest word of the release.

    An everyday word goes before a name. Names stay as typed, and so does Base, which the model
    reads.
    """

    def correct(turn: Turn) -> Turn:
        assert turn.queries is not None
        product, release = turn.asked
        opened = cache(partial(open_corpus, product))

        # However often a question has a word, it is looked up once.
        @cache
        def right(word: str) -> str:
            end_if_left()
            everywhere = (opened(name) for name in releases(product))
            if is_ordinary_word(word) or any(corpus.frequency(word) for corpus in everywhere):
                return word
            here = opened(release)
            used = filter(here.frequency, filter(is_ordinary_word, _one_edit_away(word)))
            return next(iter((*used, *here.similar(word))), word)

        def corrected(text: str) -> str:
            return _WORD.sub(lambda match: right(match[0]), text)

        asked = turn.queries
        queries = replace(
            asked,
            subject=corrected(asked.subject),
            filtered=corrected(asked.filtered),
            versionless=asked.versionless and corrected(asked.versionless),
        )
        return replace(turn, queries=queries)

    return correct


def _one_edit_away(word: str) -> Iterator[str]:
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in ("", *ascii_lowercase):
            yield before + letter + after
            yield before + letter + after[1:]
