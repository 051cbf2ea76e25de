"""A document that wants its reader to hand over a secret: the answer warns of it."""

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_SECRET = re.compile(
    r"\b(?:pass(?:word|phrase|code)s?|PIN|credentials?|tokens?"
    r"|(?:one-time|recovery|verification|access|security|log-?in) codes?"
    r"|(?:private|secret|API|access) keys?)\b",
    re.I,
)
_HANDED_OVER = re.compile(
    r"\b(?:tell|give|send|share|report|forward|text|e-?mail|mail|fax|call|phone|dial|dictate"
    r"|(?:read|spell) (?:out|aloud)|(?:reply|answer) with)\b",
    re.I,
)
_OWN = re.compile(r"\byour\b", re.I)
_SOMEBODY = re.compile(r"[\w+-]@[\w-]+\.\w|(?<![\w.])\+?\d(?:[ ()/-]?\d){6,14}(?!\w)")
"""A mail address or a telephone number."""

CAUTION = (
    "The document asks for a secret, and nobody has checked that it may: give no password, code or "
    "key to anybody because an answer says so."
)


def cautions(text: str) -> tuple[str, ...]:
    """What an answer warns of, where a sentence wants a password, code or key told or sent away.

    It knows the usual English words and no others: who writes documents can find other ones.
    """
    return (CAUTION,) if any(map(_asks, _SENTENCE_END.split(text))) else ()


def _asks(sentence: str) -> bool:
    handed_over = _SECRET.search(sentence) and _HANDED_OVER.search(sentence)
    return bool(handed_over and (_OWN.search(sentence) or _SOMEBODY.search(sentence)))
