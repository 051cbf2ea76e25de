"""The part of a text that asks, and the part that only tells of circumstances."""

from __future__ import annotations

import re

_ASKS = re.compile(
    r"(?:(?:and|but|so|then|now|in|on|at|for|to|with|by|from|after|under) )*"
    r"(?:what|which|how|who|WHO|WHERE|WHEN|WHY|SINCE|WHETHER|HOW[A-Z]+|MAXIMUM|MINIMUM|is|are|does"
    r"|do|did|can|could|may|must|should|will|would|has|have|was|were|am|shall)(?!\S)"
)
_TELLS = re.compile(
    r"(?:(?:and|but|so|then|now|yesterday|today|recently|since) )*"
    r"(?:(?:for|in|on|at|with|as|because|while) (?=(?:i|we|my|our)(?!\S)))?"
    r"(?:i|we|my|our|the|a|an|each|some|one|somebody|someone|there|this|these|per|NOT)(?!\S)"
)
_POINTS_BACK = re.compile(r"(?<!\S)(?:it|its|that|this|they|them|their|those|these|there)(?!\S)")
_SHORT = 4


def parts_of(said: str) -> tuple[str, str]:
    """Part a plain text into what asks and the circumstances; these are empty where in doubt.

    A clause tells of circumstances if it is a sentence about somebody or something, another clause
    asks, and that one does not point back at it.
    """
    clauses = [clause.strip() for clause in said.split("|") if clause.strip()]
    asking = [c for c in clauses if _ASKS.match(c) and len(c.split()) >= _SHORT]
    telling = [
        clause
        for clause in clauses
        if clause not in asking
        and _TELLS.match(clause)
        and (clause.startswith(("i ", "we ")) or len(clause.split()) >= _SHORT)
    ]
    if not asking or not telling or any(map(_POINTS_BACK.search, asking)):
        return said, ""
    rest = [clause for clause in clauses if clause not in telling]
    return " | ".join(rest), " | ".join(telling)
