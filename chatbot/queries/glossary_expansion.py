"""Between steps 1 and 2 of QAMR III-B: what is asked, in the words of the release as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chatbot.queries.glossary import Term, documents, stands_in, terms_in
from chatbot.text.query_terms import filtered
from chatbot.turn import RuleStep, Turn
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus

MOST_SYNONYMS = 3
"""Of one term; more of them drown the rest of a query."""


@dataclass(frozen=True)
class LookedUp:
    """A term of a text, whether the release has it, and which of its synonyms the release has."""

    term: Term
    documented: bool
    synonyms: tuple[str, ...]


def expand_terms(
    glossary: Callable[[str], Sequence[Entry]],
    open_corpus: Callable[[str, str], Corpus],
    is_ordinary_word: Callable[[str], bool],
) -> RuleStep:
    """Put synonyms that stand in the product's glossary into the queries (QAMR, lesson 2).

    Base explains a term, as in "PM (performance monitoring)"; Filtered and Versionless end with
    its synonyms; in what is asked, the subject, a term that the release lacks is replaced. Only
    synonyms that the release has are used. A term of which it has none is noted as lacking.
    """

    def expand(turn: Turn) -> Turn:
        assert turn.queries is not None
        product, release = turn.asked
        entries = glossary(product)
        if not entries:
            return turn
        corpus, queries = open_corpus(product, release), turn.queries

        def look_up(text: str) -> list[LookedUp]:
            terms = terms_in(text, entries, is_ordinary_word)
            return [_look_up(corpus, term) for term in terms]

        asked = look_up(queries.subject)
        subject = _written(queries.subject, asked, _replaced)
        added = filtered(" ".join(dict.fromkeys(s for found in asked for s in found.synonyms)))
        return replace(
            turn,
            queries=replace(
                queries,
                base=_written(queries.base, look_up(queries.base), _explained),
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


def _look_up(corpus: Corpus, term: Term) -> LookedUp:
    synonyms = (s for s in term.synonyms if documents(corpus, s))
    return LookedUp(term, documents(corpus, term.written), tuple(synonyms)[:MOST_SYNONYMS])


def _explained(found: LookedUp, synonyms: Sequence[str]) -> str:
    return f"{found.term.written} ({', '.join(synonyms)})"


def _replaced(found: LookedUp, synonyms: Sequence[str]) -> str:
    if found.documented:
        return _explained(found, synonyms)
    first, *others = synonyms
    return f"{first} ({', '.join(others)})" if others else first


def _written(
    text: str, looked_up: Sequence[LookedUp], write: Callable[[LookedUp, Sequence[str]], str]
) -> str:
    """The text with every term as `write` puts it; synonyms that stand in it are not repeated."""
    parts, position = [], 0
    for found in looked_up:
        new = [s for s in found.synonyms if not stands_in(text, s)]
        if new:
            parts += [text[position : found.term.start], write(found, new)]
            position = found.term.end
    return "".join([*parts, text[position:]])
