"""The gate before generation: what a release does not document is refused, not guessed."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial

from chatbot.answering.refusals import not_documented, nothing_found
from chatbot.queries.glossary import documents
from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.text.phrasing import listed
from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, RuleStep, Turn
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import DocumentKind

_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]{2,}(?:[-_][A-Z0-9]+)*\b")
_LONG = 5
_OFTEN = 2
"""Chunks of another release that hold a word from which it can be a subject there."""
_TITLE_OF_A_THING = 4
"""Words of a title up to which it names a thing; a longer one is a sentence on it."""
_MANY = 40
"""Chunks; a name in more of them is documented, whatever kind of document they are of."""
_WORD = re.compile(r"[A-Za-z][A-Za-z]{3,}")


def refuse_undocumented(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
    is_ordinary_word: Callable[[str], bool],
    *,
    lowest_coverage: float,
) -> RuleStep:
    """Refuse when a name of the question stands nowhere in the release but in another one.

    Release notes that mention it do not document it. A term of the glossary is a name too: the
    release lacks it if it has none of its wordings. An everyday word counts where the other
    release has sections on it.
    Also refuses when the release holds almost none of the question's words (`lowest_coverage`,
    a share of their inverse document frequency). Names that no release has are noted: they may be
    the asker's own.
    """

    def gate(turn: Turn) -> Turn:
        assert turn.queries is not None
        product, release = turn.asked
        here = open_corpus(product, release)
        # Opened once a question, not once a word.
        opened = cache(partial(open_corpus, product))
        asked = turn.queries.subject
        others = [name for name in releases(product) if name != release]
        missing = [n for n in names(asked, is_ordinary_word) if not _known(here, n)]
        # Of what is gone the notes still tell, which answers a question for changes alone.
        tells = asked_for(turn.queries.asked, asked) is Kind.CHANGE
        written = () if tells else [n for n in _written(asked) if n not in missing]
        noted = [name for name in written if not _documents(here, name)]
        words = [w for w in filtered(asked).split() if len(w) >= _LONG and not _stands_in(here, w)]
        lacking = [
            *(((name,), _stands_in) for name in missing),
            *(((name,), _documents) for name in noted),
            *(((word,), _is_subject) for word in words),
            *((wordings, documents) for wordings in turn.queries.lacking),
        ]
        for wordings, has in lacking:
            found = tuple(o for o in others if any(has(opened(o), word) for word in wordings))
            if found:
                verb = "document" if wordings[0] in noted else "mention"
                text = not_documented(turn, as_code(wordings[0]), verb)
                told = Answer(f"{text} It is documented in {listed(found)}.", abstained=True)
                return replace(turn, answer=told, found_in=found[::-1])
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
        product, release = turn.asked
        here = open_corpus(product, release)
        named = identifiers(turn.queries.subject)
        if not named or any(_known(here, name) for name in named):
            return turn
        others = (open_corpus(product, name) for name in releases(product) if name != release)
        found = tuple(o.release for o in others if all(_stands_in(o, name) for name in named))
        if not found:
            return turn
        text = not_documented(turn, listed(map(as_code, named)))
        refused = Answer(f"{text} It is documented in {listed(found)}.", abstained=True)
        return replace(turn, answer=refused, found_in=found[::-1])

    return gate


def names(text: str, is_ordinary_word: Callable[[str], bool]) -> list[str]:
    """Identifiers, acronyms and words that are not everyday English, as written."""
    found = [
        *_written(text),
        *(
            w
            for w in _WORD.findall(text)
            if w.lower() not in STOP_WORDS and not is_ordinary_word(w.lower())
        ),
    ]
    # Written last as in the question, so that no name stands twice.
    return list({name.casefold(): name for name in found}.values())


def _written(text: str) -> list[str]:
    """Identifiers and acronyms, as written."""
    found = [f"{name}()" if f"{name}()" in text.lower() else name for name in identifiers(text)]
    return found + _ACRONYM.findall(text)


def _known(corpus: Corpus, name: str) -> bool:
    """Whether a release has the name, or one that a typing error may have turned into it."""
    coined = name.islower() and name.isalpha()
    return _stands_in(corpus, name) or (coined and bool(corpus.similar(name)))


def _stands_in(corpus: Corpus, name: str) -> bool:
    forms = _forms(name)
    return not forms or any(map(corpus.frequency, forms)) or _is_written_apart(corpus, name)


def _forms(name: str) -> list[str]:
    """A name as a token, and of a dotted one the last part, which a page may write alone."""
    whole, *parts = tokens(name) or [""]
    return [token for token in (whole, *(parts[-1:] if "." in whole else ())) if token]


def _is_written_apart(corpus: Corpus, name: str) -> bool:
    """Whether a release has the parts of "AES-256", which a page may write with a blank between."""
    word, _, number = name.lower().rpartition("-")
    return number.isdigit() and all(map(corpus.frequency, (word, number)))


def _documents(corpus: Corpus, name: str) -> bool:
    """Whether a release has the name elsewhere than in release notes, which tell of other ones."""
    forms = _forms(name)
    if _is_written_apart(corpus, name) or max(map(corpus.frequency, forms), default=0) > _MANY:
        return True
    found = [chunk_id for chunk_id, _ in corpus.lexical(forms, _MANY)]
    pages = (corpus.page(chunk.page_id) for chunk in corpus.chunks(found).values())
    return any(page.document.kind is not DocumentKind.RELEASE_NOTES for page in pages)


def _is_subject(corpus: Corpus, word: str) -> bool:
    """Whether a release has the word in several places and one of them under a title of it."""
    whole = tokens(word)[0]
    if corpus.frequency(whole) < _OFTEN:
        return False
    found = [chunk_id for chunk_id, _ in corpus.lexical([whole], 20)]
    chunks = corpus.chunks(found).values()
    titles = [t for c in chunks for t in (c.heading, corpus.page(c.page_id).document.title)]
    return any(whole in tokens(t) for t in titles if len(t.split()) <= _TITLE_OF_A_THING)


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
