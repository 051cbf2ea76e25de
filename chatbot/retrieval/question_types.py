"""The kind of a question, which is the expected form of its answer, by its words.

A capable model needs no such hint. A small one does, and retrieval weighs blocks of that form.
"""

import re
from enum import StrEnum

from ingestion.page import BlockKind


class QuestionType(StrEnum):
    """The expected form of an answer."""

    VALUE = "value"
    STEPS = "steps"
    LIST = "list"
    DEFINITION = "definition"
    YES_NO = "yes_no"
    EXPLANATION = "explanation"
    CHANGE = "change"


FORMS = {
    QuestionType.STEPS: (BlockKind.CODE, BlockKind.LIST_ITEM),
    QuestionType.LIST: (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.DEFINITION),
    QuestionType.DEFINITION: (BlockKind.SIGNATURE, BlockKind.DEFINITION),
}
"""The blocks that an answer of a kind is made of, where it is more than a sentence."""

_OPENING = re.compile(
    r"^(?:[\s,.!:;–]|-(?=\s)|(?:hi|hello|hey|please|so|and|but|also|ok|thanks|tell me|show me|"
    r"(?:can|could) you(?= (?:please |pls )?(?:tell|show|list|explain|give|name|describe))|"
    r"i (?:want|need|would like) to know)\b)+",
    re.I,
)
_PATTERNS = tuple(
    (re.compile(pattern, re.I), kind)
    for pattern, kind in (
        (
            r"\bhow (?:do|can|could|should|would|must|to|i|we)\b"
            r"|\b(?:steps?|procedure|instructions)\b|\bin (?:what|which|the right) order\b"
            r"|\bwhat (?:do|must|should|can) (?:i|we|you)\b|^(?:i|we) (?:want|need|would like) to\b"
            r"|\b(?:example|snippet|code) (?:of|for|to|that)\b",
            QuestionType.STEPS,
        ),
        (r"\bwhy\b|\breasons?\b|\bcauses?\b", QuestionType.EXPLANATION),
        (
            r"\bchang|\bdiffer|\bcompare|\bnew in\b|\bwhat'?s new\b|\brelease notes\b"
            r"|\b(?:since|from|until|as of|in) (?:which|what|when)\b"
            r"|\b(?:removed|renamed|added|deprecated|dropped|introduced|fixed)\b",
            QuestionType.CHANGE,
        ),
        (
            r"^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|need)\b"
            r"|[,.:;] (?:is|are|do|does|did|can|may|must|should|will) \w",
            QuestionType.YES_NO,
        ),
        (r"\bhow (?:does|did|is|are)\b|\bwhat happens\b", QuestionType.EXPLANATION),
        (r"\bhow \w+\b|\b(?:default|maximum|minimum|max|min|limit)\b", QuestionType.VALUE),
        (
            r"\b(?:list|table|overview|all|each|every)\b|\b(?:kinds?|types?) of\b"
            r"|\bwhich [\w-]+[^\Wsiu]s\b(?! (?:is|was|has|does)\b)"
            r"|\b(?:which|what) (?:[\w-]+ ){0,3}[\w-]+[^\Wsiu]s"
            r"(?: (?:are|were|can|do|does|should|must|may|have|of|for|in|on|to|is there)\b|\W*$)",
            QuestionType.LIST,
        ),
        (
            r"^(?:what(?:'?s| is| are| does| do)|define|explain|describe)\b|\bmeans?\b",
            QuestionType.DEFINITION,
        ),
    )
)
"""Patterns for the kind of a question; the first that fits decides."""


def without_opening(question: str) -> str:
    """The question without its opening, such as greetings and "can you tell me"."""
    return _OPENING.sub("", question.replace("’", "'"))


def stated_type(question: str) -> QuestionType | None:
    """The kind that the words of a question state; None where they state none."""
    text = without_opening(question)
    return next((kind for pattern, kind in _PATTERNS if pattern.search(text)), None)


def question_type(question: str, subject: str = "") -> QuestionType:
    """The kind of a question by its words alone; a value where they state none.

    For a follow-up that states none ("and in 2.0?") the words of the whole `subject` decide,
    which takes over what was asked before.
    """
    return stated_type(question) or stated_type(subject) or QuestionType.VALUE
