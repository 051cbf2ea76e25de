"""Scores of records for a question, without a model (docs/decisions/0004).

A record is scored by the question's words that it holds, by its page, its form and its likeness to
the question, then by the form and the likeness of the passage that it stands in. All weights are
beside the share of the question's words, which is about 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chatbot.retrieval.passages import Passage, best_passages
from chatbot.retrieval.question_types import FORMS, QuestionType
from chatbot.text.parts import parts_named
from chatbot.turn import Record
from corpora.catalog.release import releases_named
from corpora.indexing.cross_encoder import BEST, Reranker
from ingestion.page import DocumentKind

NEAR = 0.35
"""The weight of words in the headings alone, and of the share of neighbouring records."""
PAGE = 0.5
"""The weight of the page's own score."""
COSINE = 1.5
"""The weight of the cosine of question and record; that of its passage has weight 1."""
CANDIDATES = 30
"""The number of best records, and passages, whose cosine is computed."""
FORM = 0.4
"""For a record, and a passage, of the form that is asked for; for a row of that name alone."""
RELEASE_NOTES = -0.4
PART = 2.0
"""For a record of the section, table or step that is asked for by its number."""
OTHER_RELEASE = -1.0
"""The weight of release notes, or their words on another release, unless changes are asked for."""

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""Maps a text and others to their cosines."""


def importance_of(terms: Mapping[str, float], idf: Callable[[str], float]) -> dict[str, float]:
    """Weigh terms by their inverse document frequency; those of full weight add up to 1."""
    weighed = {term: weight * idf(term) for term, weight in terms.items()}
    total = sum(value for term, value in weighed.items() if terms[term] >= 1.0) or 1.0
    return {term: value / total for term, value in weighed.items()}


def rank_records(
    question: str,
    kind: QuestionType,
    release: str,
    importance: Mapping[str, float],
    pages: Sequence[tuple[float, Sequence[Record]]],
    similarity: Similarity,
    terms: Callable[[str], Sequence[str]],
) -> list[Record]:
    """Score the records of some pages, given as (score of the page, its records); best first.

    `kind` is that of the question to the `release`, `importance` weighs the question's `terms`.
    """

    def cosines(texts: Sequence[str]) -> list[float]:
        best = similarity(question, texts[:CANDIDATES])
        return [*map(float, best), *[0.0] * (len(texts) - len(best))]

    parts = parts_named(question)
    ranked: list[Record] = []
    for page, records in pages:
        shares = [_share(record, importance, terms) for record in records]
        for i, record in enumerate(records):
            beside = max((*shares[max(i - 1, 0) : i], *shares[i + 1 : i + 2]), default=0.0)
            named = record.cells and set(terms(record.cells[0][1])) == importance.keys()
            within = any(part.is_of(record.path, record.quote) for part in parts)
            gain = FORM * bool(named) + PART * within + _cue(record, kind, release)
            ranked.append(replace(record, score=shares[i] + NEAR * beside + PAGE * page + gain))
    ranked.sort(key=lambda record: -record.score)
    alike = cosines([f"{record.label}: {record.reading}" for record in ranked])
    ranked = [replace(r, score=r.score + COSINE * c) for r, c in zip(ranked, alike, strict=True)]
    passages = best_passages(ranked)
    alike = cosines([_under_headings(p) for p in passages])
    gains = {
        record.place: FORM * passage.has(*FORMS.get(kind, ())) + cosine
        for passage, cosine in zip(passages, alike, strict=True)
        for record in passage.records
    }
    lifted = [replace(r, score=r.score + gains.get(r.place, 0.0)) for r in ranked]
    return sorted(lifted, key=lambda record: -record.score)


def rerank_records(question: str, ranked: Sequence[Record], reranker: Reranker) -> list[Record]:
    """The records by their passages' scores of a cross-encoder, which reads the `BEST` of them.

    Those of one passage, and those of passages that it does not read, stay in their order.
    Scores are then 0 to 1. Raises RerankerFailed.
    """
    passages = best_passages(ranked)[:BEST]
    scores = reranker.score(question, [_under_headings(passage) for passage in passages])
    by_place = {
        record.place: score
        for passage, score in zip(passages, scores, strict=True)
        for record in passage.records
    }
    scored = [replace(record, score=by_place.get(record.place, 0.0)) for record in ranked]
    return sorted(scored, key=lambda r: (r.place in by_place, r.score), reverse=True)


def _under_headings(passage: Passage) -> str:
    return f"{' > '.join(passage.path)}\n{passage.text}"


def _share(
    record: Record, importance: Mapping[str, float], terms: Callable[[str], Sequence[str]]
) -> float:
    """The share of the question's words that it holds; those of the conversation may add to 1."""
    body, above = set(terms(record.reading)), set(terms(" ".join(record.path)))
    return sum(
        value if token in body else NEAR * value
        for token, value in importance.items()
        if token in body or token in above
    )


def _cue(record: Record, kind: QuestionType, release: str) -> float:
    """The gain of a record that has the form of an answer: a number as a value, code as steps."""
    is_form = record.kind in FORMS.get(kind, ())
    if kind is QuestionType.VALUE:
        is_form = any(map(str.isdigit, record.quote))
    gain = FORM * is_form
    if kind is QuestionType.CHANGE or record.page.document.kind is not DocumentKind.RELEASE_NOTES:
        return gain
    other = releases_named(record.reading, release).other
    return gain + (OTHER_RELEASE if other else RELEASE_NOTES)
