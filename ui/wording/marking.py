"""Positions of words: quoted ones in a text or on a printed page, differing ones in two texts."""

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import accumulate

LONGEST_QUOTE = 2_000
"""Characters of a quote that somebody may ask to have marked."""
_WORD = re.compile(r"\S+")
_PIECE = re.compile(r"\w+(?:[.,'’_-]\w+)*|[^\w\s]")
_DELIMITERS = {"—", "–", "-", "•", "|"}
_GAP = 2
_SHORTEST_RUN = 3
_NEAR = 2_000
"""Words of a page among which the parts of a quote are looked for."""

Span = tuple[int, int]


def quoted_words(words: Sequence[str], quote: str) -> list[Span]:
    """Return runs of words (first, behind the last) that hold the quote or its longest parts.

    The whole quote is found wherever it stands first. Where the words come in another order or
    are cut differently, as in a table of a PDF, its parts are, where most of its words stand
    together; single words by chance are not.
    """
    wanted = [_folded(word) for word in quote.split() if word not in _DELIMITERS]
    kept = [i for i, word in enumerate(words) if word not in _DELIMITERS]
    if not wanted or not kept:
        return []
    page = [_folded(words[i]) for i in kept]
    # No word has an end of line, but NFKC makes some with a space.
    joined, looked_for = ("\n".join(("", *some, "")) for some in (page, wanted))
    if (whole := joined.find(looked_for)) >= 0:
        first = joined[:whole].count("\n")
        return [(kept[first], kept[first + len(wanted) - 1] + 1)]
    # The matcher's work grows with page times quote times parts, and words that a long quote
    # repeats begin no part: a page of such words would take minutes.
    begin = _densest(page, set(wanted))
    page, kept = page[begin : begin + _NEAR], kept[begin : begin + _NEAR]
    matcher = SequenceMatcher(None, page, wanted)
    shortest = min(_SHORTEST_RUN, len(wanted))
    runs: list[Span] = []
    for block in matcher.get_matching_blocks():
        if not block.size:
            continue
        first, behind = kept[block.a], kept[block.a + block.size - 1] + 1
        if runs and first - runs[-1][1] <= _GAP:
            runs[-1] = (runs[-1][0], behind)
        elif block.size >= shortest:
            runs.append((first, behind))
    return runs


def _densest(page: Sequence[str], wanted: set[str]) -> int:
    """The beginning of the stretch of a page that has most of the words."""
    before = list(accumulate((word in wanted for word in page), initial=0))
    begins = range(max(len(page) - _NEAR, 0) + 1)
    return max(begins, key=lambda begin: before[min(begin + _NEAR, len(page))] - before[begin])


def quoted_spans(text: str, *quotes: str) -> list[Span]:
    """Return character spans of a text that hold the quotes, or their longest parts, in order."""
    spans: list[Span] = []
    for start, end in sorted(span for quote in quotes for span in _spans(text, quote)):
        if spans and start <= spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return spans


def _spans(text: str, quote: str) -> list[Span]:
    at = text.find(quote) if quote.strip() else -1
    if at >= 0:
        return [(at, at + len(quote))]
    words = list(_WORD.finditer(text))
    runs = quoted_words([word[0] for word in words], quote)
    return [(words[first].start(), words[behind - 1].end()) for first, behind in runs]


def differing_spans(before: str, after: str) -> tuple[list[Span], list[Span]]:
    """Return character spans of the words that each of two texts does not share with the other."""
    old, new = list(_PIECE.finditer(before)), list(_PIECE.finditer(after))
    matcher = SequenceMatcher(None, [w[0] for w in old], [w[0] for w in new], autojunk=False)
    gone: list[Span] = []
    come: list[Span] = []
    for kind, first, behind, new_first, new_behind in matcher.get_opcodes():
        if kind != "equal":
            gone += _covering(old[first:behind])
            come += _covering(new[new_first:new_behind])
    return gone, come


def _covering(pieces: Sequence[re.Match[str]]) -> list[Span]:
    return [(pieces[0].start(), pieces[-1].end())] if pieces else []


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
