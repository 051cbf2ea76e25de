"""Readers: values that stand in a fixed form are read by rule, before any model is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.turn import Record
from corpora.lexical import identifiers
from ingestion.page import BlockKind

_ASKS_DEFAULT = re.compile(r"\bdefaults?\b|\bwhen omitted\b", re.I)
_VALUE = r"(?P<value>\"[^\"]*\"|'[^']*'|-?[\w.]+(?:\([^()]*\))?)"
_STATED = re.compile(
    rf"\b(?:defaults? (?:to|is|value is|value of)|default(?: value)?:)\s+(?:the )?{_VALUE}", re.I
)


@dataclass(frozen=True)
class Reading:
    """A value and the record it was read from."""

    value: str
    record: Record


def read_value(question: str, records: Sequence[Record]) -> Reading | None:
    """The default of a parameter that the question names, from its signature or description.

    Abstains (None) when the question asks for something else, or two owners disagree.
    """
    if not _ASKS_DEFAULT.search(question):
        return None
    found = [
        reading
        for name in identifiers(question)
        for record in records
        if (reading := _default_of(name.rstrip("()"), record)) is not None
    ]
    if not found or len({r.value.strip("'\"").lower() for r in found}) > 1:
        return None
    return found[0]


def _default_of(name: str, record: Record) -> Reading | None:
    if record.kind == BlockKind.SIGNATURE:
        match = re.search(rf"(?<![\w.]){re.escape(name)}(?:: [^=,]+)? ?= ?{_VALUE}", record.quote)
        return Reading(match["value"], record) if match else None
    if record.kind == BlockKind.DEFINITION and re.match(rf"{re.escape(name)}\b", record.quote):
        match = re.match(rf"{re.escape(name)}(?:: [^=,]+)? ?= ?{_VALUE}", record.quote)
        match = match or _STATED.search(record.quote)
        return Reading(match["value"], record) if match else None
    return None
