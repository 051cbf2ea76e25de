"""How the words of a question stand to one another: from and to, of how many, one or all."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from chatbot.memory.questions.asking import Asking

_PASSIVE = re.compile(r"(?<!\S)(?:is|are|was|were|be|been|being)(?!\S)")
_IMPERSONAL = re.compile(r"(?<!\S)(?:is (?:it|there)|WHETHER)(?!\S)")
_SYMMETRIC = re.compile(r"(?<!\S)(?:and|or|between|together|both|versus|vs)(?!\S)")
_DIRECTIONS = (
    ("from", "off"),
    ("to", "into", "onto"),
    ("than",),
    ("BEFORE",),
    ("INSTEAD",),
    ("with",),
)
_ANY_DIRECTION = frozenset(word for words in _DIRECTIONS for word in words)
_FEW = 2
_COUNTED = re.compile(
    r"(?<!\S)(?:MAXIMUM|HOWMANY|MINIMUM)"
    r"(?= (?:\S+ )*?(?:can|could|may|might|has|have|holds?|fits?)(?!\S))"
)
_WHOLE = frozenset(("all", "entire", "whole", "complete", "everything", "everybody", "everyone"))
_ONE = frozenset(("one", "single", "my", "own"))
_SINGLE = frozenset(("a", "an", "another", "next", "current"))


def of_order(a: Asking, b: Asking) -> str:
    """What stands after "from", "to", "than" in one and elsewhere in the other; who does what."""
    said = "the questions say the same words of one another the other way round"
    all_a, all_b = ({word.canonical for word in q.words} for q in (a, b))
    for direction in _DIRECTIONS:
        mine, theirs = _after(a, direction), _after(b, direction)
        if mine and theirs and not mine & theirs and mine <= all_b and theirs <= all_a:
            return said
    counts_a, counts_b = (Counter(word.canonical for word in q.words) for q in (a, b))
    # What is asked for by default is one value, however often its parameter is named.
    is_value = "DEFAULT" in a.marks & b.marks
    same_words = counts_a.keys() == counts_b.keys() and len(counts_a) > _FEW
    if same_words and counts_a != counts_b and not is_value:
        return said
    if _turned_round(a, b):
        return said
    order_a, order_b = ([word.canonical for word in q.words] for q in (a, b))
    if sorted(order_a) != sorted(order_b) or order_a == order_b:
        return ""
    if _IMPERSONAL.search(f"{a.plain} {b.plain}"):
        return ""
    if _SYMMETRIC.search(a.plain) or bool(_PASSIVE.search(a.plain)) != bool(
        _PASSIVE.search(b.plain)
    ):
        return ""
    return said if a.kind in ("WHETHER", "WHY") else ""


def _turned_round(a: Asking, b: Asking) -> bool:
    """How many users can a team have, how many teams can a user have?"""
    mine, theirs = _counted(a), _counted(b)
    if len(mine) < _FEW or len(theirs) < _FEW:
        return False
    (x, *rest_x), (y, *rest_y) = mine, theirs
    return x != y and x in rest_y and y in rest_x


def _counted(asking: Asking) -> list[str]:
    """What is counted, and the words after it."""
    match = _COUNTED.search(asking.plain)
    if match is None:
        return []
    start = len(asking.plain[: match.end()].split())
    return [word.canonical for word in asking.words if word.at >= start]


def _after(asking: Asking, direction: Sequence[str]) -> set[str]:
    """The words of content right after the words of a direction."""
    said = asking.plain.split()
    found = set()
    for at, one in enumerate(said):
        if one in direction:
            end = at + 1
            while end < min(at + 4, len(said)) and said[end] not in _ANY_DIRECTION:
                end += 1
            found |= {word.canonical for word in asking.words if at < word.at < end}
    return found


def of_quantity(a: Asking, b: Asking) -> str:
    """One, both, or all of them: "my sessions" and "everybody's"."""
    mine, theirs = (frozenset(q.plain.split()) for q in (a, b))
    for some, others in ((mine, theirs), (theirs, mine)):
        whole = some & _WHOLE or (a.kind == "HOWTO" and "per" in some)
        if whole and others & _ONE and not some & _ONE and not others & _WHOLE:
            return "one question asks about one, the other about all of them"
        if "both" in some and others & _ONE and not some & _ONE:
            return "one question asks about one, the other about both"
        single = others & _SINGLE and not some & _SINGLE and not others & _WHOLE
        if some & _WHOLE and single and a.kind in ("HOWTO", "WHETHER"):
            return "only one question asks about all of them"
    return ""
