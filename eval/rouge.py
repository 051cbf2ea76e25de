"""ROUGE-1 and ROUGE-L (Lin, 2004): the words that an answer and a gold answer share.

Own code over the LCS of rapidfuzz, which is there already: `rouge-score`, the usual library, had
its last release in 2022 and brings nltk along. As there, words are runs of letters and digits in
any case, without stemming; letters may be of any alphabet.
"""

import re
from collections import Counter

from rapidfuzz.distance import LCSseq

_WORD = re.compile(r"[^\W_]+")


def rouge_1(candidate: str, reference: str) -> float:
    """F1 of the single words, 0 to 1, each counted as often as both have it (section 2)."""
    said, gold = _words(candidate), _words(reference)
    return f1((Counter(said) & Counter(gold)).total(), len(said), len(gold))


def rouge_l(candidate: str, reference: str) -> float:
    """F1 of the longest common subsequence of words, 0 to 1 (section 3.1, with β = 1)."""
    said, gold = _words(candidate), _words(reference)
    return f1(LCSseq.similarity(said, gold), len(said), len(gold))


def f1(common: int, said: int, gold: int) -> float:
    """The harmonic mean of common / said and common / gold; 1 where both sides are empty."""
    return 2 * common / (said + gold) if said + gold else 1.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
