"""The wording of releases: what stands before, after and between the numbers that name them."""

import re

from chatbot.text.units import MEASURE
from corpora.indexing.number_words import NUMBER_WORDS

OWN, OTHER = "\ue000", "\ue001"
"""Stand in a masked question for each letter of the product's name, and of other products'."""

RELEASE_WORD = r"(?:releases?|versions?|rel|vers?|v|r)"
_BEFORE = (
    r"(?:(?:(?:(?:in|on|for|with|of|from|to|by)\s+)?(?:the\s+)?(?P<count>\w+\s+)?"
    r"(?:releases?|versions?|ones?)\s+(?:that\s+(?:came|was)\s+)?)?"
    r"(?:just\s+|right\s+|immediately\s+|directly\s+|shortly\s+)?"
    r"(?:(?P<before>before|prior\s+to|(?:older|earlier|lower)\s+than|preceding|below|previous\s+to)"
    r"|(?P<after>after|following|(?:newer|later|higher)\s+than|succeeding|above)))"
)


def count_of(said: str) -> int:
    """Read how many releases are counted: "two", "3"; one where no number is said."""
    said = said.strip().casefold()
    return int(said) if said.isdecimal() else NUMBER_WORDS.get(said, 1)


LEAD = re.compile(
    rf"(?:\b(?P<negation>(?<!\bor\s)not|unlike|instead\s+of|rather\s+than|other\s+than|except(?:\s+for)?"
    rf"|as\s+opposed\s+to|(?:not|n['’]t|never|no\s+longer)\s+(?:mean|use|using|want|have|run|running"
    rf"|asking\s+about|talking\s+about|interested\s+in))\s+)?"
    rf"(?:(?:\b{_BEFORE}|\b(?:(?<!roll )back\s+(?=in\b))?"
    r"(?P<preposition>in|on|for|with|within|inside|under|of|at|by|using|into|onto"
    r"|to|from|off|since|as\s+of|via|through|than|vs\.?|versus|against|about|over))\s+"
    rf"|(?P<pre>\bpre)[\s-])?"
    rf"(?:\b(?:the|our|my|your|an?|both|either|very|old|new|older|newer)\s+){{0,2}}"
    rf"(?P<product>{OWN}+(?:['’]s)?(?:[\s,:_=<>~^@/-]|\bin\b)*)?"
    rf"(?:\b(?P<word>{RELEASE_WORD})[\s.:=#_-]+(?:(?:is|number|no\.?|nr\.?)\s+)?)?"
    rf"(?P<open>[(\[\"'“‘]*)(?P<prefix>(?<![\w.])(?:v|r|ver|rel|release|version)[.\-_]?)?$",
    re.IGNORECASE,
)
"""Everything right before a number that is said together with it; matches any text's end."""

CLOSE = re.compile(r"[)\]\"'”’]+")
TAIL = re.compile(
    r"(?:\+|['’]s\b)?(?:\s+(?P<word>releases?(?!\s+notes)|versions?|series|docs?|documentation|branch"
    r"|train|lines?|lts)\b)?"
    r"(?P<range>\s+(?:and|or)\s+(?:later|newer|above|up|onwards?|higher|greater|earlier|older|below)\b)?",
    re.IGNORECASE,
)
CONTRASTS = re.compile(
    r"\b(?:vs|versus|compar\w+|differ\w*)\b|\bwhat(?:['’]s|\s+is|\s+has)?\s+(?:changed|new)\b"
    r"|\bwhat\s+(?:(?:will|would|does|else)\s+)?(?:breaks?|changes?|happens?|goes\s+away)\b"
    r"|\bwhat\s+(?:do|must|should)\s+\w+\s+(?:(?:have|need)\s+to\s+)?change\b"
    r"|\b(?:did|has|have|does)\b[^?]*\bchanged?\b"
    r"|\b(?:any|some)thing\s+(?:\w+\s+){0,2}(?:remov|deprecat|renam|dropp|chang)\w*",
    re.IGNORECASE,
)
"""Asks for what differs, also of a move from one release to another."""
MOVES = re.compile(
    r"\b(?:(?:up|down)grad\w*|bring\w*|migrat\w*|mov(?:e|ed|ing)|switch\w*|roll\w*[\s-]?back|port(?:ed|ing)"
    r"|updat\w+\s+(?:from|to)|(?:go|going|get|getting|change|changing)\s+(?:\w+\s+){0,2}to)\b",
    re.IGNORECASE,
)
"""Says that somebody moves from one release to another."""
JOINED = re.compile(
    rf"\s*(?P<comma>,)?\s*(?P<join>/|&|\+|->|=>|→|–|-|and|or|vs?\.?|versus|to|through|till|until|with"
    rf"|against|over|from|than|via)?\s*(?:(?:in|on|from|for|the|with|to|both|{RELEASE_WORD}|{OWN}++)\s*)*",
    re.IGNORECASE,
)
"""What may stand between two releases that are named side by side."""

OF_UNIT = re.compile(rf"(?!a\b|v\.?\s*\d){MEASURE}(?!-)", re.IGNORECASE)
"""A unit in any case, behind a number that is no release; "1.4 a" and "1.4 v 2.0" have none."""
BOUNDARY = re.compile(
    r"\s*(?:$|[?.!,;:)\]\"'’”…/&+]|[-–—>]|\n|(?:and|or|vs|versus|but|how|what|which|who|why|when|where"
    r"|is|are|was|were|does|do|did|can|could|should|would|will|has|have|to|with|on|for|in|from|at|as|by"
    r"|the|if|then|because|than|only|please|compared|after|before|since|instead|onwards?|upwards?|now"
    r"|already|still|too|also|yet|please|i|we|you|my|our|it|there|using|supports?|releases?|versions?"
    r"|series|docs|documentation|branch|train|lts)\b)",
    re.IGNORECASE,
)
