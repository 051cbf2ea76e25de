"""Between rewriting and retrieval: words with a typing error become words of the release."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import islice, product
from string import ascii_lowercase

from chatbot.runtime.concurrency import end_if_left
from chatbot.text.query_terms import Vocabulary, misspelt_stop_word
from chatbot.turn import RuleStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

# What is longer is no word with a typing error: the trouble taken grows with the square of its
# letters, and with the number of its parts as an exponent.
_WORD = re.compile(r"(?<![\w.\-/])[^\W\d_]{3,60}(?![\w\-/]|\.\w)")
_DOTTED = re.compile(r"(?<![\w.\-/])[^\W\d_]{2,60}(?:[._][^\W\d_]{2,60}){1,4}(?![\w\-/.])")
_JOINT = re.compile(r"([._])")
_MOST_WAYS = 100
"""To write a name of several misspelt parts that are looked up."""


def correct_spelling(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """Replace what is no word of English nor of any release by the nearest word of the release.

    Names with digits stay as typed, and so does Base, which the model reads.
    """

    def correct(turn: Turn) -> Turn:
        assert turn.queries is not None
        (name, _), asked = turn.asked, turn.queries
        corpus = open_corpus(*turn.asked)
        # Read once a question, not once a word: both look into the catalog.
        others = cache(partial(releases, name))
        opened = cache(partial(open_corpus, name))

        def elsewhere(word: str) -> bool:
            return any(opened(release).frequency(word) for release in others())

        def right(text: str) -> str:
            return corrected(text, corpus, is_ordinary_word, elsewhere)

        written = right(asked.subject)
        if written == asked.subject:
            return turn
        queries = replace(
            asked,
            subject=written,
            filtered=right(asked.filtered),
            versionless=asked.versionless and right(asked.versionless),
        )
        return replace(turn, queries=queries)

    return correct


def corrected(
    text: str,
    vocabulary: Vocabulary,
    is_ordinary_word: Callable[[str], bool],
    elsewhere: Callable[[str], bool] = lambda word: False,
) -> str:
    """The text with its misspelt words as English or the vocabulary has them.

    An everyday word that the release uses goes before a name one or two letters away; a name of
    several parts is corrected part by part, if the release has it then.
    """

    @cache
    def right(word: str) -> str:
        end_if_left()
        known = is_ordinary_word(word.lower()) or any(map(vocabulary.frequency, tokens(word)))
        if known or word.isupper() or elsewhere(word):
            return word
        if meant := misspelt_stop_word(word.lower()):
            return meant
        english = (w for w in _one_edit_away(word.lower()) if is_ordinary_word(w))
        used = [w for w in english if any(map(vocabulary.frequency, tokens(w)))]
        near = sorted(used, key=lambda w: -max(map(vocabulary.frequency, tokens(w))))
        return next(iter((*near, *vocabulary.similar(word))), word)

    @cache
    def right_parts(whole: str) -> str:
        # A part may be known by its stem alone: "intervall".
        parts = _JOINT.split(whole)
        likely = ((part, *tokens(part)[:1], *vocabulary.similar(part)) for part in parts)
        meant = islice(map("".join, product(*map(dict.fromkeys, likely))), _MOST_WAYS)
        return next(filter(vocabulary.frequency, meant), whole)

    bare = _WORD.sub(lambda match: right(match[0]), text)
    return " ".join(_DOTTED.sub(lambda match: right_parts(match[0]), bare).split())


def _one_edit_away(word: str) -> Iterator[str]:
    for i in range(len(word) + 1):
        before, after = word[:i], word[i:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            yield before + letter + after[1:]
