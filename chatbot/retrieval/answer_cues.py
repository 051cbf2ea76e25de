"""Which records look like an answer of the kind that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chatbot.retrieval.kinds import Kind
from chatbot.turn import Record
from corpora.catalog.release import releases_named
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import BlockKind, DocumentKind

_ASKS_DEFAULT = re.compile(
    r"\bdefaults?\b|\bomitted\b|\bwithout\b|\bdon'?t (pass|set|give)\b", re.I
)
_STATES_DEFAULT = re.compile(
    r"\bdefaults?\b|\bif (omitted|not (given|specified|set|passed|present))\b|\bwhen omitted\b",
    re.I,
)
_GIVEN = re.compile(r"\b(\w+) ?=(?!=)")
_BEFORE_NUMBER = re.compile(r"(\w+)\W{1,3}(?:\w{1,8}\W{1,3})?v?\d")
_POINTER = re.compile(r"^(see also|references|e\.g\.|added in version|new in version)\b", re.I)
_HISTORY = re.compile(r"^\s*(changed|new|added|deprecated|removed) (in|since)\b|^Changed\b", re.I)
_FORMAL = (BlockKind.SIGNATURE, BlockKind.DEFINITION)
_DONE = (BlockKind.CODE, BlockKind.LIST_ITEM)
_SHORT = 200


@dataclass(frozen=True)
class CueWeights:
    """What a cue adds to a record's score, where the share of the question's words is about 1."""

    default: float = 0.3
    named_default: float = 0.6
    number: float = 0.2
    beside_number: float = 0.3
    steps: float = 0.3
    definition: float = 0.2
    pointer: float = -0.5
    drawing: float = -0.1
    history: float = -0.15
    release_notes: float = -0.4
    other_release: float = -1.0
    under_other_release: float = -0.5


def answer_cues(
    question: str,
    terms: Mapping[str, float],
    release: str,
    *,
    kind: Kind,
    weights: CueWeights,
) -> Callable[[Record], float]:
    """Make the function that says what a record gains or loses by looking like an answer.

    A value: numbers gain, and sentences that state a default where one is asked for. Steps: items
    and code. A definition: signatures and terms. Pointers to other places lose; so do remarks on
    what changed and release notes, above all those that speak of another release, unless changes
    are asked for: then it is what stands under the heading of another release that loses.
    """
    wants_default = bool(_ASKS_DEFAULT.search(question))
    given = tuple(f"{name}=" for name in [*identifiers(question), *_GIVEN.findall(question)])

    def wanted(record: Record) -> float:
        gain = 0.0
        if wants_default:
            gain += weights.default if _STATES_DEFAULT.search(record.reading) else 0.0
            if record.kind in _FORMAL and any(name in record.quote for name in given):
                gain += weights.named_default
        if kind is Kind.VALUE and re.search(r"\d", record.quote):
            beside = _number_beside(record.reading, terms)
            gain += weights.number + (weights.beside_number if beside else 0.0)
        if kind is Kind.STEPS and record.kind in _DONE:
            gain += weights.steps
        if kind is Kind.DEFINITION and record.kind in _FORMAL:
            gain += weights.definition
        return gain

    def unwanted(record: Record) -> float:
        loss = weights.drawing if record.kind == BlockKind.DRAWING else 0.0
        if len(record.quote) < _SHORT and _POINTER.search(record.quote):
            loss += weights.pointer
        if kind is Kind.CHANGE:
            above = releases_named(" ".join(record.path), release, parts=2)
            return loss + (weights.under_other_release if above.other else 0.0)
        if _HISTORY.search(record.quote):
            loss += weights.history
        if record.page.document.kind is DocumentKind.RELEASE_NOTES:
            above = releases_named(" ".join(record.path), release, parts=2)
            other = releases_named(record.reading, release).other or (above.other and not above.own)
            loss += weights.other_release if other else weights.release_notes
        return loss

    return lambda record: wanted(record) + unwanted(record)


def _number_beside(text: str, terms: Mapping[str, float]) -> bool:
    """Whether a number follows one of the terms, with at most a short word between them."""
    words = (m[1] for m in _BEFORE_NUMBER.finditer(text))
    return any(terms.get(t, 0.0) >= 1.0 for word in words for t in tokens(word))
