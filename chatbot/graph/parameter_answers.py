"""Questions about parameters, answered from the graph: each statement with the page it rests on."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum, auto

from chatbot.comparison.in_words import table
from chatbot.comparison.wording import Quotes, in_bare_words, in_short
from chatbot.graph.knowledge import cited
from chatbot.releases.resolution import ReleaseStatus, cut
from chatbot.retrieval.forms import names_in
from chatbot.retrieval.lifecycle import asks_since
from chatbot.text.phrasing import listed
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Route, RuleStep, Turn
from corpora.catalog.catalog import NoCorpus
from corpora.indexing.lexical import tokens
from corpora.parameters.forms import OPTION
from corpora.parameters.parameter import (
    DEFAULT,
    RANGE,
    REPLACED,
    SINCE,
    TYPE,
    Fact,
    Parameter,
    Replacement,
)
from corpora.parameters.releases import OpenParameters, ReleaseParameters, replacement

SHOWN = 60
"""Parameters up to which an answer lists all; the page of the release has the others."""
_NAMED_APART = 4
"""Parameters of one name up to which each is told in the sentence."""


class Kind(Enum):
    """What is asked of a parameter: since when it is there, say; or for all of one owner."""

    SINCE = auto()
    ELSEWHERE = auto()
    REPLACED = auto()
    LIST = auto()


@dataclass(frozen=True)
class Inquiry:
    """A question about parameters of these `names`, or about all (options) of one owner."""

    kind: Kind
    names: tuple[str, ...]
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
    """Read a question that the graph may answer; None for any other."""
    if len(question) > _LONGEST:
        return None
    since = asks_since(question)
    if since and (names := names_in(question)):
        return Inquiry(Kind.SINCE, tuple(names))
    named = re.compile(rf"\b{re.escape(product)}(?:['’]s)?(?![\w-])", re.I)
    text = named.sub(" ", question if since else _WITH_VALUES.sub("", without_release))
    text = _ENDS.sub("", " ".join(text.split()).strip(" ?.!,:;"))
    for kind in (Kind.SINCE,) if since else (Kind.REPLACED, Kind.ELSEWHERE, Kind.LIST):
        match = next(filter(None, (form.fullmatch(text) for form in _ASKED[kind])), None)
        if match and (thing := _BESIDE.sub("", match["thing"]).strip("`\"'“”‘’ ")):
            category = match["category"].lower() if kind is Kind.LIST else ""
            return Inquiry(kind, (thing,), category.startswith(("option", "flag", "switch")))
    return None


def answer_from_parameters(
    open_parameters: OpenParameters, releases: Callable[[str], Sequence[str]]
) -> RuleStep:
    """Answer what the graph of the parameters states; pass on whatever it does not know.

    Where no release is named, the newest that states what is asked answers, and is named.
    """

    def answer(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.product is None:
            return turn
        bare = cut(turn.question, resolution.mentions)
        inquiry = read_inquiry(turn.question, bare, resolution.product)
        if inquiry is None:
            return turn
        product, named = resolution.product, resolution.releases
        of_history = inquiry.kind in (Kind.SINCE, Kind.REPLACED)
        if resolution.status is ReleaseStatus.LATEST and of_history:
            order = list(releases(product))
            named = tuple(order[: order.index(named[0]) + 1] if named[0] in order else named)
        elif len(named) > 1 and not of_history:
            return turn
        read = []
        for name in named:
            with suppress(NoCorpus):
                read.append(open_parameters(product, name))
        for release in reversed(read):
            if found := _ANSWERS[inquiry.kind](inquiry, release, read):
                single = len(resolution.releases) == 1
                of = replace(resolution, releases=(release.release,)) if single else resolution
                return replace(turn, route=Route.GRAPH, resolution=of, answer=found)
        return turn

    return answer


_Read = Sequence[ReleaseParameters]
"""The releases that may be looked at, the oldest first."""


def _since(inquiry: Inquiry, release: ReleaseParameters, read: _Read) -> Answer | None:
    """Since when a parameter is there, where its page says so, and which releases have it."""
    told = [(p, fact) for p in _only_one(inquiry, release) if (fact := p.fact(SINCE))]
    if not told or len(told) > _NAMED_APART:
        return None
    quotes, name = Quotes(), as_code(told[0][0].name)
    apart = {fact.value for _, fact in told}
    parts = []
    for parameter, fact in told if len(apart) > 1 else told[:1]:
        of = f" of {as_words(parameter.owner)}" if len(apart) > 1 else ""
        mark = quotes.number(cited(fact, release.release))
        parts.append(f"new in {in_short(fact.value)}{of} {mark}")
    lead = f"The documentation of {release.release} says that {name} is {listed(parts)}."
    having = [
        f"{other.release} {quotes.number(cited(found[0], other.release))}"
        for other in read
        if (found := other.named(told[0][0].name))
    ]
    if len(read) > 1:
        lead += f" Of the releases here it stands in {listed(having)}."
    return _answer(lead, quotes)


def _replaced(inquiry: Inquiry, release: ReleaseParameters, _: _Read) -> Answer | None:
    """What took the place of a parameter, by its own page or by the release notes."""
    (name,) = inquiry.names
    told = replacement(name, release)
    found: list[tuple[str, str, Fact | Replacement]] = [
        *((p.name, f.value, f) for p in release.named(name) if (f := p.fact(REPLACED))),
        *([(told.old, told.new, told)] if told and release.named(told.new) else []),
    ]
    if not found:
        return None
    (old, new, stated), quotes = found[0], Quotes()
    mark = quotes.number(cited(stated, release.release))
    lead = f"In {release.release}, {as_code(new)} takes the place of {as_code(old)} {mark}."
    now = next((p for p in release.named(new) if p.value(DEFAULT)), None)
    if now:
        mark = quotes.number(cited(now, release.release))
        lead += f" Its default is {in_short(now.value(DEFAULT))} {mark}."
    return _answer(lead, quotes)


def _elsewhere(inquiry: Inquiry, release: ReleaseParameters, _: _Read) -> Answer | None:
    found = _only_one(inquiry, release)
    if not found:
        return None
    quotes, name = Quotes(), as_code(found[0].name)
    items = []
    for parameter in found[:SHOWN]:
        mark = quotes.number(cited(parameter, release.release))
        value = parameter.value(DEFAULT)
        default = f": default {in_short(value)}" if value else ""
        names = (as_words(parameter.owner), as_words(parameter.place.document))
        place = " in ".join(dict.fromkeys(names))
        items.append(f"- {place}{default} {mark}")
    if len(items) == 1:
        lead = f"In {release.release}, {name} is in one place only, {items[0].removeprefix('- ')}."
        return _answer(lead, quotes)
    lead = f"In {release.release}, {name} is in {len(found)} places{_first(found)}:"
    return _answer(lead, quotes, "\n".join(items))


def _list(inquiry: Inquiry, release: ReleaseParameters, _: _Read) -> Answer | None:
    """All parameters of a function, a command or a section, with what is stated of each."""
    owned = _owned(inquiry, release)
    if not owned:
        return None
    quotes = Quotes()
    columns = [r for r in (DEFAULT, RANGE, TYPE) if any(p.value(r) for p in owned)]
    rows = [
        (
            as_code(parameter.name),
            *(in_short(parameter.value(relation)) or "–" for relation in columns),
            quotes.number(cited(parameter, release.release)),
        )
        for parameter in owned[:SHOWN]
    ]
    kinds = {p.kind for p in owned}
    (kind,) = kinds if len(kinds) == 1 and not kinds & {"property", "key"} else ("parameter",)
    number = f"{len(owned)} {kind}{'s' if len(owned) > 1 else ''}"
    lead = (
        f"{as_words(owned[0].owner)} ({as_words(owned[0].place.document)}) has {number} in "
        f"{release.release}{_first(owned)}:"
    )
    header = (kind.capitalize(), *(relation.capitalize() for relation in columns), "Source")
    return _answer(lead, quotes, table(header, rows))


_ANSWERS = {
    Kind.SINCE: _since,
    Kind.REPLACED: _replaced,
    Kind.ELSEWHERE: _elsewhere,
    Kind.LIST: _list,
}


def _answer(lead: str, quotes: Quotes, *blocks: str) -> Answer:
    value = f"{in_bare_words(lead).rstrip(':')}{'.' if lead.endswith(':') else ''}"
    return Answer("\n\n".join((lead, *blocks)), False, tuple(quotes.citations), value)


def _first(found: Sequence[Parameter]) -> str:
    return f", of which these are the first {SHOWN}" if len(found) > SHOWN else ""


def _only_one(inquiry: Inquiry, release: ReleaseParameters) -> tuple[Parameter, ...]:
    """The parameters of the one name that is asked about; none where several are known."""
    known = [found for name in inquiry.names if (found := release.named(name))]
    return known[0] if len(known) == 1 else ()


def _owned(inquiry: Inquiry, release: ReleaseParameters) -> tuple[Parameter, ...]:
    """The parameters of the owner that has all words asked for and fewest others, if one has."""
    (asked,) = inquiry.names
    wanted = set(tokens(filtered(asked))) - set(tokens(release.product))
    groups: dict[tuple[str, str], list[Parameter]] = {}
    for parameter in release.parameters:
        if inquiry.options == (parameter.kind == OPTION):
            groups.setdefault((parameter.owner, parameter.place.file), []).append(parameter)
    near: dict[tuple[str, str], tuple[bool, int]] = {}
    for (owner, file), found in groups.items():
        words = set(tokens(owner))
        place = words | set(tokens(found[0].place.document)) | set(tokens(file))
        if owner.casefold() == asked.removesuffix("()").casefold():
            near[owner, file] = False, 0
        elif wanted and wanted <= place:
            near[owner, file] = not wanted <= words, len(words - wanted)
    best = min(near.values(), default=None)
    chosen = [group for group, distance in near.items() if distance == best]
    return tuple(groups[chosen[0]]) if len(chosen) == 1 else ()
