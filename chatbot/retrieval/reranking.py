"""How much a record matters to a question, without a model (docs/decisions/0004).

A record is scored by itself and by those beside it, by the cues that it looks like an answer, and
by the passage that it stands in. All weights are beside the share of the question's words that a
record holds, which is about 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chatbot.retrieval.kinds import FORMS, Kind
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.text.words import filtered
from chatbot.turn import Record
from corpora.catalog.release import releases_named
from corpora.indexing.lexical import tokens
from ingestion.page import DocumentKind

HEADING = 0.35
"""Of words that stand in the headings above a record only."""
NEIGHBOUR = 0.35
"""Of the share of the record beside it."""
PAGE = 0.5
"""Of the page's own score."""
COSINE = 1.5
COSINE_CANDIDATES = 30
"""Of the cosine of question and record, and for how many of the best it is computed."""

NUMBER = 0.4
STEPS = 0.3
DEFINITION = 0.2
RELEASE_NOTES = -0.4
OTHER_RELEASE = -1.0
"""What a cue adds to a record's score; the last of notes that speak of another release."""

PASSAGE_COVERAGE = 0.5
"""Of the share of the question's words that a passage and its headings hold."""
PASSAGE_FORM = 0.4
"""For blocks of the form that is asked for."""
PASSAGE_NAME = 0.5
"""For a heading or a row whose name is all that the question asks about."""
PASSAGE_COSINE = 1.0
PASSAGE_COSINE_CANDIDATES = 20
"""Of the cosine of question and passage, and for how many of the best it is computed."""

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Maps a text and others to their cosines."""

_READ = 900
"""Characters of a passage that are embedded."""
_LONG = 1500
"""A longer passage holds more of any question's words by its length alone."""


def importance_of(terms: Mapping[str, float], idf: Callable[[str], float]) -> dict[str, float]:
    """Weigh terms by their inverse document frequency; those of full weight add up to 1."""
    weighed = {term: weight * idf(term) for term, weight in terms.items()}
    total = sum(value for term, value in weighed.items() if terms[term] >= 1.0) or 1.0
    return {term: value / total for term, value in weighed.items()}


def score_records(
    question: str,
    importance: Mapping[str, float],
    pages: Sequence[tuple[float, Sequence[Record]]],
    *,
    cues: Callable[[Record], float],
    similarity: Similarity,
) -> list[Record]:
    """Score the records of some pages, given as (score of the page, its records in order).

    Returns them best first. `importance` weighs the question's tokens, and `cues` adds what a
    record gains by looking like an answer.
    """
    scored: list[Record] = []
    for page_score, records in pages:
        shares = [_share(r, importance) for r in records]
        for i, record in enumerate(records):
            score = shares[i] + _around(i, shares) + PAGE * page_score + cues(record)
            scored.append(replace(record, score=score))
    scored.sort(key=lambda r: -r.score)
    head, tail = scored[:COSINE_CANDIDATES], scored[COSINE_CANDIDATES:]
    cosines = similarity(question, [f"{r.label}: {r.reading}" for r in head])
    head = [
        replace(r, score=r.score + COSINE * float(c)) for r, c in zip(head, cosines, strict=True)
    ]
    return sorted(head, key=lambda r: -r.score) + tail


def _share(record: Record, importance: Mapping[str, float]) -> float:
    """The share of the question's words that it holds; those of the conversation may add to 1."""
    body = set(tokens(record.reading))
    above = set(tokens(" ".join(record.path)))
    held = sum(
        value if token in body else HEADING * value
        for token, value in importance.items()
        if token in body or token in above
    )
    return min(held, 1.5)


def _around(i: int, shares: Sequence[float]) -> float:
    """What a record gains from those beside it."""
    return NEIGHBOUR * max((*shares[max(i - 1, 0) : i], *shares[i + 1 : i + 2]), default=0.0)


def answer_cues(kind: Kind, release: str) -> Callable[[Record], float]:
    """Make the function that says what a record gains or loses by looking like an answer.

    A value: numbers gain. Steps: items and code. A definition: signatures and terms. Release notes
    lose, unless changes are asked for.
    """

    def cues(record: Record) -> float:
        gain = 0.0
        if kind is Kind.VALUE and any(map(str.isdigit, record.quote)):
            gain += NUMBER
        if kind is Kind.STEPS and record.kind in FORMS[kind]:
            gain += STEPS
        if kind is Kind.DEFINITION and record.kind in FORMS[kind]:
            gain += DEFINITION
        if kind is Kind.CHANGE or record.page.document.kind is not DocumentKind.RELEASE_NOTES:
            return gain
        other = releases_named(record.reading, release).other
        return gain + (OTHER_RELEASE if other else RELEASE_NOTES)

    return cues


def lift_by_passage(
    question: str,
    kind: Kind,
    importance: Mapping[str, float],
    scored: Sequence[Record],
    similarity: Similarity,
) -> list[Record]:
    """Add to the records' scores what their passages are worth; best first."""
    form = FORMS.get(kind, ())
    thing = set(tokens(filtered(question)))
    passages = best_passages(scored)
    head = passages[:PASSAGE_COSINE_CANDIDATES]
    read = [f"{' > '.join(p.path)}\n{p.text[:_READ]}" for p in head]
    cosines = similarity(question, read) if head else []
    gains: dict[tuple[int, int], float] = {}
    for i, passage in enumerate(passages):
        formed = passage.has(*form) or (kind is Kind.STEPS and bool(passage.step))
        gain = PASSAGE_COVERAGE * _coverage(passage, importance) + PASSAGE_FORM * formed
        names = (passage.heading, *(r.cells[0][1] for r in passage.records if r.cells))
        gain += PASSAGE_NAME * any(set(tokens(name)) == thing for name in names)
        gain += PASSAGE_COSINE * float(cosines[i]) if i < len(cosines) else 0.0
        gains.update((record.place, gain) for record in passage.records)
    lifted = [replace(r, score=r.score + gains.get(r.place, 0.0)) for r in scored]
    return sorted(lifted, key=lambda record: -record.score)


def _coverage(passage: Passage, importance: Mapping[str, float]) -> float:
    """The share of the question, 0 to 1, that a passage and its headings hold; less if long."""
    text = set(tokens(" ".join((passage.text, *passage.path, passage.page.document.title))))
    held = sum(weight for token, weight in importance.items() if token in text)
    return min(held, 1.0) * min(1.0, _LONG / len(passage.text))
