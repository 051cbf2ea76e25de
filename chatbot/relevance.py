"""How much a record matters to a question, without a model (docs/decisions, embedded profile)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from chatbot.turn import Record
from corpora.lexical import identifiers, tokens
from corpora.release import releases_named
from ingestion.page import BlockKind, DocumentKind

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
_GIVEN = re.compile(r"\b(\w+) ?=(?!=)")
_FORMAL = (BlockKind.SIGNATURE, BlockKind.DEFINITION)
_ASKS_HOW = re.compile(
    r"\bhow (do|does|should|can|could|to|is|are|would)\b|- how\b|\b(write|written|syntax|example|"
    r"url|command|code|snippet|usage|look like|construct)\b",
    re.I,
)
_ASKS_NAME = re.compile(
    r"\b(which|what|name of( the)?) (\w+ )?(object|class|method|function|argument|parameter|option|"
    r"flag|attribute|exception|type|command|dialect|package|module|constant|error)\b|"
    r"^(method|function|class|parameter|option|argument|name)\b",
    re.I,
)
_POINTER = re.compile(r"^(see also|references|e\.g\.|added in version|new in version)\b", re.I)
_HISTORY = re.compile(r"^\s*(changed|new|added|deprecated|removed) (in|since)\b|^Changed\b", re.I)


@dataclass(frozen=True)
class Weights:
    """What adds to a record's score; the figures come from the prototype and gold_dev."""

    heading: float = 0.35
    neighbour: float = 0.15
    paragraph: float = 0.35
    page: float = 0.5
    default: float = 0.3
    named_default: float = 0.6
    number: float = 0.2
    beside_number: float = 0.3
    variable: float = 0.3
    code: float = 0.3
    name: float = 0.2
    pointer: float = -0.5
    drawing: float = -0.1
    history: float = -0.15
    release_notes: float = -0.4
    other_release: float = -1.0
    cosine: float = 1.5
    cosine_candidates: int = 30


def score_records(
    question: str,
    terms: Mapping[str, float],
    idf: Callable[[str], float],
    pages: Sequence[tuple[float, Sequence[Record]]],
    *,
    release: str,
    asks_for_changes: bool,
    similarity: Callable[[str, Sequence[str]], Sequence[float]] | None,
    weights: Weights,
) -> list[Record]:
    """Score the records of some pages (page score, records in order); best first.

    The score is the share of the question's weighted terms that the record holds, those in its
    headings counted less, smoothed over its neighbours, with the page's score and cues for what
    kind of answer is asked for; then the cosine of the best ones. Release notes that speak of
    another release than `release` are lowered unless changes are asked for. `similarity` maps a
    query and texts to cosines; None leaves it out.
    """
    importance = {t: w * idf(t) for t, w in terms.items()}
    total = sum(v for t, v in importance.items() if terms[t] >= 1.0) or 1.0
    wants_default = bool(_ASKS_DEFAULT.search(question))
    wants_code = bool(_ASKS_HOW.search(question))
    wants_name = bool(_ASKS_NAME.search(question))
    wants_variable = bool(_ASKS_VARIABLE.search(question))
    wants_number = bool(_ASKS_NUMBER.search(question))

    named = [*identifiers(question), *_GIVEN.findall(question)]

    scored: list[Record] = []
    for page_score, records in pages:
        overlaps = [_overlap(r, importance, total, weights.heading) for r in records]
        for i, record in enumerate(records):
            score = overlaps[i] + _around(i, records, overlaps, weights)
            score += weights.page * page_score
            if wants_default and _STATES_DEFAULT.search(record.reading):
                score += weights.default
            if wants_default and any(f"{name}=" in record.quote for name in named):
                score += weights.named_default if record.kind in _FORMAL else 0.0
            if wants_number and re.search(r"\d", record.quote):
                score += weights.number
                if _number_beside(record.reading, terms):
                    score += weights.beside_number
            if record.kind == BlockKind.CODE and (wants_code or wants_default):
                score += weights.code if wants_code else -weights.code
            if wants_name and record.kind in (*_FORMAL, BlockKind.CODE):
                score += weights.name
            if record.kind == BlockKind.DRAWING:
                score += weights.drawing
            if _POINTER.search(record.quote) and len(record.quote) < 200:
                score += weights.pointer
            if wants_variable and _VARIABLE.search(record.quote):
                score += weights.variable
            if not asks_for_changes and _HISTORY.search(record.quote):
                score += weights.history
            if not asks_for_changes and record.page.document.kind is DocumentKind.RELEASE_NOTES:
                other = releases_named(record.reading, release).other
                score += weights.other_release if other else weights.release_notes
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


def _around(
    i: int, records: Sequence[Record], overlaps: Sequence[float], weights: Weights
) -> float:
    """What a record gains from those beside it, more from a sentence of its own paragraph."""
    gains = [0.0]
    for j in (i - 1, i + 1):
        if 0 <= j < len(records):
            kin = records[j].kind == records[i].kind and records[j].path == records[i].path
            gains.append(overlaps[j] * (weights.paragraph if kin else weights.neighbour))
    return max(gains)


_BESIDE = re.compile(r"(\w+)\W{1,3}(?:\w{1,8}\W{1,3})?v?\d")


def _number_beside(text: str, terms: Mapping[str, float]) -> bool:
    """Whether a number follows one of the terms, with at most a short word between them."""
    words = (m[1] for m in _BESIDE.finditer(text))
    return any(terms.get(t, 0.0) >= 1.0 for word in words for t in tokens(word))
