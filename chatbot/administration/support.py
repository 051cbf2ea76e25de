"""The citations of an answer that somebody wrote, found in the pages of its release."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from chatbot.memory.scoring.faithfulness import denies, holds
from chatbot.memory.scoring.statements import Passage, passage_of
from chatbot.retrieval.provenance import cite, claims, quantities
from chatbot.retrieval.records import records, sentences
from chatbot.text.citation_markers import without_marks
from chatbot.text.query_terms import filtered, search_terms
from chatbot.text.sanitizer import harmless
from chatbot.turn import Record
from corpora.catalog.memory_review import CitedPage, page_hash
from corpora.indexing.corpus import Corpus
from corpora.indexing.embedding import Embedder
from corpora.indexing.lexical import tokens
from corpora.indexing.retrieval import RetrievalSettings, retrieve
from prompts.fencing import visible

PAGES = 8
MOST_CITATIONS = 5
ENOUGH_WORDS = 0.7
"""The share of a statement's words that a record needs to support it."""
NEAR_QUESTION = 0.4
"""The least cosine of the question and a record that supports a statement of few words.

On the sample 24 of 39 right answers get citations, and 1 of 234 that belong to another question.
"""
ENOUGH_STATEMENTS = 0.5
"""The share of an answer's statements that need support; all names and figures do."""

_SHORT_VALUE = 200
"""The longest answer of one line, in characters, that is its own short answer."""
_SHORT = 4
_SEARCHED = 1_000
_MOST_EMBEDDED = 20
_FENCE = re.compile(r"\s*(?:```|~~~)")
_MARKUP = re.compile(r"^[\s>]*(?:[-*+•]\s+|\d+[.)]\s+|#+\s+)?")
_QUOTED = re.compile(r"^(?:>\s?)+")
_VERDICT = re.compile(r"^(?:yes|no)\b[\s,.:;–—-]*", re.I)


def as_answer(text: str) -> str:
    """The text without pictures, links and marks; addresses and code become code spans."""
    lines, in_code = [], False
    for line in visible(text).split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code:
            lines.append(f"`{line.replace('`', chr(39))}`" if line.strip() else "")
        else:
            lines.append(_harmless_line(line, text))
    return "\n".join(lines).strip()


def as_value(text: str) -> str:
    """The same for a short answer on one line."""
    return " ".join(as_answer(text.replace("\n", " ")).split())


def supported(
    corpus: Corpus, embedder: Embedder, question: str, answer: str, value: str = ""
) -> tuple[dict[str, Any], tuple[CitedPage, ...]]:
    """Cite pages of its release for an answer that `as_answer` wrote, as far as they support it.

    Returns the answer as a pair keeps it, where a short one is its own value, and the page of each
    citation. All its names and figures, and at least half of its statements, have to be in records
    of the release, with the same negations; else it gets no citation. A quotation that no page
    supports becomes plain text.
    """
    said = answer[:_SEARCHED]
    terms = search_terms(question, said, corpus.product)
    found = retrieve(
        corpus, embedder, [question, said], terms, limit=PAGES, settings=RetrievalSettings()
    )
    read = [r for page, _ in found for r in records(page)]
    passages = [passage_of(record) for record in read]
    lines = answer.split("\n")
    stated = [(i, s) for i, line in enumerate(lines) for s in _statements(line)]
    possible = [(i, s, _candidates(s, read, passages)) for i, s in stated]
    candidates = [n for _, _, several in possible for n in several]
    asked, *vectors = embedder.embed([question, *(passages[n].read for n in candidates)])
    near = {n: float(vector @ asked) for n, vector in zip(candidates, vectors, strict=True)}
    rests = [(i, n) for i, s, several in possible if (n := _bearing(s, several, near)) is not None]
    cited = list(dict.fromkeys(n for _, n in rests))[:MOST_CITATIONS]
    told = (*claims(answer), *quantities(answer))
    if (
        len(rests) < ENOUGH_STATEMENTS * len(stated)
        or max((near[n] for n in cited), default=0.0) < NEAR_QUESTION
        or not all(any(holds(claim, passages[n]) for n in cited) for claim in told)
    ):
        cited = []
    text = _marked(lines, [(i, cited.index(n) + 1) for i, n in rests if n in cited])
    bare = without_marks(text)
    if not value and "\n" not in bare and len(bare) <= _SHORT_VALUE:
        value = bare
    citations = [asdict(cite(read[n], corpus.release)) for n in cited]
    pages = [read[n].page for n in cited]
    return {"text": text, "value": value, "citations": citations}, tuple(
        CitedPage(p.document.file, page_hash(p.text), p.id, p.number) for p in pages
    )


def _candidates(
    statement: str, read: Sequence[Record], passages: Sequence[Passage]
) -> Sequence[int]:
    """The numbers of records with most of a statement's words and all its claims, best first."""
    said = _VERDICT.sub("", statement)
    words = _words(said)
    found = []
    for number, (record, passage) in enumerate(zip(read, passages, strict=True)):
        share = len(words & set(tokens(passage.text))) / len(words) if words else 0.0
        # A value has no negation where the sentence that gives it may have one.
        negated = denies(record.reading)
        agrees = negated == denies(said) or (negated and len(words) < _SHORT)
        if share >= ENOUGH_WORDS and agrees and all(holds(c, passage) for c in claims(said)):
            found.append((share, number))
    found.sort(key=lambda pair: -pair[0])
    return [number for _, number in found[:_MOST_EMBEDDED]]


def _bearing(statement: str, found: Sequence[int], near: Mapping[int, float]) -> int | None:
    """The candidate nearest to the question.

    The words of a short statement ("5 %") are in many places, so the record has to be near.
    """
    best = max(found, key=lambda n: near[n], default=None)
    if best is None or (len(_words(statement)) < _SHORT and near[best] < NEAR_QUESTION):
        return None
    return best


def _words(text: str) -> set[str]:
    return set(tokens(filtered(text)))


def _statements(line: str) -> list[str]:
    """The sentences of a line that have words, without the marks of a list or quotation."""
    return [s for s in sentences(_MARKUP.sub("", line)) if _words(s)]


def _marked(lines: Sequence[str], marks: Sequence[tuple[int, int]]) -> str:
    """The lines with their citations at the end; all below the last one where there is a table."""
    of_line = {i: dict.fromkeys(f"[{n}]" for of, n in marks if of == i) for i in range(len(lines))}
    kept = [line if of_line[i] else _QUOTED.sub("", line) for i, line in enumerate(lines)]
    if any(line.startswith("|") for line in lines):
        below = dict.fromkeys(mark for own in of_line.values() for mark in own)
        return "\n".join([*kept, *(["", " ".join(below)] if below else [])])
    return "\n".join(" ".join([line, *of_line[i]]) for i, line in enumerate(kept))


def _harmless_line(line: str, text: str) -> str:
    said = line.lstrip()
    # What the text holds itself it may show as code: whoever wrote it answers for it.
    bare = without_marks(harmless(_QUOTED.sub("", said), evidence=text)).rstrip()
    if not bare:
        return ""
    indent = line[: len(line) - len(said)]
    return f"> {bare}" if said.startswith(">") else f"{indent}{bare}"
