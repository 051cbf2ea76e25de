"""What is asked: one classifier, by the passage that answers best and the question's words."""

import re
from enum import StrEnum

from chatbot.retrieval.forms import asks_for_rows
from chatbot.retrieval.passages import Passage
from chatbot.turn import Queries
from ingestion.page import BlockKind


class Kind(StrEnum):
    """What a question wants to be told, which decides the form of its answer."""

    VALUE = "value"
    STEPS = "steps"
    LIST = "list"
    TABLE = "table"
    DEFINITION = "definition"
    YES_NO = "yes_no"
    EXPLANATION = "explanation"
    CHANGE = "change"


FORMS = {
    Kind.STEPS: (BlockKind.CODE, BlockKind.LIST_ITEM),
    Kind.LIST: (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW, BlockKind.DEFINITION),
    Kind.TABLE: (BlockKind.TABLE_ROW,),
    Kind.DEFINITION: (BlockKind.SIGNATURE, BlockKind.DEFINITION),
}
"""The blocks that an answer of a kind is made of, where it is more than a sentence."""

_OPENING = re.compile(
    r"^(?:(?:hi|hello|hey|please|pls|ok(?:ay)?|so|and|but|also|now|then|well|thanks?|thank you)\b"
    r"[\s,!.]*"
    r"|(?:can|could|would|will) (?:you|u|anyone|someone|somebody) (?:please |pls )?"
    r"(?=(?:tell|explain|show|list|give|describe|say|name|help)\b)"
    r"|(?:i(?:'d| would)? (?:want|need|like)|i'm trying|trying|want|need|looking)"
    r" (?:to know|to understand)\b\s*"
    r"|(?:please )?(?:tell|show) (?:me|us)\s+)+",
    re.I,
)
_AROUND = re.compile(r"^(?:[\s,;:–]|-(?=\s))+|[\s,;:–-]+$")
"""What stands around a question and says nothing; the dashes of an option do."""
_STEPS = re.compile(
    r"\bhow (?:do|can|could|should|would|must|does (?:one|someone)|to|might)\b"
    r"(?! (?:\w+ ){1,3}work\b)"
    r"|\b(?:steps?|procedure|instructions?|walk me|guide me|way|recipe) (?:to|for|through|of)\b"
    r"|\b(?:right|safe|correct|proper) order\b"
    r"|\bstep by step\b|\bin (?:what|which) order\b|\b(?:what|which) (?:are the )?steps\b"
    r"|\bwhat (?:do|must|should|would) (?:i|we|you) (?:have|need) to \w+"
    r"|\bwhat (?:do|must|should|would|can) (?:i|we|you) (?:then |now )*"
    r"(?:do|change|rewrite|replace|write|run|call|type|install|configure|put|add)\b"
    r"|\bhow (?:i|we|you) (?:can|do|could|should)\b"
    r"|^(?:please )?(?:replac|reset|upgrad|install|configur|enabl|disabl|remov|migrat|restor|creat"
    r"|renam|connect|set ?up|back ?up)(?:e|ing)? (?:the|an?|my|our|your|all)\b"
    r"|^(?:i|we) (?:want|need|would like|'d like|am trying|are trying) to\b",
    re.I,
)
_MEASURE = re.compile(
    r"\bhow (?:many|much|long|often|big|large|far|fast|high|deep|old|soon|late)\b"
    r"|\b(?:default|maximum|minimum|max|min|limit|size|length|number|value|count|timeout|interval|"
    r"port|range|version|unit|rate|delay|capacity|temperature|weight|height|width|depth)\b",
    re.I,
)
_WHY = re.compile(
    r"\bwhy\b|\bhow come\b|\b(?:what|which)(?:'?s| is| are| was)? (?:the )?(?:reasons?|causes?)\b"
    r"|\bwhat(?:'?s| is) going on\b",
    re.I,
)
_CHANGE = re.compile(
    r"^(?:all )?\w+s (?:that (?:are|were) )?(?:removed|renamed|added|deprecated|dropped|changed)\b|"
    r"\b(?:what|which|anything|something|things?)\b[^?]*\b(?:chang(?:ed?|es)|new|added|removed|"
    r"renamed|deprecated|dropped|differ\w*|fixed|introduced)\b"
    r"|\b(?:changes|differences?|differ|compare[ds]?|comparison|changelog|release notes?|"
    r"what'?s new|new features?|new in)\b"
    r"|\b(?:since|from|until|as of) (?:which|what|when)\b|\bwhat(?:ever)? happen\w* to\b"
    r"|\b(?:in|with) (?:which|what) (?:\w+ )?(?:releases?|versions?)\b"
    r"|\b(?:did|does|do|will)\b[^?]*\bchange\b(?=\s*(?:\?|$|in|since|from|between|with))"
    r"|\b(?:was|were|has|have|been|is|are|got|did|get|when)\b[^?]*(?<!\bbe )\b(?:changed|"
    r"added|removed|renamed|deprecated|dropped|introduced|fixed|no longer)\b",
    re.I,
)
_YES_NO = re.compile(
    r"(?:^|[.!:;] +)(?:(?:in|with|on|for|under|using|as of|since|from)\b[^?]{0,50}?[,:] +"
    r"|(?:if|when|once|after|before|while)\b[^?]*?, +)?"
    r"(?:is|are|was|were|do|does|did|can|could|may|must|should|shall|will|would|has|have|had|"
    r"am|isn't|aren't|doesn't|don't|can't|need|any(?! of))\b"
    r"(?! (?:you|u|anyone) (?:tell|explain|show|list|give))"
    r"|^(?!.*\b(?:wh(?:at|ich|y|en|ere|o)|how)\b).*\b(?:still|supported|allowed|possible|required"
    r"|needed|available|compatible|necessary|mandatory)\b.*\?$",
    re.I,
)
_LIST = re.compile(
    r"\blist\b|\ball (?:the|of|possible|available|supported)\b|\b(?:kinds?|types?|sorts?) of\b"
    r"|\b(?:which|what) (?:are|were) (?:all |the |some )*(?:\w+ ){1,3}?[^\W_]+[^\W_siu]s\b"
    r"|\b(?:which|what) (?:[\w-]+ ){0,3}?[^\W_]+[^\W_siu]s"
    r"(?= (?:are|were|can|could|does|do|did|exist|should|must|may|have|is there)\b"
    r"| (?:of|for|in|on|to)\b|\s*\??$)"
    r"|\bwhich [\w-]+[^\Wsiu]s\b(?! (?:is|was|has|does)\b)",
    re.I,
)
_DEFINITION = re.compile(
    r"^(?:what(?: exactly)?(?: is|'?s| are| was| does| do)|define|explain|describe|purpose)\b"
    r"|\bwhat\b[^?]*\b(?:mean|for|do|does|stand for)\s*\??$"
    r"|\bwhat is (?:it|that|this|used for)\b|\bmeaning\b",
    re.I,
)
_ASKED = (
    (_STEPS, Kind.STEPS),
    (_WHY, Kind.EXPLANATION),
    (_CHANGE, Kind.CHANGE),
    (_YES_NO, Kind.YES_NO),
    (
        re.compile(r"\bhow (?:does|do|did|is|are|will)\b|\bwhat happens\b", re.I),
        Kind.EXPLANATION,
    ),
    (re.compile(r"\btable\b|\b(?:overview|matrix)\b|\beach\b", re.I), Kind.TABLE),
    (re.compile(r"\bhow (?:many|much)\b", re.I), Kind.VALUE),
    (_LIST, Kind.LIST),
    (_MEASURE, Kind.VALUE),
    (_DEFINITION, Kind.DEFINITION),
)
"""What a question wants by its words; the first that fits decides."""


