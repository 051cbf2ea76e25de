"""Whether an answer is of the form that a question asks for: steps, a reason, a list."""

from __future__ import annotations

import re

from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.turn import Answer

_STEP = re.compile(r"^\s*(?:\d+[.)]|[-*])\s|`", re.M)
_TELLS_TO = re.compile(
    r"\b(?:use|run|set|call|enter|type|add|open|choose|replace|by \w+ing"
    r"|you (?:can|must|should|need to|have to))\b",
    re.I,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|reasons?|caused?|therefore|otherwise|in order to|as"
    r"|(?:to|would|can) (?:avoid|prevent|keep|protect|allow|ensure|reduce|save)|(?:un)?less|if|by"
    r" default)\b",
    re.I,
)
_WHY = re.compile(r"\bwhy\b", re.I)
_ITEMS = re.compile(r"^\s*(?:\d+[.)]|[-*|])\s?", re.M)
_ENUMERATED = re.compile(r",|\band\b|\bor\b", re.I)


def fits(question: str, answer: Answer) -> bool:
    """Whether an answer has the form that its question asks for; any will do where it asks none."""
    text, lead = answer.text, answer.value
    match asked_for(question):
        case Kind.STEPS:
            return bool(_STEP.search(text) or _TELLS_TO.search(lead))
        case Kind.EXPLANATION:
            return _REASON.search(lead) is not None or not _WHY.search(question)
        case Kind.LIST | Kind.TABLE:
            return len(_ITEMS.findall(text)) > 1 or _ENUMERATED.search(lead) is not None
        case _:
            return True
