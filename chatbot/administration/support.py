"""What an answer that somebody wrote rests on: its citations, found in the release's own pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from chatbot.memory.pairs import CitedPage
from chatbot.retrieval.provenance import cite, claims, holds_quantity, plain, quantities, whole
from chatbot.retrieval.records import records, sentences
from chatbot.text.query_terms import filtered, search_terms
from chatbot.turn import Citation, Record
from corpora.catalog.memory_review import page_hash
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from corpora.indexing.retrieval import RetrievalSettings, retrieve

PAGES = 8
MOST_CITATIONS = 5
ENOUGH_WORDS = 0.7
"""The share of a statement's words that the record it rests on has to hold."""
NEAR_QUESTION = 0.4
"""The least cosine of the question and a record that a statement of few words rests on.

On the sample 24 of 39 right answers are found to be borne by pages, and 1 of 234 that belongs to
another question.
"""
ENOUGH_STATEMENTS = 0.5
"""The share of an answer's statements that must rest on pages; names and figures must all."""

_SHORT = 4
_SEARCHED = 1_000
_MOST_READ = 500
_MOST_EMBEDDED = 20
_MARKUP = re.compile(r"^[\s>]*(?:[-*+•]\s+|\d+[.)]\s+|#+\s+)?")
_QUOTED = re.compile(r"^>\s?")
_VERDICT = re.compile(r"^(?:yes|no)\b[\s,.:;–—-]*", re.I)
_NEGATION = re.compile(r"\b(?:not|no|never|cannot|without|neither|nor|\w+n['’]t)\b", re.I)


@dataclass(frozen=True)
class Supported:
    """An answer with the marks of its citations, and the page behind each; often there is none."""

    text: str
    citations: tuple[Citation, ...] = ()
    pages: tuple[CitedPage, ...] = ()


class Support:
    """Looks in a release's pages for what an answer says; thread-safe."""

    def __init__(self, open_corpus: Callable[[str, str], Corpus], embedder: Embedder) -> None:
        self._open_corpus = open_corpus
        self._embedder = embedder
        self._read_pages: dict[int, tuple[_Read, ...]] = {}

    def of(self, product: str, release: str, question: str, answer: str) -> Supported:
        """The answer, as `as_answer` wrote it, as far as pages bear it.

        Every name and figure of it, and at least half of what it states, has to stand in records
        of the release; else it rests on nothing. Negations have to agree. A quotation that no
        page bears is one no longer. Raises NoCorpus.
        """
        corpus = self._open_corpus(product, release)
        lines = answer.split("\n")
        stated = [(i, s) for i, line in enumerate(lines) for s in _statements(line)]
        read = [r for page in self._pages(corpus, question, answer) for r in self._records(page)]
        possible = [(i, s, _candidates(s, read)[:_MOST_EMBEDDED]) for i, s in stated]
        near = self._nearness(question, {r for _, _, found in possible for r in found})
        rests = [(i, r) for i, s, found in possible if (r := _bearing(s, found, near)) is not None]
        cited = list(dict.fromkeys(r for _, r in rests))[:MOST_CITATIONS]
        enough = len(rests) >= ENOUGH_STATEMENTS * len(stated)
        about = max((near[r] for r in cited), default=0.0) >= NEAR_QUESTION
        if not enough or not about or not _hold(answer, cited):
            return Supported(_marked(lines, ()))
        return Supported(
            _marked(lines, [(i, cited.index(r) + 1) for i, r in rests if r in cited]),
            tuple(cite(r.record, corpus.release) for r in cited),
            tuple(_cited_page(r.record.page) for r in cited),
        )

    def _nearness(self, question: str, read: Collection[_Read]) -> dict[_Read, float]:
        """The cosine of the question and each record."""
        found = list(read)
        if not found:
            return {}
        readings = [f"{r.record.label}: {r.record.reading}" for r in found]
        asked, *vectors = self._embedder.embed([question, *readings])
        return {r: float(v @ asked) for r, v in zip(found, vectors, strict=True)}

    def _pages(self, corpus: Corpus, question: str, answer: str) -> list[StoredPage]:
        said = answer[:_SEARCHED]
        found = retrieve(
            corpus,
            self._embedder,
            [question, said],
            search_terms(question, said, corpus.product, corpus),
            limit=PAGES,
            settings=RetrievalSettings(),
        )
        return [f.page for f in found]

    def _records(self, page: StoredPage) -> tuple[_Read, ...]:
        """The records of a page; the answers of one file often rest on the same pages."""
        read = self._read_pages.get(page.id)
        if read is None:
            if len(self._read_pages) >= _MOST_READ:
                self._read_pages.clear()
            read = self._read_pages[page.id] = _read(page)
        return read


