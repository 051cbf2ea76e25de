"""Questions about parameters, answered from what a release states: each with its page."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from chatbot.comparison.in_words import SHOWN
from chatbot.comparison.wording import Quotes, in_bare_words, in_short, table
from chatbot.releases.resolution import ReleaseStatus, cut
from chatbot.retrieval.provenance import cite_stated, names
from chatbot.text.phrasing import word_set
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
    TYPE,
    Fact,
    Parameter,
    Replacement,
)
from corpora.parameters.releases import OpenParameters, ReleaseParameters

_REPLACED = re.compile(
    r"\b(?:replac(?:ed?|es|ement)|superseded|renamed|called now|now called|successor|instead of)\b",
    re.I,
)
_PARAMETERS = word_set("parameters settings arguments fields attributes variables keys properties")
_OPTIONS = word_set("options flags switches")
_ALL_OF = word_set("list show all every each defaults default ranges types values have take accept")


def answer_from_parameters(
    open_parameters: OpenParameters, releases: Callable[[str], Sequence[str]]
) -> RuleStep:
    """Answer which parameters something has, and what took the place of one; pass on the rest.

    Where no release is named, the newest that states a replacement answers, and is named.
    """

    def answer(turn: Turn) -> Turn:
        resolution = turn.resolution
        if resolution is None or resolution.product is None or len(resolution.releases) != 1:
            return turn
        question = cut(turn.question, resolution.mentions)
        (name,) = resolution.releases
        if replacing := _REPLACED.search(question) is not None:
            order = list(releases(resolution.product))
            latest = resolution.status is ReleaseStatus.LATEST and name in order
            asked = order[order.index(name) :: -1] if latest else [name]
        else:
            asked = [name]
        for release in asked:
            with suppress(NoCorpus):
                read = open_parameters(resolution.product, release)
                found = _replaced(question, read) if replacing else _list(question, read)
                if found:
                    of = replace(resolution, releases=(release,))
                    return replace(turn, route=Route.GRAPH, resolution=of, answer=found)
        return turn

    return answer


def _replaced(question: str, release: ReleaseParameters) -> Answer | None:
    """What took the place of a parameter, by its own page or by the release notes."""
    stated: list[tuple[str, str, Fact | Replacement]] = [
        *((p.name, f.value, f) for p in release.parameters if (f := p.fact(REPLACED))),
        *((told.old, told.new, told) for told in release.replacements if release.named(told.new)),
    ]
    found = next((s for s in stated if names(question, s[0])), None)
    if found is None:
        return None
    (old, new, words), quotes = found, Quotes()
    mark = quotes.number(cite_stated(words, release.release))
    lead = f"In {release.release}, {as_code(new)} takes the place of {as_code(old)} {mark}."
    if now := next((p for p in release.named(new) if p.value(DEFAULT)), None):
        mark = quotes.number(cite_stated(now, release.release))
        lead += f" Its default is {in_short(now.value(DEFAULT))} {mark}."
    return Answer(lead, False, quotes.citations, in_bare_words(lead))


def _list(question: str, release: ReleaseParameters) -> Answer | None:
    """All parameters of a function, a command or a section, with what is stated of each."""
    owned = _owned(question, release)
    if not owned:
        return None
    quotes = Quotes()
    columns = [r for r in (DEFAULT, RANGE, TYPE) if any(p.value(r) for p in owned)]
    rows = [
        (
            as_code(parameter.name),
            *(in_short(parameter.value(relation)) or "–" for relation in columns),
            quotes.number(cite_stated(parameter, release.release)),
        )
        for parameter in owned[:SHOWN]
    ]
    kind = "option" if owned[0].kind == OPTION else "parameter"
    first = f", of which these are the first {SHOWN}" if len(owned) > SHOWN else ""
    lead = (
        f"{as_words(owned[0].owner)} ({as_words(owned[0].place.document)}) has {len(owned)} "
        f"{kind}{'s' if len(owned) > 1 else ''} in {release.release}{first}"
    )
    header = (kind.capitalize(), *(relation.capitalize() for relation in columns), "Source")
    text = f"{lead}:\n\n{table(header, rows)}"
    return Answer(text, False, quotes.citations, f"{in_bare_words(lead)}.")


def _owned(question: str, release: ReleaseParameters) -> list[Parameter]:
    """The parameters of the owner that has all words asked for and fewest others, if one has."""
    words = [word.lower() for word in filtered(question).split()]
    options = not _OPTIONS.isdisjoint(words)
    if not options and _PARAMETERS.isdisjoint(words):
        return []
    named = (word for word in words if word not in _PARAMETERS | _OPTIONS | _ALL_OF)
    wanted = set(tokens(" ".join(named))) - set(tokens(release.product))
    groups: dict[tuple[str, str], list[Parameter]] = {}
    for parameter in release.parameters:
        if options == (parameter.kind == OPTION):
            groups.setdefault((parameter.owner, parameter.place.file), []).append(parameter)
    near: dict[tuple[str, str], tuple[bool, int]] = {}
    for (owner, file), found in groups.items():
        own = set(tokens(owner))
        if wanted and wanted <= own | set(tokens(found[0].place.document)) | set(tokens(file)):
            near[owner, file] = not wanted <= own, len(own - wanted)
    best = min(near.values(), default=None)
    chosen = [group for group, distance in near.items() if distance == best]
    return groups[chosen[0]] if len(chosen) == 1 else []
