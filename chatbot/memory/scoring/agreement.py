"""Whether an answer has the form, and a value of the kind, that its question asks for."""

import re

from chatbot.memory.scoring.passages import Passage
from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.retrieval.provenance import plain, quantities, whole
from chatbot.text.query_terms import filtered
from chatbot.turn import Answer
from corpora.indexing.lexical import tokens

OTHER_KIND = 0.4
"""What is left of the relevancy of a sentence with a value of another kind than is asked for."""

_ASKS_MEASURE = re.compile(
    r"\bhow (?:long|often|far|fast|hot|cold|tall|wide|heavy)\b"
    r"|\bhow many (?:\w+ )?(?:\w*seconds|minutes|hours|days|weeks|months|years)\b",
    re.I,
)
_ASKS_NUMBER = re.compile(r"\bhow (?:many|much|big|large)\b|\bwhat number\b", re.I)
_ASKS_RANGE = re.compile(
    r"\b(?:range|between|from|limits?|values|allowed|valid|possible|accept\w*|can|may|choices"
    r"|maximum|minimum|max|min|most|least|highest|lowest|largest|smallest|longest|shortest)\b",
    re.I,
)
_SMALL = "one|two|three|four|five|six|seven|eight|nine|ten|twelve"
_IN_WORDS = re.compile(rf"\b(?:{_SMALL}|once|twice|none|no|unlimited|every|each|always)\b", re.I)
_TIME_IN_WORDS = re.compile(
    rf"\b(?:(?:{_SMALL}|an?) (?:\w*seconds?|minutes?|hours?|days?|weeks?|months?|years?)"
    r"|once|twice|unlimited|daily|hourly|weekly|monthly|yearly|always|never|immediately)\b",
    re.I,
)
_OF_DEFAULT = re.compile(r"\bdefault\b", re.I)
_OF_RANGE = re.compile(r"\b(?:range|values|allowed|valid)\b", re.I)
_CHOICE = re.compile(r"\bor\b", re.I)
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


def agreement(question: str, said: str, bearing: Passage) -> float:
    """1 if what is said may be the kind of value that is asked for, else `OTHER_KIND`.

    `bearing` is the passage that it is from. Where nothing is said, the passage is quoted.
    """
    agrees = (
        _of_kind(question, said, bearing)
        and not _repeats(question, said)
        and _of_column(question, said, bearing)
    )
    return 1.0 if agrees else OTHER_KIND


def _of_kind(question: str, said: str, bearing: Passage) -> bool:
    """A figure with its unit for "how long", a number for "how many"."""
    value = said or bearing.read
    if _ASKS_MEASURE.search(question):
        return bool(quantities(value) or _TIME_IN_WORDS.search(value))
    if _ASKS_NUMBER.search(question):
        return any(map(str.isdigit, value)) or _IN_WORDS.search(value) is not None
    return True


def _repeats(question: str, said: str) -> bool:
    """Whether it only repeats the question; choosing one of its alternatives is an answer."""
    words = set(tokens(filtered(said)))
    return bool(words) and words <= set(tokens(question)) and not _CHOICE.search(question)


def _of_column(question: str, said: str, bearing: Passage) -> bool:
    """Whether a sentence may have its value from the columns of a table that it has it from.

    It may not if the question names another column and none of these, or if it tells a range that
    stands beside a default and no range is asked for.
    """
    sentence = plain(said)
    asked = set(tokens(question))
    held = [(h, c) for h, c in bearing.cells if plain(c) and whole(plain(c)).search(sentence)]
    figures = [h for h, cell in held if any(map(str.isdigit, cell))]
    inside = figures or [h for h, _ in held]
    if not inside:
        return True
    # The column by which the question finds its row is not the one that it asks for.
    others = [h for h, cell in bearing.cells if h not in inside and not set(tokens(cell)) <= asked]
    named = any(_named(h, asked) == 1.0 for h in others)
    if named and not any(_named(h, asked) for h in inside):
        return False
    beside_default = any(_OF_DEFAULT.search(h) for h in others)
    range_only = all(_OF_RANGE.search(h) for h in inside)
    return not (beside_default and range_only) or _ASKS_RANGE.search(question) is not None


def _named(header: str, asked: set[str]) -> float:
    own = set(tokens(filtered(header)))
    return len(own & asked) / len(own) if own else 0.0