@dataclass(frozen=True, eq=False)
class _Read:
    """A record with its words, and its text as claims are looked up in it."""

    record: Record
    words: frozenset[str]
    text: str
    negated: bool


def _read(page: StoredPage) -> tuple[_Read, ...]:
    found = []
    for record in records(page):
        whole_text = f"{record.reading} {record.label} {' '.join(record.path)}"
        words = frozenset(tokens(whole_text))
        negated = _NEGATION.search(record.reading) is not None
        found.append(_Read(record, words, plain(f"{record.quote} {whole_text}"), negated))
    return tuple(found)


def _candidates(statement: str, read: Sequence[_Read]) -> list[_Read]:
    """The records that hold most of a statement's words and all its claims, the best first."""
    said = _VERDICT.sub("", statement)
    words = _words(said)
    wanted = [whole(plain(c)) for c in claims(said)]
    negated = _NEGATION.search(said) is not None
    found = [
        (share, candidate)
        for candidate in read
        if (share := _share(words, candidate.words)) >= ENOUGH_WORDS
        # A value has no negation where the sentence that gives it may have one.
        and (candidate.negated == negated or (candidate.negated and len(words) < _SHORT))
        and all(c.search(candidate.text) for c in wanted)
    ]
    return [candidate for _, candidate in sorted(found, key=lambda pair: -pair[0])]


def _bearing(statement: str, found: Sequence[_Read], near: Mapping[_Read, float]) -> _Read | None:
    """The record that says a statement: of its candidates the one nearest to the question.

    The words of a short one ("5 %") are found in many places, so that place has to be near.
    """
    best = max(found, key=lambda r: near[r], default=None)
    if best is None or (len(_words(statement)) < _SHORT and near[best] < NEAR_QUESTION):
        return None
    return best


def _words(text: str) -> set[str]:
    return set(tokens(filtered(text)))


def _share(words: set[str], held: frozenset[str]) -> float:
    return len(words & held) / len(words) if words else 0.0


def _hold(answer: str, cited: Sequence[_Read]) -> bool:
    """Whether every name, figure and quantity of an answer stands in what it cites."""
    evidence = " ".join(r.text for r in cited)
    if not all(whole(plain(c)).search(evidence) for c in claims(answer)):
        return False
    stated = [r.record for r in cited]
    return all(holds_quantity(q, stated) for q in quantities(answer))


def _statements(line: str) -> list[str]:
    """The sentences of a line that say anything, without the marks of a list or quotation."""
    found = sentences(_MARKUP.sub("", line))
    return [s for s in found if _words(s)]


def _marked(lines: Sequence[str], marks: Sequence[tuple[int, int]]) -> str:
    """The lines with the marks of their citations at their ends; below, where there is a table."""
    of_line = {i: dict.fromkeys(f"[{n}]" for of, n in marks if of == i) for i in range(len(lines))}
    kept = [line if of_line[i] else _QUOTED.sub("", line) for i, line in enumerate(lines)]
    if any(line.startswith("|") for line in lines):
        below = dict.fromkeys(mark for own in of_line.values() for mark in own)
        return "\n".join([*kept, *(["", " ".join(below)] if below else [])])
    return "\n".join(" ".join([line, *of_line[i]]) for i, line in enumerate(kept))


def _cited_page(page: StoredPage) -> CitedPage:
    return CitedPage(page.document.file, page_hash(page.text), page.id)
