"""How much a record matters to a question, without a model (docs/decisions, embedded profile)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chatbot.turn import Record
from corpora.lexical import tokens

_STATES_DEFAULT = re.compile(
    r"\bdefaults? (to|is|value|of|are)\b|\bby default\b|\bif (omitted|not (given|specified|set|"
    r"passed|present))\b|\bwhen omitted\b|\bdefault\b",
    re.I,
)
_ASKS_DEFAULT = re.compile(
    r"\bdefaults?\b|\bomitted\b|\bwithout\b|\bdon'?t (pass|set|give)\b", re.I
)
_ASKS_NUMBER = re.compile(
    r"\bhow (many|much|long|often|big|large|far)\b|\b(minimum|maximum|max|min|size|limit|length|"
    r"number|count|timeout|version|versions|port|rate|interval|threshold)\b",
    re.I,
)
_ASKS_VARIABLE = re.compile(r"\benv(ironment)?\b|\bvariables?\b", re.I)
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_HISTORY = re.compile(r"^\s*(changed|new|added|deprecated|removed) (in|since)\b|^Changed\b", re.I)


@dataclass(frozen=True)
class Weights:
    """What adds to a record's score; the figures come from the prototype and gold_dev."""

    heading: float = 0.35
    neighbour: float = 0.15
    page: float = 0.5
    default: float = 0.3
    number: float = 0.2
    beside_number: float = 0.3
    variable: float = 0.3
    history: float = -0.15
    cosine: float = 1.5
    cosine_candidates: int = 30


def score_records(
    question: str,
    terms: Mapping[str, float],
    idf: Callable[[str], float],
    pages: Sequence[tuple[float, Sequence[Record]]],
    *,
    asks_for_changes: bool,
    similarity: Callable[[str, Sequence[str]], Sequence[float]] | None,
    weights: Weights,
) -> list[Record]:
    """Score the records of some pages (page score, records in order); best first.

    The score is the share of the question's weighted terms that the record holds, those in its
    headings counted less, smoothed over its neighbours, with the page's score and cues for
    defaults and numbers; then the cosine of the best ones. `similarity` maps a query and texts
    to cosines; None leaves it out.
    """
    importance = {t: w * idf(t) for t, w in terms.items()}
    total = sum(v for t, v in importance.items() if terms[t] >= 1.0) or 1.0
    wants_default = bool(_ASKS_DEFAULT.search(question))
    wants_variable = bool(_ASKS_VARIABLE.search(question))
    wants_number = bool(_ASKS_NUMBER.search(question))

    scored: list[Record] = []
    for page_score, records in pages:
        overlaps = [_overlap(r, importance, total, weights.heading) for r in records]
        for i, record in enumerate(records):
            around = [overlaps[j] for j in (i - 1, i + 1) if 0 <= j < len(records)]
            score = overlaps[i] + weights.neighbour * max(around, default=0.0)
            score += weights.page * page_score
            if wants_default and _STATES_DEFAULT.search(record.reading):
                score += weights.default
            if wants_number and re.search(r"\d", record.quote):
                score += weights.number
                if _number_beside(record.reading, terms):
                    score += weights.beside_number
            if wants_variable and _VARIABLE.search(record.quote):
                score += weights.variable
            if not asks_for_changes and _HISTORY.search(record.quote):
                score += weights.history
            scored.append(replace(record, score=score))
    scored.sort(key=lambda r: -r.score)
    if similarity is None:
        return scored
    head, tail = scored[: weights.cosine_candidates], scored[weights.cosine_candidates :]
    cosines = similarity(question, [f"{r.label}: {r.reading}" for r in head])
    head = [
        replace(r, score=r.score + weights.cosine * float(c))
        for r, c in zip(head, cosines, strict=True)
    ]
    return sorted(head, key=lambda r: -r.score) + tail


def _overlap(
    record: Record, importance: Mapping[str, float], total: float, heading: float
) -> float:
    body = set(tokens(record.reading))
    above = set(tokens(" ".join(record.path)))
    held = 0.0
    for token, value in importance.items():
        if token in body:
            held += value
        elif token in above:
            held += heading * value
    return min(held / total, 1.5)


_BESIDE = re.compile(r"(\w+)\W{1,3}(?:\w{1,8}\W{1,3})?v?\d")


def _number_beside(text: str, terms: Mapping[str, float]) -> bool:
    """Whether a number follows one of the terms, with at most a short word between them."""
    words = (m[1] for m in _BESIDE.finditer(text))
    return any(terms.get(t, 0.0) >= 1.0 for word in words for t in tokens(word))
