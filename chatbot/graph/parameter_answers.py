"""Questions about parameters, answered from the graph: each statement with the page it rests on."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from chatbot.comparison.in_words import table
from chatbot.comparison.wording import Quotes, in_bare_words, in_short
from chatbot.graph.knowledge import cited as citation_of
from chatbot.graph.parameter_questions import Inquiry, Kind, read_inquiry
from chatbot.releases.resolution import ReleaseStatus, cut
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


def answer_from_parameters(
    open_parameters: OpenParameters, releases: Callable[[str], Sequence[str]]
) -> RuleStep:
    """Answer what the graph of the parameters states; pass on whatever it does not know.

    A question that names a release is answered from that one alone. Where none is named, the
    newest release that states what is asked answers, and is named.
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
        if resolution.status is ReleaseStatus.LATEST and inquiry.kind in (
            Kind.SINCE,
            Kind.REPLACED,
        ):
            order = list(releases(product))
            named = tuple(order[: order.index(named[0]) + 1] if named[0] in order else named)
        elif len(named) > 1 and inquiry.kind in (Kind.LIST, Kind.ELSEWHERE):
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
    """Since when a parameter is there, where its page says so, and which releases have it.

    Of a release that has no such parameter nothing is said: it may tell of it in other words.
    """
    told = [(p, fact) for p in _only_one(inquiry, release) if (fact := p.fact(SINCE))]
    if not told or len(told) > _NAMED_APART:
        return None
    quotes, name = Quotes(), as_code(told[0][0].name)
    apart = {fact.value for _, fact in told}
    parts = []
    for parameter, fact in told if len(apart) > 1 else told[:1]:
        of = f" of {as_words(parameter.owner)}" if len(apart) > 1 else ""
        mark = quotes.number(citation_of(fact, release.release))
        parts.append(f"new in {in_short(fact.value)}{of} {mark}")
    lead = f"The documentation of {release.release} says that {name} is {listed(parts)}."
    having = [
        f"{other.release} {quotes.number(citation_of(found[0], other.release))}"
        for other in read
        if (found := other.named(told[0][0].name))
    ]
    if len(read) > 1:
        lead += f" Of the releases here it stands in {listed(having)}."
    return _answer(lead, quotes)


def _replaced(inquiry: Inquiry, release: ReleaseParameters, _: _Read) -> Answer | None:
    """What took the place of a parameter, by its own page or by the release notes."""
    quotes = Quotes()
    for name in inquiry.names:
        told = replacement(name, release)
        found: list[tuple[str, str, Fact | Replacement]] = [
            *((p.name, f.value, f) for p in release.named(name) if (f := p.fact(REPLACED))),
            *([(told.old, told.new, told)] if told and release.named(told.new) else []),
        ]
        if not found:
            continue
        old, new, stated = found[0]
        mark = quotes.number(citation_of(stated, release.release))
        lead = f"In {release.release}, {as_code(new)} takes the place of {as_code(old)} {mark}."
        now = next((p for p in release.named(new) if p.value(DEFAULT)), None)
        if now:
            mark = quotes.number(citation_of(now, release.release))
            lead += f" Its default is {in_short(now.value(DEFAULT))} {mark}."
        return _answer(lead, quotes)
    return None


def _elsewhere(inquiry: Inquiry, release: ReleaseParameters, _: _Read) -> Answer | None:
    """Everything that has a parameter of a name."""
    found = _only_one(inquiry, release)
    if not found:
        return None
    quotes, name = Quotes(), as_code(found[0].name)
    items = []
    for parameter in found[:SHOWN]:
        mark = quotes.number(citation_of(parameter, release.release))
        value = parameter.value(DEFAULT)
        default = f": default {in_short(value)}" if value else ""
        place = " in ".join(
            dict.fromkeys((as_words(parameter.owner), as_words(parameter.place.document)))
        )
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
            quotes.number(citation_of(parameter, release.release)),
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
    """The parameters of the owner that is asked about: it has all its words, and fewest others.

    None where two owners are as near.
    """
    wanted = set(tokens(filtered(inquiry.owner))) - set(tokens(release.product))
    groups: dict[tuple[str, str], list[Parameter]] = {}
    for parameter in release.parameters:
        if inquiry.options == (parameter.kind == OPTION):
            groups.setdefault((parameter.owner, parameter.place.file), []).append(parameter)
    exact = inquiry.owner.removesuffix("()").casefold()
    near: dict[tuple[str, str], tuple[bool, int]] = {}
    for (owner, file), found in groups.items():
        words = set(tokens(owner))
        place = words | set(tokens(found[0].place.document)) | set(tokens(file))
        if owner.casefold() == exact:
            near[owner, file] = False, 0
        elif wanted and wanted <= place:
            near[owner, file] = not wanted <= words, len(words - wanted)
    best = min(near.values(), default=None)
    chosen = [group for group, distance in near.items() if distance == best]
    return tuple(groups[chosen[0]]) if len(chosen) == 1 else ()
