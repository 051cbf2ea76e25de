"""What a comparison asks for: a value, what changed, or in which releases a thing is documented."""

import re
from enum import Enum, auto

from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import filtered


class Asked(Enum):
    """What kind of answer a comparison wants."""

    VALUE = auto()
    CHANGES = auto()
    PRESENCE = auto()
    DEPRECATION = auto()


_VALUE = re.compile(
    r"\b(?:defaults?|minimum|maximum|min|max|value of|severity"
    r"|how (?:many|much|long|often|big|large|far|fast))\b",
    re.I,
)
_RELEASES = r"(?:releases?|versions?)\b"
_PRESENCE = re.compile(
    rf"\b(?:which|what)\s+(?:of\s+(?:the|your|these)\s+)?(?:\w+\s+)?{_RELEASES}|\bsince\s+when\b"
    r"|\bwhen\s+(?:was|were|is|are|did|does)\b"
    rf"|\b(?:first|earliest|oldest|last|latest|newest)\s+{_RELEASES}"
    r"(?=\s+(?:with|that|to|where|which|in|supporting|having|documenting))"
    r"|\b(?:is|are|was|were|been)\b.*\b(?:there|documented|available|supported|present|included"
    r"|mentioned|gone|missing|removed|dropped)\b"
    r"|\b(?:do|does|did)\b.*\b(?:have|support|know|contain|offer|include|mention|document|exist)\b",
    re.I,
)
_WHICH_OF_MANY = re.compile(
    r"\b(?:which|what)\s+(?!releases?\b|versions?\b)(?:\w+\s+){1,4}"
    r"(?:is|are|was|were|has been|have been)\s+(?:gone|missing|removed|dropped|added|new|there"
    r"|available|supported|documented)\b",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:chang\w*|new|differ\w*|added|removed|gone|dropped|missing|renam\w*|deprecat\w*|introduced"
    r"|same|identical|alike|unchanged|evol\w+|happened\s+(?:to|with)|became)\b",
    re.I,
)
_SAME = re.compile(
    r"\b(?:same|identical|alike|unchanged|equal|(?P<other>differ\w*|chang\w*))\b", re.I
)
_YES_NO = re.compile(
    r"\W*(?:(?:and|but|so)\s+)?(?:is|are|was|were|do|does|did|has|have|can)\b", re.I
)
_COMPARE = re.compile(r"\bcompar\w+\b", re.I)
_MOVES = re.compile(r"\b(?:chang\w*|renam\w*|differ\w*|same|identical|alike|unchanged)\b", re.I)
_DEPRECATED = re.compile(r"\bdeprecat\w*", re.I)
_ADDED = re.compile(r"\b(?:new|added|introduced|additional)\b", re.I)
_REMOVED = re.compile(r"\b(?:removed|gone|dropped|missing|deleted|obsolete)\b", re.I)

_AS_CODE = re.compile(r"`([^`]+)`")
_IMPERATIVE = re.compile(r"^\s*(?:please\s+)?(?:list|show|name|tell)\s+(?:me\s+)?", re.I)
_ASKED_OF = re.compile(
    r"\b(?:do|does|did|can|could)\s+(?:(?:the|my|our|your|an?)\s+)?\w+\s+"
    r"(?=(?:support|have|know|offer|speak|understand|include|contain|come|provide)\b)",
    re.I,
)
_CONTINUES = re.compile(r"^\s*(?:and|but|or|also|so|then|what about|how about|same)\b", re.I)
_REFERS = re.compile(r"\b(?:it|its|this|these|those|they|them)\b", re.I)

_COMPARING = word_set("""
    add added additional adds ago alike already anything appear appeared available become built came
    change changed changes changing come comes contain contains cover covered covers deleted
    deprecated describe described describes docs documentation documented documents dropped
    earliest ever every everything evolve evolved existed exists first fixed general gone have
    having identical include included includes introduce introduced introduces last later latest
    mention mentioned mentions missing new newest obsolete offer offers old oldest possible
    present provide provides remove removed renamed replaced since solved speak still support
    supported supporting supports unchanged understand understood until whether yet
""")


def asked(question: str, subject: str) -> Asked:
    """Tell what a comparison asks for, from the question with and without its releases."""
    if _VALUE.search(question):
        return Asked.VALUE
    several = _WHICH_OF_MANY.search(question) or _MOVES.search(question)
    if _PRESENCE.search(question) and not several:
        return Asked.DEPRECATION if _DEPRECATED.search(question) else Asked.PRESENCE
    # "compare protection" wants all of it, "compare the range of the hold-off timer" a value.
    whole = _COMPARE.search(question) and len(topic(subject).split()) <= 2
    return Asked.CHANGES if whole or _CHANGES.search(question) else Asked.VALUE


def wants_only(question: str) -> str | None:
    """Say "added" or "removed" where a question asks for nothing else."""
    added, removed = bool(_ADDED.search(question)), bool(_REMOVED.search(question))
    if added == removed or _MOVES.search(question):
        return None
    return "added" if added else "removed"


def asks_yes_or_no(question: str) -> bool:
    """Whether a question is one to say yes or no to."""
    return bool(_YES_NO.match(question))


def verdict(question: str, *, same: bool) -> str:
    """What a question whether releases are the same, or differ, is answered: "Yes" or "No"."""
    wanted = _SAME.search(question) if asks_yes_or_no(question) else None
    if not wanted:
        return ""
    return "Yes" if same == (wanted["other"] is None) else "No"


def asks_whether_same(question: str) -> bool:
    """Whether it is asked if what was said holds elsewhere too: "is it the same in 17.10?"."""
    return bool(_SAME.search(question)) and leans_on_conversation(question)


def names_its_thing(question: str) -> bool:
    """Whether a question, given without its releases, says itself what it is about."""
    return bool(topic(question)) and not _REFERS.search(question)


def leans_on_conversation(question: str) -> bool:
    """Whether such a question needs the one before it: "and in 17.20?", "is it the same?"."""
    return not names_its_thing(question) or bool(_CONTINUES.search(question))


def thing_as_code(question: str) -> str:
    """The one thing that a question names as code, letter for letter; or nothing."""
    named = _AS_CODE.findall(question)
    return named[0].strip() if len(named) == 1 else ""


def topic(subject: str) -> str:
    """What is compared: the subject without the words that ask for a comparison."""
    subject = _ASKED_OF.sub("", _IMPERATIVE.sub("", subject))
    return " ".join(w for w in filtered(subject).split() if w.lower() not in _COMPARING)
