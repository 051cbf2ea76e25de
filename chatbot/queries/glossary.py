"""Between steps 1 and 2 of QAMR III-B: what is asked, in the words of the glossary as well."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.turn import RuleStep, Turn
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens

_WORD = re.compile(r"\w+(?:[.+&]\w+)*[+#]*")
_GAP = r"[\s\-‐‑–/]+"
_NUMBER_BEFORE = re.compile(r"\d\s?$")
_TIME_OF_DAY = ("am", "pm")
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
    present = {_singular(word).casefold() for word in _words(text)}
    found: dict[tuple[int, int], list[str]] = {}
    for entry in entries:
        for wording in entry.wordings:
            if _singular(_words(wording)[0]).casefold() not in present:
                continue
            for match in _pattern(wording).finditer(text):
                if _is_meant(wording, match, is_ordinary_word):
                    others = found.setdefault(match.span(), [])
                    others += (w for w in entry.wordings if w != wording and w not in others)
    terms: list[Term] = []
    for (start, end), others in sorted(found.items(), key=lambda f: (f[0][0], -f[0][1])):
        if not terms or start >= terms[-1].end:
            terms.append(Term(start, end, text[start:end], tuple(others)))
    return terms


def stands_in(text: str, wording: str) -> bool:
    """Whether a text has a wording, in whatever case and number."""
    return _pattern(wording).search(text) is not None


def documents(corpus: Corpus, wording: str) -> bool:
    """Whether a release has a wording, and not only the words of it."""
    asked = tokens(wording)
    if not any(map(corpus.frequency, asked)):
        return False
    found = [chunk_id for chunk_id, _ in corpus.lexical(asked, _LOOKED_AT)]
    return any(stands_in(f"{c.heading}\n{c.text}", wording) for c in corpus.chunks(found).values())


def _is_meant(wording: str, match: re.Match[str], is_ordinary_word: Callable[[str], bool]) -> bool:
    word, *more = _words(wording)
    if more:
        return True
    written, small = match[0], match[0].casefold()
    unit = written.islower() and len(written) <= _LONGEST_UNIT
    start = match.start()
    number = _NUMBER_BEFORE.search(match.string, max(0, start - 2), start)
    if number and (unit or small in _TIME_OF_DAY):
        return False
    if small in STOP_WORDS:
        return written == word and word.isupper()
    if word.isupper() and not written.startswith(word):
        return not is_ordinary_word(word.casefold())
    return True


@lru_cache(maxsize=10_000)
def _pattern(wording: str) -> re.Pattern[str]:
    *words, last = _words(wording)
    stem = _singular(last)
    ending = f"{re.escape(stem)}(?:e?s)?"
    if len(stem) > 2 and re.search(r"[^aeiou]y$", stem):
        ending = f"{re.escape(stem[:-1])}(?:y|ies)"
    body = _GAP.join([*map(re.escape, words), ending])
    return re.compile(rf"(?<![\w.\-]){body}(?![\w\-+#]|\.\w)", re.IGNORECASE)


def _words(text: str) -> list[str]:
    return _WORD.findall(text) or [text]


def _singular(word: str) -> str:
    """The word without its plural ending; one in capitals (LOS, ALS) has none but a small s."""
    if word[:-1].isupper():
        return word[:-1] if word.endswith("s") else word
    if len(word) < 4 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    return word.removesuffix("s")


@dataclass(frozen=True)
class _LookedUp:
    term: Term
    documented: bool
    synonyms: tuple[str, ...]


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

        def look_up(text: str) -> list[_LookedUp]:
            return [
                _LookedUp(
                    term,
                    has(term.written),
                    tuple(filter(has, term.synonyms))[:_MOST_SYNONYMS],
                )
                for term in terms_in(text, entries, is_ordinary_word)
            ]

        asked = look_up(queries.subject)
        subject = _written(queries.subject, asked, replacing=True)
        added = filtered(" ".join(dict.fromkeys(s for found in asked for s in found.synonyms)))
        return replace(
            turn,
            queries=replace(
                queries,
                base=_written(queries.base, look_up(queries.base), replacing=False),
                filtered=f"{queries.filtered} {added}".strip(),
                versionless=queries.versionless and f"{queries.versionless} {added}".strip(),
                subject=subject,
                lacking=tuple(
                    (found.term.written, *found.term.synonyms)
                    for found in asked
                    if not found.documented and not found.synonyms
                ),
            ),
        )

    return expand


def _written(text: str, looked_up: Sequence[_LookedUp], *, replacing: bool) -> str:
    """Put synonyms behind every term once, or, `replacing`, in the place of one not there."""
    parts, position = [], 0
    explained: set[str] = set()

    @cache
    def is_new(synonym: str) -> bool:
        return not stands_in(text, synonym)

    for found in looked_up:
        new = [*filter(is_new, found.synonyms)]
        if new:
            term = found.term
            lacks = replacing and not found.documented
            first, *others = new if lacks else [term.written, *new]
            parts.append(text[position : term.start] + first)
            if others and term.written not in explained:
                parts.append(f" ({', '.join(others)})")
            explained.add(term.written)
            position = term.end
    return "".join([*parts, text[position:]])
