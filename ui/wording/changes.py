"""Changes of a parameter from one release to another, in words."""

from chatbot.text.languages import gettext
from corpora.parameters.parameter import DEFAULT, DESCRIPTION, RANGE, SYNTAX, TYPE, UNIT
from corpora.parameters.releases import Change, Outcome

_SHOWN_FIRST = (DEFAULT, RANGE, TYPE, SYNTAX)
_SHORT, _MOST = 60, 4


def change_lines(change: Change) -> list[str]:
    """The differences of a change, relation by relation: "default: 5 s → 10 s"."""
    if change.outcome is Outcome.CHANGED:
        return [
            f"{d.relation}: {d.before or gettext('not stated')} → "
            f"{d.after or gettext('not stated')}"
            for d in change.differences
        ]
    # Of a new or a removed parameter some facts are shown, short ones above all.
    parameter = change.shown
    short = (fact.relation for fact in parameter.facts if len(fact.value) <= _SHORT)
    relations = dict.fromkeys((*_SHOWN_FIRST, *short))
    values = {r: parameter.value(r) for r in relations if r not in (UNIT, DESCRIPTION)}
    facts = [f"{relation}: {value}" for relation, value in values.items() if value][:_MOST]
    if change.replaced_by:
        facts.append(gettext("replaced by {name}", name=change.replaced_by.new))
    return facts
