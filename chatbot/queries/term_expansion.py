"""Between steps 1 and 2 of QAMR III-B: what is asked, in the words of the glossary as well."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

from chatbot.queries.glossary import Term, documents, places, terms_in
from chatbot.text.words import filtered
from chatbot.turn import RuleStep, Turn
from corpora.catalog.glossary import Entry
from corpora.indexing.corpus import Corpus

_MOST_SYNONYMS = 3
"""Of one term; more of them drown the rest of a query."""


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
        if new := [synonym for synonym in term.synonyms if not any(places(text, synonym))]:
            first, *others = [term.written, *new] if stays(term) else new
            words = f"{first} ({', '.join(others)})" if others else first
            text = f"{text[: term.start]}{words}{text[term.end :]}"
    return text
