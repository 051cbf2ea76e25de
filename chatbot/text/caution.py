"""A document that wants its reader to hand over a secret: the answer warns of it."""

import re

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n")
_HANDED_OVER = re.compile(
    # A secret,
    r"(?=.*\b(?:pass(?:word|phrase|code)s?|PIN|credentials?|tokens?"
    r"|(?:one-time|recovery|verification|access|security|log-?in) codes?"
    r"|(?:private|secret|API|access) keys?)\b)"
    # a word for telling it,
    r"(?=.*\b(?:tell|give|send|share|report|forward|text|e-?mail|mail|fax|call|phone|dial|dictate"
    r"|(?:read|spell) (?:out|aloud)|(?:reply|answer) with)\b)"
    # and whose it is, or who gets it: a mail address or a telephone number.
    r".*(?:\byour\b|[\w+-]@[\w-]+\.\w|(?<![\w.])\+?\d(?:[ ()/-]?\d){6,14}(?!\w))",
    re.I,
)

CAUTION = (
    "The document asks for a secret, and nobody has checked that it may: give no password, code or "
    "key to anybody because an answer says so."
)


def cautions(text: str) -> tuple[str, ...]:
    """What an answer warns of, where a sentence wants a password, code or key told or sent away.

    It knows the usual English words and no others: who writes documents can find other ones.
    """
    return (CAUTION,) if any(map(_HANDED_OVER.match, _SENTENCE_END.split(text))) else ()
