"""The gate before generation: a question about undocumented things is refused."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from chatbot.answering.refusals import nothing_found
from chatbot.retrieval.question_types import QuestionType, question_type
from chatbot.text.languages import gettext, shown_list
from chatbot.text.parts import parts_named
from chatbot.text.question_language import is_foreign
from chatbot.text.sanitizer import as_code
from chatbot.text.words import FUNCTION_WORDS, filtered, things_named, words_of
from chatbot.turn import Answer, RuleStep, Turn
from chatbot.understanding.glossary import documents
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import UNSPACED_RUN, identifiers
from ingestion.page import DocumentKind

LOWEST_COVERAGE = 0.15
"""The coverage below which a question is refused: the release is about something else.

It was set low, by hand: a question in other words than the documents' has little coverage, too, and
what is left the model refuses by its own doubt (docs/decisions/0018).
"""
_LEAST_WEIGHT = 0.9
"""Of a word in the coverage, however many chunks of a small release hold it."""
_MANY = 40
"""Chunks that are looked at for one that is not of release notes."""
_MOST_RUNS, _MOST_LOOKED_IN = 20, 8
"""Runs of words that are tried as a name, and the releases, the newest, that are looked in for it:
of a product with many, opening all takes a second."""


def refuse_undocumented(
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
) -> RuleStep:
    """Refuse when a name of the question stands nowhere in the release but in another one.

    Release notes that mention it do not document it; a term of the glossary is lacking with all its
    wordings. Also refuses when the release holds almost none of the question's words, a coverage
    below `LOWEST_COVERAGE`, no name as in code, and no section, table or step that it names by
    number. Names that no release has are noted.
    """

    def gate(turn: Turn) -> Turn:
        here = open_corpus(*turn.target)
        subject = turn.queries.subject
        named = things_named(subject)
        if is_foreign(turn.question, here.languages):
            # Of a question in another language its names are what can stand there.
            named += (word for word in words_of(subject) if "-" in word and _stands_in(here, word))
        missing = [name for name in named if not _stands_in(here, name)]
        # Release notes still have removed names, which answers a question for changes alone.
        tells = question_type(turn.queries.own_subject, subject) is QuestionType.CHANGE
        noted = [name for name in named if not (_stands_in if tells else _documents)(here, name)]
        product, release = turn.target
        newest = [name for name in releases(product) if name != release][-_MOST_LOOKED_IN:]
        for name in _put_together(subject, here):
            if any(_has_in_code(open_corpus(product, other), name) for other in newest):
                noted.append(name)
        turn = _refused(turn, noted, open_corpus, releases)
        codes = (name for name in named if not name.isalpha())
        known = any(_stands_in(here, name) for name in (*identifiers(subject), *codes))
        if turn.answer is not None or known:
            return replace(turn, unmentioned=tuple(missing))
        records = [record for chunk in turn.selected for record in chunk.records]
        held = coverage(here, subject)
        is_found = any(p.is_of(r.path, r.quote) for p in parts_named(subject) for r in records)
        if not is_found and held < LOWEST_COVERAGE:
            refusal = f"gate: coverage {held:.2f} < {LOWEST_COVERAGE}"
            return replace(turn, answer=nothing_found(turn, refusal, here.languages))
        return replace(turn, unmentioned=tuple(missing))

    return gate


def _put_together(subject: str, here: Corpus) -> Iterator[str]:
    """The names that words side by side may be in code, where the release lacks one of them."""
    words = words_of(subject)
    known = {w: any(map(here.frequency, here.wholes(w))) for w in words if _is_of_name(w)}
    runs = (words[i : i + n] for i in range(len(words) - 1) for n in (3, 2) if i + n <= len(words))
    named = (run for run in runs if all(w in known for w in run) and not all(map(known.get, run)))
    return (joint.join(run) for run in islice(named, _MOST_RUNS) for joint in "_-.")


def _is_of_name(word: str) -> bool:
    return word.isalpha() and word.lower() not in FUNCTION_WORDS


def _has_in_code(corpus: Corpus, name: str) -> bool:
    """Whether a release has a name that is no word of plain text, as "how-to" may be one.

    A hyphen is in a name where an entry begins with it, or a command's option.
    """
    if not _stands_in(corpus, name) or "-" not in name:
        return _stands_in(corpus, name)
    chunk_ids = [chunk_id for chunk_id, _ in corpus.lexical(corpus.wholes(name), _MANY)]
    pages = {chunk.page_id for chunk in corpus.chunks(chunk_ids).values()}
    in_code = re.compile(rf"--{re.escape(name)}(?![\w-])|^{re.escape(name)}\s*[—–=:]", re.I | re.M)
    return any(in_code.search(corpus.page(page).text) for page in pages)


def refuse_foreign_names(
    open_corpus: Callable[[str, str], Corpus], releases: Callable[[str], Sequence[str]]
) -> RuleStep:
    """Refuse where no name of a question, as in code, stands in the release and another has one.

    Where the question names the release, what that has in its place may answer: the refusal stands
    before that, and alone only if the model finds nothing.
    """

    def gate(turn: Turn) -> Turn:
        here = open_corpus(*turn.target)
        named = identifiers(turn.queries.subject)
        known = any(_stands_in(here, name) for name in named)
        refused = turn if known else _refused(turn, named, open_corpus, releases)
        if refused.answer is None or not turn.resolution.mentions:
            return refused
        return replace(refused, answer=None, refusal=refused.answer)

    return gate


def _refused(
    turn: Turn,
    named: Sequence[str],
    open_corpus: Callable[[str, str], Corpus],
    releases: Callable[[str], Sequence[str]],
) -> Turn:
    """Refuse by the first of some names, or terms of the glossary, that other releases document."""
    product, release = turn.target
    lacking = [
        *(((name,), _documents) for name in named),
        *((wordings, documents) for wordings in turn.queries.lacking),
    ]
    # Opened once a question, not once a name.
    others = [open_corpus(product, n) for n in releases(product) if n != release] if lacking else []
    for wordings, has in lacking:
        documented_in = [o.release for o in others if any(has(o, word) for word in wordings)]
        if documented_in:
            name, where = as_code(_written(wordings[0], turn.question)), shown_list(documented_in)
            text = gettext(
                "The {release} documentation of {product} does not document {name}. "
                "It is documented in {where}.",
                release=release,
                product=product,
                name=name,
                where=where,
            )
            answer = Answer(text, abstained=True, refusal=f"gate: {name} only in {where}")
            return replace(turn, answer=answer, found_in=tuple(documented_in[::-1]))
    return turn


def _written(name: str, question: str) -> str:
    """A name as the question writes it."""
    found = re.search(re.escape(name), question, re.IGNORECASE)
    return found[0] if found else name


def _stands_in(corpus: Corpus, name: str) -> bool:
    return not corpus.wholes(name) or any(map(corpus.frequency, corpus.wholes(name)))


def _documents(corpus: Corpus, name: str) -> bool:
    """Whether a release has the name outside release notes, which are about other releases too.

    One in capitals as such: the INFO of a log is not documented by a level "info".
    """
    if not _stands_in(corpus, name):
        return False
    chunk_ids = [chunk_id for chunk_id, _ in corpus.lexical(corpus.wholes(name), _MANY)]
    pages = (corpus.page(chunk.page_id) for chunk in corpus.chunks(chunk_ids).values())
    return any(
        page.document.kind is not DocumentKind.RELEASE_NOTES
        and (not (name.isalpha() and name.isupper()) or name in page.text)
        for page in pages
    )


def coverage(corpus: Corpus, text: str) -> float:
    """The share of the text's words that the release holds, weighed by rarity, 0 to 1.

    In a few chunks nothing is rare, so that every word weighs something. A word of a script that
    the release does not use, beside others, says nothing.
    """
    total = known = 0.0
    for word in filtered(text, corpus.languages).split():
        weight = max(map(corpus.idf, corpus.terms(word)), default=0.0)
        weight = max(weight, _LEAST_WEIGHT)
        if any(map(corpus.frequency, corpus.terms(word))):
            known += weight
        elif corpus.similar(word):
            # Half, because it may be no typing error: "world" is near "word".
            known += weight / 2
        elif UNSPACED_RUN.fullmatch(word):
            weight = 0.0
        total += weight
    return known / total if total else 0.0
