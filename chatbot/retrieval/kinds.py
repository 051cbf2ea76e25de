"""What is asked: the form of an answer, by the question's words and where these say nothing, none.

A capable model needs no such hint. A small one does, and retrieval weighs blocks of that form.
"""

import re
from enum import StrEnum

from ingestion.page import BlockKind


class Kind(StrEnum):
    """What a question wants to be told, which decides the form of its answer."""

    VALUE = "value"
    STEPS = "steps"
    LIST = "list"
    DEFINITION = "definition"
    YES_NO = "yes_no"
    EXPLANATION = "explanation"
    CHANGE = "change"


FORMS = {
    Kind.STEPS: (BlockKind.CODE, BlockKind.LIST_ITEM),
    Kind.LIST: (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.DEFINITION),
    Kind.DEFINITION: (BlockKind.SIGNATURE, BlockKind.DEFINITION),
}
"""The blocks that an answer of a kind is made of, where it is more than a sentence."""

_OPENING = re.compile(
    r"^(?:[\s,.!:;–]|-(?=\s)|(?:hi|hello|hey|please|so|and|but|also|ok|thanks|tell me|show me|"
    r"(?:can|could) you(?= (?:please |pls )?(?:tell|show|list|explain|give|name|describe))|"
    r"i (?:want|need|would like) to know)\b)+",
    re.I,
)
_ASKED = tuple(
    (re.compile(pattern, re.I), kind)
    for pattern, kind in (
        (
            r"\bhow (?:do|can|could|should|would|must|to|i|we)\b"
            r"|\b(?:steps?|procedure|instructions)\b|\bin (?:what|which|the right) order\b"
            r"|\bwhat (?:do|must|should|can) (?:i|we|you)\b|^(?:i|we) (?:want|need|would like) to\b"
            r"|\b(?:example|snippet|code) (?:of|for|to|that)\b",
            Kind.STEPS,
        ),
        (r"\bwhy\b|\breasons?\b|\bcauses?\b", Kind.EXPLANATION),
        (
            r"\bchang|\bdiffer|\bcompare|\bnew in\b|\bwhat'?s new\b|\brelease notes\b"
            r"|\b(?:since|from|until|as of|in) (?:which|what|when)\b"
            r"|\b(?:removed|renamed|added|deprecated|dropped|introduced|fixed)\b",
            Kind.CHANGE,
        ),
        (
            r"^(?:is|are|was|were|do|does|did|can|could|may|must|should|will|would|has|have|need)\b"
            r"|[,.:;] (?:is|are|do|does|did|can|may|must|should|will) \w",
            Kind.YES_NO,
        ),
        (r"\bhow (?:does|did|is|are)\b|\bwhat happens\b", Kind.EXPLANATION),
        (r"\bhow \w+\b|\b(?:default|maximum|minimum|max|min|limit)\b", Kind.VALUE),
        (
            r"\b(?:list|table|overview|all|each|every)\b|\b(?:kinds?|types?) of\b"
            r"|\bwhich [\w-]+[^\Wsiu]s\b(?! (?:is|was|has|does)\b)"
            r"|\b(?:which|what) (?:[\w-]+ ){0,3}[\w-]+[^\Wsiu]s"
            r"(?: (?:are|were|can|do|does|should|must|may|have|of|for|in|on|to|is there)\b|\W*$)",
            Kind.LIST,
        ),
        (
            r"^(?:what(?:'?s| is| are| does| do)|define|explain|describe)\b|\bmeans?\b",
            Kind.DEFINITION,
        ),
    )
)
"""What a question wants by its words; the first that fits decides."""


def without_opening(question: str) -> str:
    """The question without greetings and what only leads to it: "hi, can you tell me"."""
    return _OPENING.sub("", question.replace("’", "'"))


def kind_said(question: str) -> Kind | None:
    """What the words of a question say that it wants; None where they do not."""
    text = without_opening(question)
    return next((kind for pattern, kind in _ASKED if pattern.search(text)), None)


def asked_for(question: str, subject: str = "") -> Kind:
    """What a question wants by its words alone; a value where nothing says otherwise.

    Of a follow-up that says nothing of it ("and in 2.0?") the words of the whole `subject` decide,
    which takes over what was asked before.
    """
    return kind_said(question) or kind_said(subject) or Kind.VALUE
