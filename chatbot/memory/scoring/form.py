"""Whether an answer has the form that its question asks for."""

import re

from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.turn import Answer

_BLOCKS = re.compile(r"^\s*(?:\d+[.)]|[-*|])\s?|`", re.M)
_TELLS_TO = re.compile(
    r"\b(?:use|run|set|call|enter|type|add|open|choose|replace|by \w+ing"
    r"|you (?:can|must|should|need to|have to))\b",
    re.I,
)
_REASON = re.compile(
    r"\b(?:because|since|so that|due to|reasons?|caused?|therefore|otherwise|in order to|as"
    r"|(?:to|would|can) (?:avoid|prevent|keep|protect|allow|ensure|reduce|save)|(?:un)?less|if)\b",
    re.I,
)
_WHY = re.compile(r"\bwhy\b", re.I)
_ENUMERATED = re.compile(r",|\band\b|\bor\b", re.I)


def has_form(question: str, answer: Answer) -> bool:
    """Whether it has steps, items or a reason where they are asked for; else any form will do."""
    blocks = len(_BLOCKS.findall(answer.text))
    match asked_for(question):
        case Kind.STEPS:
            return blocks > 0 or _TELLS_TO.search(answer.value) is not None
        case Kind.LIST | Kind.TABLE:
            return blocks > 1 or _ENUMERATED.search(answer.value) is not None
        case Kind.EXPLANATION if _WHY.search(question):
            return _REASON.search(answer.value) is not None
        case _:
            return True
