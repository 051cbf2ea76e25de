"""What a comparison is about, and whether it asks in which releases that is documented."""

import re

from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import filtered
from chatbot.turn import Queries

_WHERE = re.compile(
    r"\b(?:since|until) when\b|\bwhen (?:was|were|is|are|did)\b"
    r"|\b(?:which|what|first|last) (?:\w+ ){0,2}(?:releases?|versions?)\b"
    r"|\b(?:there|documented|available|supported|supports?|present)\b",
    re.I,
)
_DIFFERS = re.compile(r"\b(?:same|identical|differ\w*|chang\w*|compar\w*)\b", re.I)
_WHOSE = re.compile(r"\b(?:do|does|did|can)\s+(?:\w+\s+){1,2}(?=(?:have|support|know|use)\b)", re.I)
"""The product itself, under another name: "does the element support …"."""
_ASKING = word_set("""
    add added adds already anything appear appears became change changed changes come comes contain
    contains covered describe describes drop dropped earliest ever every everything everywhere
    first gone have identical include included includes introduced introduces last latest missing
    new newest oldest possible present remove removed replaced since still support supported
    supports there unchanged until available whether yet
""")
_CATEGORY = word_set("""
    alarm parameter command option argument method function class setting attribute flag field
    default value range
""")


def asks_where(question: str) -> bool:
    """Whether it is asked in which releases a thing is documented, and not how they differ."""
    return bool(_WHERE.search(question)) and not _DIFFERS.search(question)


def topic(queries: Queries) -> str:
    """What is compared: what the question names, or else what it took over from earlier ones."""
    own = _topic(queries.asked)
    return own if without_category(own) else _topic(queries.subject)


def _topic(subject: str) -> str:
    named = subject.split("`")[1::2]
    if len(named) == 1:
        return named[0].strip()
    words = filtered(_WHOSE.sub("", subject)).split()
    return " ".join(word for word in words if word.lower() not in _ASKING)


def without_category(thing: str) -> str:
    """A thing without the word for what kind of thing it is: "the mtu parameter"."""
    return " ".join(w for w in thing.split() if w.lower() not in _CATEGORY)
