"""The wordings of a glossary in a text, and whether a release has them."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from chatbot.text.words import STOP_WORDS
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus

_JOINTS = "-‐‑–/"
_LOOKED_AT = 20


@dataclass(frozen=True)
class Term:
    """A wording of the glossary in a text, `written` from `start` to `end`, and its synonyms."""

    start: int
    end: int
    written: str
    synonyms: tuple[str, ...]


def terms_in(
    text: str, entries: Sequence[Entry], is_ordinary_word: Callable[[str], bool]
) -> list[Term]:
    """Find the wordings of a glossary in a text, in order; of two that overlap, the longer one.

    PM is found in capitals, and in small letters where these are no ordinary word; nothing is
    found within a longer name (`PM-1`).
    """
    synonyms: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        for wording in entry.wordings:
            for start, end in places(text, wording):
                small = text[start:end].islower() or not wording.isupper()
                word = text[start:end].casefold()
                is_common = word in STOP_WORDS or (wording.isupper() and is_ordinary_word(word))
                if not (small and is_common):
                    others = synonyms.setdefault((start, end), [])
                    others += (w for w in entry.wordings if w != wording and w not in others)
    terms: list[Term] = []
    for (start, end), others in sorted(synonyms.items(), key=lambda f: (f[0][0], -f[0][1])):
        if not terms or start >= terms[-1].end:
            terms.append(Term(start, end, text[start:end], tuple(others)))
    return terms


def documents(corpus: Corpus, wording: str) -> bool:
    """Whether a release has a wording as a whole, not only its words."""
    chunk_ids = [chunk_id for chunk_id, _ in corpus.lexical(corpus.terms(wording), _LOOKED_AT)]
    chunks = corpus.chunks(chunk_ids).values() if chunk_ids else ()
    return any(any(places(f"{chunk.heading}\n{chunk.text}", wording)) for chunk in chunks)


def places(text: str, wording: str) -> Iterator[tuple[int, int]]:
    """The spans of a wording in a text, as words of their own with joints between them."""
    parts = _parts(wording)
    # A glossary may have thousands of wordings: few are worth a pattern.
    if parts and parts[0].casefold() in text.casefold():
        yield from (match.span() for match in _pattern(parts).finditer(text))


@lru_cache(maxsize=100_000)
def _parts(wording: str) -> tuple[str, ...]:
    return tuple(wording.translate(dict.fromkeys(map(ord, _JOINTS), " ")).split())


@lru_cache(maxsize=1_000)
def _pattern(parts: tuple[str, ...]) -> re.Pattern[str]:
    *before, last = map(re.escape, parts)
    # The "s" of a short word ("ms") is none of a plural.
    words = rf"[{_JOINTS}\s]+".join((*before, last.removesuffix("s") if len(last) > 3 else last))
    return re.compile(rf"(?<![\w.-]){words}s?(?![\w+#-]|\.\w)", re.IGNORECASE)
