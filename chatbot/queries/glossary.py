"""Between steps 1 and 2 of QAMR III-B: what is asked, in the words of the glossary as well."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.turn import RuleStep, Turn
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

_JOINTS = "-‐‑–/"
_LOOKED_AT = 20
_MOST_SYNONYMS = 3
"""Of one term; more of them drown the rest of a query."""


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
    found: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        for wording in entry.wordings:
            for start, end in _places(text, wording):
                small = text[start:end].islower() or not wording.isupper()
                word = text[start:end].casefold()
                everyday = word in STOP_WORDS or (wording.isupper() and is_ordinary_word(word))
                if not (small and everyday):
                    others = found.setdefault((start, end), [])
                    others += (w for w in entry.wordings if w != wording and w not in others)
    terms: list[Term] = []
    for (start, end), others in sorted(found.items(), key=lambda f: (f[0][0], -f[0][1])):
        if not terms or start >= terms[-1].end:
            terms.append(Term(start, end, text[start:end], tuple(others)))
    return terms


def documents(corpus: Corpus, wording: str) -> bool:
    """Whether a release has a wording, and not only the words of it."""
    found = [chunk_id for chunk_id, _ in corpus.lexical(tokens(wording), _LOOKED_AT)]
    chunks = corpus.chunks(found).values() if found else ()
    return any(any(_places(f"{chunk.heading}\n{chunk.text}", wording)) for chunk in chunks)


def _places(text: str, wording: str) -> Iterator[tuple[int, int]]:
    """Where a wording stands in a text as words of their own, with joints between them."""
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


def expand_terms(
    glossary: Callable[[str], Sequence[Entry]],
    open_corpus: Callable[[str, str], Corpus],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """Put synonyms of the glossary that the release has into the queries (QAMR, lesson 2).

    Base explains a term, as in "PM (performance monitoring)"; Filtered and Versionless end with
    its synonyms; in the subject a term that the release lacks is replaced, or noted as lacking.
    """

    def expand(turn: Turn) -> Turn:
        assert turn.queries is not None
        product, release = turn.asked
        entries = glossary(product)
        if not entries:
            return turn
        corpus, queries = open_corpus(product, release), turn.queries

        # However often a question has a word, the release is asked once.
        @cache
        def has(wording: str) -> bool:
            return documents(corpus, wording)

        def documented(text: str) -> list[Term]:
            return [
                replace(term, synonyms=tuple(filter(has, term.synonyms))[:_MOST_SYNONYMS])
                for term in terms_in(text, entries, is_ordinary_word)
            ]

        asked = terms_in(queries.subject, entries, is_ordinary_word)
        meant = documented(queries.subject)
        added = filtered(" ".join(dict.fromkeys(s for term in meant for s in term.synonyms)))
        return replace(
            turn,
            queries=replace(
                queries,
                base=_explained(queries.base, documented(queries.base), lambda term: True),
                filtered=f"{queries.filtered} {added}".strip(),
                versionless=queries.versionless and f"{queries.versionless} {added}".strip(),
                subject=_explained(queries.subject, meant, lambda term: has(term.written)),
                lacking=tuple(
                    wordings
                    for term in asked
                    if not any(map(has, wordings := (term.written, *term.synonyms)))
                ),
            ),
        )

    return expand


def _explained(text: str, terms: Sequence[Term], stays: Callable[[Term], bool]) -> str:
    """Put synonyms behind every term, or in the place of one that does not stay."""
    for term in reversed(terms):
        if new := [synonym for synonym in term.synonyms if not any(_places(text, synonym))]:
            first, *others = [term.written, *new] if stays(term) else new
            words = f"{first} ({', '.join(others)})" if others else first
            text = f"{text[: term.start]}{words}{text[term.end :]}"
    return text