def without_opening(question: str) -> str:
    """The question without greetings and what only leads to it: "hi, can you tell me"."""
    return _OPENING.sub("", _AROUND.sub("", question).replace("’", "'"))


def asked_for(question: str, subject: str = "") -> Kind:
    """What a question wants by its words alone; a value where nothing says otherwise.

    Of a follow-up that says nothing of it ("and in 2.0?") the words of the whole `subject` decide,
    which takes over what was asked before.
    """
    return kind_said(question) or kind_said(subject) or Kind.VALUE


def kind_said(question: str) -> Kind | None:
    """What the words of a question say that it wants; None where they do not."""
    text = without_opening(question)
    return next((kind for pattern, kind in _ASKED if pattern.search(text)), None)


def kind_of(queries: Queries, best: Passage) -> Kind:
    """What a question wants, seen beside the passage that answers it best.

    A list that stands in a table is answered by its rows. A few words that ask for nothing by
    themselves want the steps, the rows or the description that the passage consists of.
    """
    subject = queries.subject
    kind = asked_for(queries.asked, subject)
    in_rows = best.has(BlockKind.TABLE_ROW)
    if kind in (Kind.LIST, Kind.TABLE):
        return Kind.TABLE if in_rows else Kind.LIST
    if kind is not Kind.VALUE:
        return kind
    measured = _MEASURE.search(subject)
    if not measured and best.is_numbered:
        return Kind.STEPS
    if in_rows and asks_for_rows(subject, best):
        return Kind.TABLE
    return Kind.DEFINITION if not measured and best.has(BlockKind.SIGNATURE) else kind
