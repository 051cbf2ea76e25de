"""Between steps 1 and 2 of QAMR III-B: what is asked, in the words of the glossary as well."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise

from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.turn import RuleStep, Turn
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

_WORD = re.compile(r"\w+(?:[.+&]\w+)*[+#]*")
_JOINTS = "-‐‑–/ \t\n"
_LONGEST_UNIT = 3
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

    Case counts only for an acronym: PM is found in capitals, and in small letters where these are
    no ordinary word, nor a unit ("3 pm"). Nothing is found within a longer name (`PM-1`).
    """
    found: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        for wording in entry.wordings:
            for start, end in _places(text, wording):
                if _is_meant(wording, text, start, end, is_ordinary_word):
                    others = found.setdefault((start, end), [])
                    others += (w for w in entry.wordings if w != wording and w not in others)
    terms: list[Term] = []
    for (start, end), others in sorted(found.items(), key=lambda f: (f[0][0], -f[0][1])):
        if not terms or start >= terms[-1].end:
            terms.append(Term(start, end, text[start:end], tuple(others)))
    return terms


def stands_in(text: str, wording: str) -> bool:
    """Whether a text has a wording, in whatever case and number."""
    return any(True for _ in _places(text, wording))


def documents(corpus: Corpus, wording: str) -> bool:
    """Whether a release has a wording, and not only the words of it."""
    asked = tokens(wording)
    if not any(map(corpus.frequency, asked)):
        return False
    found = [chunk_id for chunk_id, _ in corpus.lexical(asked, _LOOKED_AT)]
    return any(stands_in(f"{c.heading}\n{c.text}", wording) for c in corpus.chunks(found).values())


def _places(text: str, wording: str) -> Iterator[tuple[int, int]]:
    """Where a wording stands in a text as words of their own, with joints between them."""
    words, begins = _words(text)
    wanted = [stem for _, _, stem in _words(wording)[0]]
    for i in begins.get(wanted[0], ()) if wanted else ():
        place = words[i : i + len(wanted)]
        start, end = place[0][0], place[-1][1]
        gaps = [text[a[1] : b[0]] for a, b in pairwise(place)]
        within_name = text[:start].endswith(("-", ".")) or text[end : end + 1] == "-"
        joined = all(gap and not gap.strip(_JOINTS) for gap in gaps)
        if joined and not within_name and [stem for _, _, stem in place] == wanted:
            yield start, end


@lru_cache(maxsize=1_000)
def _words(text: str) -> tuple[list[tuple[int, int, str]], dict[str, list[int]]]:
    """The words of a text with their stems, and the places of each stem among them."""
    words = [(*match.span(), _stem(match[0])) for match in _WORD.finditer(text)]
    begins: dict[str, list[int]] = {}
    for i, (_, _, stem) in enumerate(words):
        begins.setdefault(stem, []).append(i)
    return words, begins


def _stem(word: str) -> str:
    """The word without its ending; one in capitals (LOS, ALS) has none but a small s."""
    if len(word) > 1 and word[:-1].isupper() and word.endswith("s"):
        return word[:-1].casefold()
    plain = word.isalpha() and not word.isupper()
    return tokens(word)[0] if plain and tokens(word) else word.casefold()


def _is_meant(
    wording: str, text: str, start: int, end: int, is_ordinary_word: Callable[[str], bool]
) -> bool:
    """Whether a single word in the text is the term, and no everyday word or unit."""
    own, _ = _words(wording)
    if len(own) > 1:
        return True
    word, written = wording[own[0][0] : own[0][1]], text[start:end]
    if len(written) <= _LONGEST_UNIT and text[:start].rstrip()[-1:].isdigit():
        return False
    if written.casefold() in STOP_WORDS:
        return written == word and word.isupper()
    if word.isupper() and not written.startswith(word):
        return not is_ordinary_word(word.casefold())
    return True


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

        def documented(term: Term) -> Term:
            return replace(term, synonyms=tuple(filter(has, term.synonyms))[:_MOST_SYNONYMS])

        asked = terms_in(queries.subject, entries, is_ordinary_word)
        lacking = [term for term in asked if not has(term.written)]
        meant = [documented(term) for term in asked]
        added = filtered(" ".join(dict.fromkeys(s for term in meant for s in term.synonyms)))
        in_base = map(documented, terms_in(queries.base, entries, is_ordinary_word))
        return replace(
            turn,
            queries=replace(
                queries,
                base=_explained(queries.base, list(in_base), lambda term: True),
                filtered=f"{queries.filtered} {added}".strip(),
                versionless=queries.versionless and f"{queries.versionless} {added}".strip(),
                subject=_explained(queries.subject, meant, lambda term: has(term.written)),
                lacking=tuple(
                    (term.written, *term.synonyms)
                    for term in lacking
                    if not any(map(has, term.synonyms))
                ),
            ),
        )

    return expand


def _explained(text: str, terms: Sequence[Term], stays: Callable[[Term], bool]) -> str:
    """Put synonyms behind every term once, or in the place of one that does not stay."""
    parts, position = [], 0
    explained: set[str] = set()
    for term in terms:
        new = [synonym for synonym in term.synonyms if not stands_in(text, synonym)]
        if new:
            first, *others = [term.written, *new] if stays(term) else new
            parts.append(text[position : term.start] + first)
            if others and term.written not in explained:
                parts.append(f" ({', '.join(others)})")
            explained.add(term.written)
            position = term.end
    return "".join([*parts, text[position:]])
