"""What the asker has, told beside the question: "We run 17.10. Which port is it in 18.00?"."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ASKING = (
    r"(?:how|what|which|who|where|why|when|whether|is|are|does|do|did|can|could|should|would|will|may"
    r"|must)"
)
_END = re.compile(
    rf"[.:;!?\n](?=\s|$)|\)|\s\(|(?:,|\s[-–—])(?=\s+(?:so\s+|and\s+)?{_ASKING}\b)", re.IGNORECASE
)
_NO_STATEMENT = re.compile(
    r"\b(?:how|what|which|who|where|why|when|whether|if|tell|tells|list|show|give|explain|describe|compare"
    r"|check)\b|\bhave\s+(?:to|an?\s+(?:\w+\s+)?(?:question|problem|issue))\b",
    re.IGNORECASE,
)
_STILL = r"(?:(?:still|all|now|just|currently|already|also|both|only|mostly|today)\s+)*"
_SITUATION = re.compile(
    rf"\W*(?:\w+\W+){{0,4}}?(?:(?:we|i|they)\s+{_STILL}(?:have|had|run|ran|use|used|operate|know|got"
    rf"|stay|started|(?:am|are|were)\s+{_STILL}(?:on|at|in|with|running|using|going|moving|staying))\b"
    rf"|(?:we|i|they)['’](?:ve\b|(?:re|m)\s+{_STILL}(?:on|at|in|with|running|using|going|moving|staying)\b)"
    r"|(?:our|my|their)\s+(?:\w+\s+){1,4}(?:is|are|run|runs|use|uses|has|have)\b)"
    r"|\W*(?:in|on|with|under)\s.*\b(?:it|this|that|there|the\s+\w+(?:\s+\w+)?)\s+"
    r"(?:is|are|was|were|had|has|took|worked|did)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\?+(?:\s|$)")
_WEIGHS = re.compile(
    r"\b(?:same|than|like|alike|identical|interwork\w*|interoperat\w*|compatib\w*|mix\w*|together)\b"
    r"|\bor\s+(?:do|does|is|are|must|should|will|can|only|not|first|in|on|with|from|since|just)\b",
    re.IGNORECASE,
)
_JOINS = re.compile(r"[^\s.:;!?]\s*,?\s+(?:and|or|also|only|too)\s+$", re.IGNORECASE)
_NEEDS = re.compile(r"\b(?:need|requir|wait)\w*\s+$", re.IGNORECASE)
_PLACED = re.compile(r"(?:in|on|under|with)\s", re.IGNORECASE)


def find_situations(text: str) -> list[tuple[int, int]]:
    """Return where a masked question tells what the asker has, if one question comes beside it."""
    if len(_ASKS.findall(text)) > 1:
        return []
    return [
        (start, end)
        for start, end, closed_by in _sentences(text)
        if closed_by != "?"
        and _SITUATION.match(text, start, end)
        and not _NO_STATEMENT.search(text, start, end)
    ]


def weighs_up(text: str, mention: int) -> bool:
    """Say whether a question weighs a release, mentioned there, against what the asker has."""
    before = text[max(0, mention - 48) : mention]
    needs = _NEEDS.search(before) and not _PLACED.match(text, mention)
    return bool(needs or _WEIGHS.search(text) or _JOINS.search(before))


def _sentences(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for end in _END.finditer(text):
        yield start, end.start(), end[0][0]
        start = end.end()
    yield start, len(text), ""
