"""The stated values of a parameter in each release, and the changes of a group of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from chatbot.comparison.wording import Quotes, in_short, table
from chatbot.retrieval.support import cite_stated, names
from chatbot.text.languages import gettext, gettext_noop, ngettext, shown_list
from chatbot.text.sanitizer import as_code, as_words
from chatbot.turn import Answer, Citation, Origin
from corpora.indexing.lexical import tokens
from corpora.parameters.forms import NAME_NOUNS
from corpora.parameters.parameter import DESCRIPTION, UNIT, Fact, Parameter, Replacement
from corpora.parameters.releases import Change, Outcome, ReleaseParameters, changes

SHOWN = 40
"""Rows of a table that are written out."""
_MISSING = "–"
_OUTCOMES = {
    Outcome.NEW: gettext_noop("new"),
    Outcome.CHANGED: gettext_noop("changed"),
    Outcome.GONE: gettext_noop("gone"),
}

_Cell = tuple[str, Citation | None]
"""The text of a table cell, and its citation."""


def stated_values(topic: str, releases: Sequence[ReleaseParameters]) -> list[Answer] | None:
    """The values of a named parameter in each release; None where a release states none."""
    answers = [_stated(topic, release) for release in releases]
    return answers if all(answers) else None  # type: ignore[return-value]


def parameters_named(topic: str, releases: Sequence[ReleaseParameters]) -> list[str]:
    """The names of the parameters that a topic names and says nothing else of, each once.

    What may be said is what kind of thing it is: "the compression setting".
    """
    every = (p for release in releases for p in release.parameters)
    topic = " ".join(word for word in topic.split() if word.lower() not in NAME_NOUNS)
    return list(dict.fromkeys(p.name for p in every if _is_named(topic, p) and _is_on(topic, p)))


def names_in(topic: str, releases: Sequence[ReleaseParameters]) -> str:
    """The words of a topic that are names of parameters of these releases, or values of those."""
    named = {word: [p for of in releases for p in of.named(word)] for word in topic.split()}
    values = _values(chain.from_iterable(named.values()))
    own = (w for w in topic.split() if named[w] or not values.isdisjoint(tokens(w)[:1]))
    return " ".join(own)


def stating_value(topic: str, releases: Sequence[ReleaseParameters]) -> list[Answer | None] | None:
    """What each release states of a parameter that a topic names with a value of one of them.

    None where it names no value that a release states of it.
    """
    for name in dict.fromkeys(topic.split()):
        stated = [p for of in releases for p in of.named(name)]
        values = _values(stated)
        said = [w for w in topic.split() if w == name or not values.issuperset(tokens(w))]
        rest = " ".join(said)
        if rest != topic and any(_is_on(rest, parameter) for parameter in stated):
            return [_stated(rest, release) for release in releases]
    return None


def _values(parameters: Iterable[Parameter]) -> set[str]:
    """The words of what is stated of parameters, other than in sentences."""
    facts = (fact for parameter in parameters for fact in parameter.facts)
    return set(tokens(" ".join(fact.value for fact in facts if fact.relation != DESCRIPTION)))


def _stated(topic: str, release: ReleaseParameters) -> Answer | None:
    quotes, statements = Quotes(), []
    for parameter in release.parameters:
        if _is_named(topic, parameter) and _is_on(topic, parameter):
            values = [
                f"{relation} {in_short(parameter.value(relation))}"
                for relation in _relations(topic, parameter)
                if parameter.value(relation)
            ]
            if values:
                mark = quotes.cite(_cite(parameter.facts[0], release.release))
                statements.append(f"{as_code(parameter.name)}: {', '.join(values)} {mark}.")
    return quotes.answer(" ".join(dict.fromkeys(statements))) if statements else None


def changed_group(topic: str, older: ReleaseParameters, newer: ReleaseParameters) -> Answer | None:
    """The new, changed and removed parameters on a topic, or of all, as a sentence and a table.

    None where there is no change.
    """
    matches = [c for c in changes(older, newer) if _is_on(topic, c.shown)]
    rows = [row for change in matches for row in _rows(topic, change, (older, newer))]
    if not rows:
        return None
    counts = [
        f"{outcome_name(what)}: {_named(of) if topic else len(of)}"
        for what in Outcome
        if (of := [c for c in matches if c.outcome is what])
    ]
    named = {"older": older.release, "newer": newer.release, "counts": "; ".join(counts)}
    if topic:
        lead = gettext("From {older} to {newer}, {counts}.", **named)
    else:
        # What stands in sentences alone is not counted.
        lead = gettext("Settings and other parameters from {older} to {newer}: {counts}.", **named)
    quotes = Quotes()
    shown = [(name, *(_cell(cell, quotes) for cell in cells)) for name, *cells in rows[:SHOWN]]
    left = len(rows) - len(shown)
    more = [ngettext("{number} more differs.", "{number} more differ.", left)] if left else []
    return quotes.answer(lead, table(("", older.release, newer.release), shown), *more)


def outcome_name(outcome: Outcome) -> str:
    """What became of parameters, as a word."""
    return gettext(_OUTCOMES[outcome])


def _named(changed: Sequence[Change]) -> str:
    return shown_list(dict.fromkeys(as_code(change.shown.name) for change in changed))


def _rows(
    topic: str, change: Change, releases: tuple[ReleaseParameters, ReleaseParameters]
) -> Iterator[tuple[str, _Cell, _Cell]]:
    """The differing relations of a changed parameter; of a new or removed one the first fact."""
    older, newer = (release.release for release in releases)
    name, before, after = as_words(change.shown.name), change.before, change.after
    if before and after:
        relations = _relations(topic, after)
        for d in change.differences:
            if d.relation in relations and d.before and d.after:
                old = in_short(d.before), _cite(before.facts[0], older)
                new = in_short(d.after), _cite(after.facts[0], newer)
                yield f"{name}: {as_words(d.relation)}", old, new
        return
    shown = change.shown
    first = next((f for f in shown.facts if f.relation != UNIT), None)
    value = in_short(first.value if first else shown.name)
    cell = value, _cite(first or shown, newer if after else older)
    missing: _Cell = (_MISSING, None)
    if by := change.replaced_by:
        missing = gettext("replaced by {name}", name=as_code(by.new)), _cite(by, newer)
    yield (name, cell, missing) if before else (name, missing, cell)


def _cell(cell: _Cell, quotes: Quotes) -> str:
    text, citation = cell
    return f"{text} {quotes.cite(citation)}" if citation else text


def _is_named(topic: str, parameter: Parameter) -> bool:
    return any(names(topic, name) for name in (parameter.name, *parameter.aliases))


def _is_on(topic: str, parameter: Parameter) -> bool:
    """Whether all words of a topic are the parameter's, its owner's, kind's or relations'."""
    place = parameter.place
    own = (parameter.name, *parameter.aliases, parameter.kind, parameter.owner, place.section)
    relations = (fact.relation for fact in parameter.facts)
    return set(tokens(topic)) <= set(tokens(" ".join((*own, place.document, *relations))))


def _relations(topic: str, parameter: Parameter) -> list[str]:
    """The relations that a topic names, else all but the unit, and the text where that is all."""
    own = [r for r in dict.fromkeys(f.relation for f in parameter.facts) if r != UNIT]
    named = [relation for relation in own if names(topic, relation)]
    short = [relation for relation in own if relation != DESCRIPTION]
    return named or short or own


def _cite(stated: Fact | Parameter | Replacement, release: str) -> Citation:
    return replace(cite_stated(stated, release), origin=Origin.DOCUMENTS)
