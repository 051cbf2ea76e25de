"""Is a question one that the graph of the parameters answers by itself, and about what?

It asks since when a parameter is there, where else it is, what replaced it, or for all parameters
of something. The name must be one that the graph knows: that is looked up by whoever answers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice

from chatbot.retrieval.forms import names_in
from chatbot.retrieval.lifecycle import asks_since


class Kind(Enum):
    """What is asked of a parameter, or of what owns some."""

    SINCE = auto()
    ELSEWHERE = auto()
    REPLACED = auto()
    LIST = auto()


@dataclass(frozen=True)
class Inquiry:
    """A question about the parameters `names`, any of which it may mean, or those of `owner`.

    `options` where options are asked for, and not what is set in a file.
    """

    kind: Kind
    names: tuple[str, ...] = ()
    owner: str = ""
    options: bool = False


_LONGEST = 200
_CATEGORY = (
    r"(?:parameters?|options?|settings?|arguments?|flags?|switch(?:es)?|fields?|attributes?"
    r"|variables?|keys?|commands?|properties|property|directives?)"
)
_THING = r"(?P<thing>\S.{0,78}?)"
_AUX = r"(?:is|are|was|were|has|have|had|been|does|did|do|can|should|could|must|got)"
_FORMS = {
    Kind.SINCE: (
        rf"(?:since|from|as of|in) (?:when|(?:which|what) (?:release|version)) {_AUX} (?:there )?"
        rf"{_THING}(?: (?:been )?(?:there|available|supported|present|added|introduced|exist))?",
        rf"when {_AUX} {_THING} (?:been )?(?:added|introduced|new)",
    ),
    Kind.REPLACED: (
        rf"what (?:{_AUX} )?(?:replaced?|replaces|superseded?s?) {_THING}",
        rf"(?:what|which \w+) {_AUX} (?:the |a )?(?:replacement|successor|substitute|new name) "
        rf"(?:for|of|to) {_THING}",
        rf"(?:what|which \w+) {_AUX} {_THING} (?:been )?(?:replaced|superseded|renamed|called)"
        r"(?: by| with| to| as| now)?",
        rf"what {_AUX} (?:i|we|you|one) (?:now )?(?:use|set|write) (?:now )?instead of {_THING}",
        rf"what (?:is|are) (?:there |used )?instead of {_THING}",
    ),
    Kind.ELSEWHERE: (
        rf"where else {_AUX} (?:(?:i|we|you|one) (?:set|use|give|find|have) )?{_THING}"
        r"(?: (?:be )?(?:used|documented|set|found|appear|occur|exist|defined|available|there))?",
        rf"(?:what|which) (?:else|other [\w ]{{1,30}}) (?:has|have|takes?|accepts?|knows?|uses?) "
        rf"{_THING}",
    ),
    Kind.LIST: (
        rf"(?:please )?(?:list|show|name|give|tell|enumerate)(?: me| us)? (?:all|every|each|the)"
        rf"(?: of)?(?: the)? (?P<category>{_CATEGORY}) (?:of|for|in|under|on|to) {_THING}",
        rf"(?:what|which) (?:all )?(?:are|is) (?:all |the |all the )?(?P<category>{_CATEGORY}) "
        rf"(?:of|for|in|to) {_THING}",
        rf"(?:what|which) (?P<category>{_CATEGORY}) (?:does|do|can|has|have) {_THING}"
        r"(?: (?:have|take|accept|support|know|offer))?",
    ),
}
_ASKED = {kind: tuple(re.compile(form, re.I) for form in forms) for kind, forms in _FORMS.items()}
_WITH_VALUES = re.compile(
    r",? (?:with|and|along with|together with|including) (?:(?:its|their|the|all|each) )*"
    r"(?:defaults?|values?|ranges?|units?|types?)\b.*$",
    re.I,
)
_ENDS = re.compile(r"(?:\s+(?:in|of|since|with|for|from|on|as of|there|now|any ?more))+$", re.I)
_BESIDE = re.compile(rf"^(?:(?:the|a|an|my|our)\s+)*(?:{_CATEGORY}\s+)?|\s+{_CATEGORY}$", re.I)


def read_inquiry(question: str, without_release: str, product: str) -> Inquiry | None:
    """Read a question that the graph may answer; None for any other.

    `without_release` is the question without the words that name a release; "since when" are such.
    """
    if len(question) > _LONGEST:
        return None
    if asks_since(question):
        names = names_in(question) or [thing for thing, _ in _things(Kind.SINCE, question, product)]
        return Inquiry(Kind.SINCE, tuple(names)) if names else None
    for kind in (Kind.REPLACED, Kind.ELSEWHERE):
        if names := [thing for thing, _ in _things(kind, without_release, product)]:
            return Inquiry(kind, tuple(names))
    for owner, match in _things(Kind.LIST, _WITH_VALUES.sub("", without_release), product):
        options = match["category"].lower().startswith(("option", "flag", "switch"))
        return Inquiry(Kind.LIST, owner=owner, options=options)
    return None


def _things(kind: Kind, question: str, product: str) -> Iterator[tuple[str, re.Match[str]]]:
    """What the first form that a question has is about."""
    named = re.compile(rf"\b{re.escape(product)}(?:['’]s)?(?![\w-])", re.I)
    text = " ".join(named.sub(" ", question).split()).strip(" ?.!,:;")
    text = _ENDS.sub("", text)
    found = filter(None, (form.fullmatch(text) for form in _ASKED[kind]))
    for match in islice(found, 1):
        if thing := _BESIDE.sub("", match["thing"]).strip("`\"'“”‘’ "):
            yield thing, match
