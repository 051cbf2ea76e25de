"""Changes of a parameter from one release to another, in words."""

from chatbot.text.languages import gettext, gettext_noop
from corpora.parameters.parameter import DEFAULT, DESCRIPTION, RANGE, SYNTAX, TYPE, UNIT
from corpora.parameters.releases import Change, Outcome

_SHOWN_FIRST = (DEFAULT, RANGE, TYPE, SYNTAX)
_SHORT, _MOST = 60, 4
_OWN_NAMES = {
    gettext_noop("default"),
    gettext_noop("unit"),
    gettext_noop("range"),
    gettext_noop("type"),
    gettext_noop("syntax"),
    gettext_noop("introduced in"),
    gettext_noop("deprecated"),
    gettext_noop("replaced by"),
    gettext_noop("description"),
    gettext_noop("parameter"),
    gettext_noop("option"),
    gettext_noop("argument"),
    gettext_noop("function"),
    gettext_noop("class"),
    gettext_noop("command"),
}
"""The relations and kinds of Strata; all others are words of the documents."""


def name_in_words(name: str) -> str:
    """A relation or a kind of parameters, in the reader's language if it is Strata's own."""
    return gettext(name) if name in _OWN_NAMES else name


def change_lines(change: Change) -> list[str]:
    """The differences of a change, relation by relation: "default: 5 s → 10 s"."""
    if change.outcome is Outcome.CHANGED:
        return [
            f"{name_in_words(d.relation)}: {d.before or gettext('not stated')} → "
            f"{d.after or gettext('not stated')}"
            for d in change.differences
        ]
    # Of a new or a removed parameter some facts are shown, short ones above all.
    parameter = change.shown
    short = (fact.relation for fact in parameter.facts if len(fact.value) <= _SHORT)
    relations = dict.fromkeys((*_SHOWN_FIRST, *short))
    values = {r: parameter.value(r) for r in relations if r not in (UNIT, DESCRIPTION)}
    facts = [f"{name_in_words(relation)}: {value}" for relation, value in values.items() if value][
        :_MOST
    ]
    if change.replaced_by:
        facts.append(gettext("replaced by {name}", name=change.replaced_by.new))
    return facts
