"""What sort of thing a question wants to be told: a name, a meaning, a time, a number, a value."""

from __future__ import annotations

import re

from chatbot.memory.questions.asking import Asking
from chatbot.memory.questions.wordings import MEANING

_NO_NOUN = r"(?!(?:is|are|was|were|do|does|did|has|have|can)(?!\S))"
_NAMED = re.compile(
    r"(?<!\S)(?:called|named|(?:what|which) (?:is|are|was|were) the names? of)(?!\S)"
    rf"|(?<!\S)(?:what|which) (?:{_NO_NOUN}\S+ )?(?:parameter|setting|option|argument|flag|keyword"
    r"|variable|property|attribute|command|function|method|alarm|error|event|counter)(?!\S)"
)
_TIMES = r"(?:milliseconds?|seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
_UNIT = re.compile(r"(?<!\S)(?:units?|measured in)(?!\S)")
_IN_UNIT = re.compile(rf"(?<!\S)(?:is|are) .*(?<!\S)in (?:{_TIMES}|ms|bytes?)(?!\S)")
_TYPE = re.compile(r"(?<!\S)(?:(?:what|which) (?:data )?type|type of)(?!\S)")
_MEANS = re.compile(
    r"(?<!\S)(?:what (?:does|do|did)(?: \S+)+? (?:do|tell(?: \S+)?|say|control|limit|count)"
    r"(?= \||$| (?:on|in|for|at|to|with|when|if|after|once))"
    r"|what (?:\S+ ){1,4}(?:does|means)(?= \||$)|does what"
    r"|affected|effects?|explain"
    r"|what (?:is|are) (?:an? )?(?!the )[^|\sA-Z]+(?: [^|\sA-Z]+){0,2}(?= \||$))(?!\S)"
)
_HAPPENS = re.compile(
    r"(?<!\S)(?:what happens|what will happen|happens to|what (?:becomes|became|will become) of)"
    r"(?!\S)"
)
_PURPOSE = re.compile(
    r"(?<!\S)(?:what .* for(?= \||$)|what (?:is|are) (?:\S+ ){1,4}used for|purpose)(?!\S)"
)
_NOUN_OF = re.compile(
    r"(?<!\S)what (?:is|are) (?:a|an|the) (?P<noun>[^\W\d_]+) (?:of|for|in)(?!\S)"
)
_WHAT_IS_DONE = re.compile(r"(?<!\S)what (?:is|are|was|were) [a-z]+ed(?!\S)")
_REMEDY = re.compile(r"(?<!\S)(?:remedy|countermeasures?|cure|troubleshooting)(?!\S)")
_SET_TO = re.compile(r"(?<!\S)what (?:values? )?(?:can|could|may) .* (?:to|have|take)(?= \||$)")
_RANGE = re.compile(r"(?<!\S)range (?:of|for|is|does|has|can)(?!\S)")
_OF_MEASURE = re.compile(
    r"(?<!\S)(?:times?|duration|intervals?|periods?|delay|timeout|lifetime|age|number|count|amount"
    r"|size|length|width|height|depth|weight|speed|rate|baud|frequency|temperature|power|voltage"
    r"|current|distance|reach|torque|values?|limits?|thresholds?|percentage|seconds?|minutes?"
    r"|hours?|days?|milliseconds?|fill level|DEFAULT|MAXIMUM|MINIMUM)(?!\S)"
)
_THING = re.compile(r"(?<!\S)(?:what|which) (?P<named>(?:\S+ ?){1,4})")
_NO_THING = re.compile(
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|may|might|must|should|will|would|to|if"
    r"|happens?|of|one|ones|\|)(?!\S)"
)
_AT_MOST = re.compile(rf"(?<!\S)MAXIMUM (?:{_TIMES} )?(?:can|could|may|might)(?!\S)")
_MOST_OF = re.compile(r"(?<!\S)MAXIMUM [a-z]+s (?:can|could|may|might)(?!\S)")
_WHAT = re.compile(r"(?<!\S)(?:what|which)(?!\S)")
"""Beside it a "when" or "where" tells in which case."""
_LEADS = ("HOWLONG", "HOWOFTEN", "HOWMANY", "HOWMUCH", "WHERE", "WHEN")
_ALIKE = frozenset(
    frozenset(pair)
    for pair in (
        *((one, "") for one in (*_LEADS, "THING")),
        ("HOWLONG", "HOWOFTEN"),
        ("HOWLONG", "WHEN"),
        ("HOWMANY", "HOWMUCH"),
        ("WHERE", "THING"),
        ("EFFECT", "MEANING"),
        ("PURPOSE", "MEANING"),
        ("RANGE", ""),
        ("HOWMUCH", "THING"),
    )
)


def wanted(asking: Asking) -> str:
    """Return what a question wants; empty where it is just a value or cannot be told.

    THING is a "which" with a noun that is no measure (which port, what color), "OF drawback" is the
    noun in "what is the drawback of".
    """
    plain = asking.plain
    if _UNIT.search(plain) or (asking.kind == "WHETHER" and _IN_UNIT.search(plain)):
        return "UNIT"
    if _SET_TO.search(plain):
        return ""
    if _RANGE.search(plain):
        return "RANGE"
    if _REMEDY.search(plain):
        return "HOWTO"
    if asking.kind in ("WHY", "HOWTO", "WHO", "SINCE"):
        return asking.kind
    if _NAMED.search(plain):
        return "NAME"
    if _TYPE.search(plain):
        return "TYPE"
    if _HAPPENS.search(plain):
        return "EFFECT"
    if _PURPOSE.search(plain):
        return "PURPOSE"
    if asking.kind != "WHETHER" and (
        _MEANS.search(plain) or {word.canonical for word in asking.words} & MEANING
    ):
        return "MEANING"
    found = [lead for lead in _LEADS if lead in asking.marks]
    if found and not (found[0] in ("WHERE", "WHEN") and _WHAT.search(plain)):
        return found[0]
    if _AT_MOST.search(plain):
        return "HOWLONG"
    if _MOST_OF.search(plain):
        return "HOWMANY"
    noun = _NOUN_OF.search(plain)
    if noun and not _OF_MEASURE.search(noun["noun"]):
        return f"OF {noun['noun']}"
    if _WHAT_IS_DONE.search(plain):
        return "THING"
    thing = _THING.search(plain)
    if thing and not _NO_THING.match(thing["named"]) and not _OF_MEASURE.search(thing["named"]):
        return "THING"
    return ""


def compatible_wants(mine: str, theirs: str) -> bool:
    """Whether two questions that want this may want the same."""
    if mine.startswith("OF ") or theirs.startswith("OF "):
        # Whether the noun stands for a value, the passage tells.
        mine, theirs = ("" if want.startswith("OF ") else want for want in (mine, theirs))
    return mine == theirs or frozenset((mine, theirs)) in _ALIKE
