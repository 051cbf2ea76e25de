"""The gate before generation: what a release does not document is refused, not guessed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.queries.glossary import documents
from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.text.phrasing import listed
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, RuleStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import DocumentKind

_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{2,}(?:[-_][A-Z0-9]+)*\b")
_MANY = 40
"""Chunks that are looked at for one that is not of release notes."""


def refuse_undocumented(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
    *,
    lowest_coverage: float,
) -> RuleStep:
    """Refuse when a name of the question stands nowhere in the release but in another one.

    Release notes that mention it do not document it. A term of the glossary is a name too: the
    release lacks it if it has none of its wordings.
    Also refuses when the release holds almost none of the question's words (`lowest_coverage`,
    a share of their inverse document frequency). Names that no release has are noted: they may be
    the asker's own.
    """

    def gate(turn: Turn) -> Turn:
        assert turn.queries is not None
        product, release = turn.asked
        here = open_corpus(product, release)
        asked = turn.queries.subject
        named = _named(asked)
        missing = [name for name in named if not _stands_in(here, name)]
        # Of what is gone the notes still tell, which answers a question for changes alone.
        tells = asked_for(turn.queries.asked, asked) is Kind.CHANGE
        noted = missing if tells else [name for name in named if not _documents(here, name)]
        lacking = [
            *(((name,), _documents) for name in noted),
            *((wordings, documents) for wordings in turn.queries.lacking),
        ]
        others = _others(turn, open_corpus, releases) if lacking else []
        for wordings, has in lacking:
            found = [o.release for o in others if any(has(o, word) for word in wordings)]
            if found:
                return _refused(turn, wordings[:1], found)
        if coverage(here, asked) < lowest_coverage:
            return replace(turn, answer=nothing_found(turn))
        return replace(turn, unmentioned=tuple(missing))

    return gate


def refuse_foreign_names(
    open_corpus: Callable[[str, str], Corpus], releases: Callable[[str], Sequence[str]]
) -> RuleStep:
    """Refuse where all names of a question, as in code, stand in another release and none here."""

    def gate(turn: Turn) -> Turn:
        assert turn.queries is not None
        here = open_corpus(*turn.asked)
        named = identifiers(turn.queries.subject)
        if not named or any(_stands_in(here, name) for name in named):
            return turn
        others = _others(turn, open_corpus, releases)
        found = [o.release for o in others if all(_stands_in(o, name) for name in named)]
        return _refused(turn, named, found) if found else turn

    return gate


def _others(
    turn: Turn,
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
) -> list[Corpus]:
    product, release = turn.asked
    return [open_corpus(product, name) for name in releases(product) if name != release]


def _refused(turn: Turn, named: Sequence[str], found: Sequence[str]) -> Turn:
    """The refusal of what other releases document, the oldest of which comes first."""
    text = f"{_not_documented(turn, named)} It is documented in {listed(found)}."
    return replace(turn, answer=Answer(text, abstained=True), found_in=tuple(found[::-1]))


def _named(text: str) -> list[str]:
    """Identifiers and acronyms, as written."""
    return list(dict.fromkeys((*identifiers(text), *_ACRONYM.findall(text))))


def _stands_in(corpus: Corpus, name: str) -> bool:
    return not tokens(name) or bool(corpus.frequency(tokens(name)[0]))


def _documents(corpus: Corpus, name: str) -> bool:
    """Whether a release has the name elsewhere than in release notes, which tell of other ones."""
    found = [chunk_id for chunk_id, _ in corpus.lexical(tokens(name)[:1], _MANY)]
    pages = (corpus.page(chunk.page_id) for chunk in corpus.chunks(found).values())
    return any(page.document.kind is not DocumentKind.RELEASE_NOTES for page in pages)


def coverage(corpus: Corpus, text: str) -> float:
    """The share of the text's words that the release holds, weighed by rarity, 0 to 1.

    A word with a typing error counts as known.
    """
    total = known = 0.0
    for word in filtered(text).split():
        weight = max((corpus.idf(t) for t in tokens(word)), default=0.0)
        total += weight
        if any(corpus.frequency(t) for t in tokens(word)) or corpus.similar(word):
            known += weight
    return known / total if total else 0.0


def refusal(turn: Turn) -> Answer:
    """Say which names of the question the release does not have, else that it does not tell."""
    named = turn.unmentioned
    return Answer(_not_documented(turn, named), True) if named else nothing_found(turn)


def nothing_found(turn: Turn) -> Answer:
    """Say that the release, or none of those compared, does not tell (design, law 3)."""
    assert turn.resolution is not None
    product, releases = turn.resolution.product, listed(turn.resolution.releases)
    return Answer(f"I couldn't find this in the {releases} documentation of {product}.", True)


def _not_documented(turn: Turn, named: Sequence[str]) -> str:
    product, release = turn.asked
    told = listed(map(as_code, named), "or")
    return f"The {release} documentation of {product} does not document {told}."
