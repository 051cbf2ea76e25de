"""How much a record matters to a question, without a model (docs/decisions/0004)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chatbot.turn import Record
from corpora.indexing.lexical import tokens


@dataclass(frozen=True)
class Weights:
    """How the parts of a record's score are weighed; the share of the question's words counts 1.

    `heading`: words found only in the headings above; `neighbour` and `paragraph`: the share of
    the record beside it, or beside it in the same paragraph; `page`: the page's own score;
    `cosine`: of question and record, computed for the best `cosine_candidates`.
    """

    heading: float = 0.35
    neighbour: float = 0.15
    paragraph: float = 0.35
    page: float = 0.5
    cosine: float = 1.5
    cosine_candidates: int = 30


def score_records(
    question: str,
    importance: Mapping[str, float],
    pages: Sequence[tuple[float, Sequence[Record]]],
    *,
    cues: Callable[[Record], float],
    similarity: Callable[[str, Sequence[str]], Sequence[float]],
    weights: Weights,
) -> list[Record]:
    """Score the records of some pages, given as (score of the page, its records in order).

    Returns them best first. `importance` weighs the question's tokens, `cues` adds what a record
    gains by looking like an answer, `similarity` maps a text and others to their cosines.
    """
    scored: list[Record] = []
    for page_score, records in pages:
        shares = [_share(r, importance, weights.heading) for r in records]
        for i, record in enumerate(records):
            around = _around(i, records, shares, weights)
            score = shares[i] + around + weights.page * page_score + cues(record)
            scored.append(replace(record, score=score))
    scored.sort(key=lambda r: -r.score)
    head, tail = scored[: weights.cosine_candidates], scored[weights.cosine_candidates :]
    cosines = similarity(question, [f"{r.label}: {r.reading}" for r in head])
    head = [
        replace(r, score=r.score + weights.cosine * float(c))
        for r, c in zip(head, cosines, strict=True)
    ]
    return sorted(head, key=lambda r: -r.score) + tail


def importance_of(terms: Mapping[str, float], idf: Callable[[str], float]) -> dict[str, float]:
    """Weigh terms by their inverse document frequency; those of full weight add up to 1."""
    weighed = {term: weight * idf(term) for term, weight in terms.items()}
    total = sum(value for term, value in weighed.items() if terms[term] >= 1.0) or 1.0
    return {term: value / total for term, value in weighed.items()}


def _share(record: Record, importance: Mapping[str, float], heading: float) -> float:
    """The share of the question's words that the record holds; expansions may lift it above 1."""
    body = set(tokens(record.reading))
    above = set(tokens(" ".join(record.path)))
    held = sum(
        value if token in body else heading * value
        for token, value in importance.items()
        if token in body or token in above
    )
    return min(held, 1.5)


def _around(i: int, records: Sequence[Record], shares: Sequence[float], weights: Weights) -> float:
    """What a record gains from those beside it, more from a sentence of its own paragraph."""
    gains = [0.0]
    for j in (i - 1, i + 1):
        if 0 <= j < len(records):
            kin = records[j].kind == records[i].kind and records[j].path == records[i].path
            gains.append(shares[j] * (weights.paragraph if kin else weights.neighbour))
    return max(gains)
