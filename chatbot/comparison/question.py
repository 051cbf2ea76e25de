"""What a comparison asks for: a value, what changed, or in which releases a thing is documented."""

from __future__ import annotations

import re
from enum import Enum, auto

from chatbot.words import filtered


class Asked(Enum):
    """What kind of answer a comparison wants."""

    VALUE = auto()
    CHANGES = auto()
    PRESENCE = auto()


_VALUE = re.compile(
    r"\b(?:defaults?|minimum|maximum|min|max|value of|severity"
    r"|how (?:many|much|long|often|big|large|far|fast))\b",
    re.I,
)
_RELEASES = r"(?:releases?|versions?)\b"
_PRESENCE = re.compile(
    rf"\b(?:which|what)\s+(?:\w+\s+)?{_RELEASES}|\bsince\s+when\b"
    r"|\bwhen\s+(?:was|were|is|are|did|does)\b"
    rf"|\b(?:first|earliest|oldest|last|latest|newest)\s+{_RELEASES}"
    r"(?=\s+(?:with|that|to|where|which|in|supporting|having|documenting))"
    r"|\b(?:is|are|was|were)\b.*\b(?:there|documented|available|supported|present|included"
    r"|mentioned|gone|missing|removed|dropped)\b"
    r"|\b(?:do|does|did)\b.*\b(?:have|support|know|contain|offer|include|mention|document|exist)\b",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:chang\w*|new|differ\w*|added|removed|gone|dropped|missing|renam\w*|deprecat\w*|introduced"
    r"|same|identical|alike|unchanged|evol\w+|compar\w+)\b",
    re.I,
)
_MOVES = re.compile(r"\b(?:chang\w*|renam\w*|differ\w*|same|identical|alike|unchanged)\b", re.I)
_ADDED = re.compile(r"\b(?:new|added|introduced|additional)\b", re.I)
_REMOVED = re.compile(r"\b(?:removed|gone|dropped|missing|deleted|obsolete)\b", re.I)

_COMPARING = frozenset(
    """
    added additional alike appear appeared available become change changed changes changing came
    contain contains deleted deprecated documented documents dropped earliest evolve evolved every
    first gone have identical include included includes introduced introduce introduces last
    latest mention mentioned mentions missing new newest obsolete offer offers oldest present
    removed remove renamed replaced still support supported supports supporting unchanged until
    since having exists existed ago yet ever add adds list anything everything old
    """.split()
)


def asked(question: str) -> Asked:
    """Tell what a comparison asks for, from the question as it was asked."""
    value = bool(_VALUE.search(question))
    if not value and _PRESENCE.search(question) and not _MOVES.search(question):
        return Asked.PRESENCE
    return Asked.CHANGES if not value and _CHANGES.search(question) else Asked.VALUE


def asks_what_changed(question: str) -> bool:
    """Whether a question asks for a change as such, or for there being none."""
    return bool(_CHANGES.search(question))


def wants_only(question: str) -> str | None:
    """Say "added" or "removed" where a question asks for nothing else."""
    added, removed = bool(_ADDED.search(question)), bool(_REMOVED.search(question))
    if added == removed or _MOVES.search(question):
        return None
    return "added" if added else "removed"


def topic(subject: str) -> str:
    """What is compared: the subject without the words that ask for a comparison."""
    return " ".join(w for w in filtered(subject).split() if w.lower() not in _COMPARING)
