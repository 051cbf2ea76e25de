"""The page Releases: what changed between two, the upgrade guide, a parameter's history."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.comparison.values import outcome_name
from chatbot.retrieval.support import cite_stated
from chatbot.review.exports import csv_lines
from chatbot.text.languages import figure, gettext
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.errors import NoCorpus
from corpora.parameters.parameter import (
    DEFAULT,
    DEPRECATED,
    DESCRIPTION,
    RANGE,
    REPLACED,
    SINCE,
    TYPE,
    UNIT,
    Fact,
    Location,
    Parameter,
    Replacement,
)
from corpora.parameters.releases import Change, Outcome, ReleaseParameters, changes
from ui.answers.citations import place, source_button
from ui.checks import show_checks, waiting_products
from ui.elements.address import go
from ui.elements.frame import button, in_a_row, open_tab, page, show_tabs
from ui.elements.scope import any_of, heading_with_product
from ui.elements.table import Cell, download, has_words, list_in_pages, search_box, show_table
from ui.serving import services
from ui.upgrading import upgrade_guide
from ui.wording.changes import change_lines, name_in_words
from ui.wording.escaping import as_label

_COLOURS = {Outcome.NEW: "green", Outcome.CHANGED: "orange", Outcome.GONE: "red"}
_COLUMNS = (DEFAULT, RANGE, TYPE, SINCE, DEPRECATED, REPLACED)
_OTHERS = 3
"""Columns of the page's own that are shown beside the known relations."""


@page("wide")
def releases(person: Person) -> None:
    """Show the page to whoever may ask; to admins also what waits to be published."""
    products = [product.name for product in services.chatbot().products()]
    own: tuple[str, ...] = ()
    if services.administers(person):
        own = ReleaseAdministration(services.administered().database).products()
        products += [name for name in waiting_products() if name not in products]
    if not products:
        st.title(gettext("Releases"), anchor=False)
        st.markdown(gettext("There is no documentation yet."))
        return
    _only_known("releases-product", products)
    title, key = gettext("Releases"), "releases-product"
    product = heading_with_product(title, products, key, bind="query-params")
    if name := st.query_params.get("parameter"):
        _show_history(product, name)
        return
    if product in own:
        show_checks(product)
    # The newest comes first where one is chosen.
    names = services.releases(product)
    if not names:
        return
    if len(names) < 2:
        st.markdown(
            gettext(
                "{product} has one release only: there is none to compare it with.",
                product=as_label(product),
            )
        )
        return
    with st.container(horizontal=True, key="releases-chosen"):
        older = _choose(gettext("From"), "from", 1, names)
        newer = _choose(gettext("To"), "to", 0, names)
    if older == newer:
        st.markdown(gettext("Choose two different releases."))
        return
    guide = gettext("Upgrade guide")
    tabs = {gettext("Changes"): _show_changes, guide: upgrade_guide}
    if st.query_params.get("view") == "upgrade":
        del st.query_params["view"]
        open_tab("releases-tabs", guide)
    show_tabs(
        "releases-tabs",
        {name: partial(show, product, older, newer) for name, show in tabs.items()},
    )


def _show_changes(product: str, older: str, newer: str) -> None:
    open_parameters = services.chatbot().open_parameters
    with st.spinner(gettext("Comparing the releases …")):
        compared = changes(*(open_parameters(product, name) for name in (older, newer)))
    _list(product, older, newer, compared)


def _choose(label: str, which: str, index: int, names: Sequence[str]) -> str:
    key = f"releases-{which}"
    _only_known(key, names)
    return st.selectbox(label, names, index=index, key=key, bind="query-params")


def _only_known(key: str, names: Sequence[str]) -> None:
    """Forget a choice of another product, which is no choice here."""
    for kept in (st.session_state, st.query_params):
        if kept.get(key) not in (None, *names):
            del kept[key]


def _list(product: str, older: str, newer: str, compared: Sequence[Change]) -> None:
    words = search_box("releases-words", gettext("Search"), gettext("names, sections and values"))
    filters = st.container(horizontal=True, key="releases-filters")
    outcomes = list(map(str, Outcome))
    label, key = gettext("Changes"), "releases-change"
    outcome = any_of(filters, label, outcomes, key, shown=_outcome_name)
    kinds = sorted({change.shown.kind for change in compared})
    kind = any_of(filters, gettext("Kind"), kinds, "releases-kind", shown=name_in_words)
    owners = sorted({c.shown.owner for c in compared if kind in (None, c.shown.kind)})
    owner = any_of(filters, gettext("Section"), owners, "releases-owner")
    shown = [
        change
        for change in compared
        if outcome in (None, change.outcome.value)
        and kind in (None, change.shown.kind)
        and owner in (None, change.shown.owner)
        and has_words(" ".join(_searched(change)), words)
    ]
    counted = ((sum(c.outcome is o for c in shown), outcome_name(o)) for o in Outcome)
    counts = ", ".join(f"{figure(number)} {name}" for number, name in counted)
    way = gettext("From {older} to {newer}:", older=as_label(older), newer=as_label(newer))
    with in_a_row(key="releases-summary"):
        st.markdown(f"**{way}** {counts}")
        download(
            "CSV",
            lambda: "".join(csv_lines(map(_exported, shown))).encode("utf-8-sig"),
            "strata-changes.csv",
            disabled=not shown,
            key="changes-csv",
        )
    if not shown:
        st.markdown(gettext("Nothing matches.") if compared else gettext("No parameter differs."))
        return
    list_in_pages(
        shown,
        f"changes {older} {newer} {outcome} {kind} {owner} {words}",
        lambda number, change: _show_change(product, (older, newer), number, change),
        of="change",
    )


def _outcome_name(outcome: str) -> str:
    return outcome_name(Outcome(outcome))


def _searched(change: Change) -> tuple[str, ...]:
    shown = change.shown
    return shown.name, *shown.aliases, shown.owner, *change_lines(change)


def _exported(change: Change) -> dict[str, str]:
    shown, before, after = change.shown, change.before, change.after
    return {
        "change": change.outcome.value,
        "name": shown.name,
        "kind": shown.kind,
        "belongs_to": shown.owner,
        "details": "; ".join(change_lines(change)),
        "before": _in_file(before.place) if before else "",
        "after": _in_file(after.place) if after else "",
    }


def _in_file(stated: Location) -> str:
    return ", ".join(dict.fromkeys((stated.file, f"page {stated.page}", stated.section)))


def _show_change(product: str, releases: tuple[str, str], number: int, change: Change) -> None:
    parameter = change.shown
    with st.container(border=True, key=f"difference-{number}", gap="xsmall"):
        with in_a_row():
            badge = f":{_COLOURS[change.outcome]}-badge[{outcome_name(change.outcome)}]"
            st.markdown(f"**{as_label(parameter.name)}** {badge}", width="content")
            where = as_label(f"{name_in_words(parameter.kind)} · {parameter.owner}", 120)
            st.markdown(f":small[:gray[{where}]]", width="content")
        for line in change_lines(change):
            st.markdown(as_label(line, 400))
        with st.container(horizontal=True, key=f"citations-difference-{number}", gap="xsmall"):
            sides = (change.before, change.after, change.replaced_by)
            for which, release, side in zip("abc", (*releases, releases[1]), sides, strict=True):
                if side:
                    _show_place(product, release, side, f"{number}-{which}")
            button(
                gettext("History"),
                lambda name: go(parameter=name),
                parameter.name,
                icon="history",
                key=f"history-{number}",
                type="tertiary",
            )


def _show_place(
    product: str, release: str, stated: Parameter | Fact | Replacement, key: str
) -> None:
    citation = cite_stated(stated, release)
    label = place(citation, with_release=True)
    source_button(label, product, citation, f"cite-{key}", icon="description")


def _show_history(product: str, name: str) -> None:
    button(gettext("All changes"), lambda: go(parameter=None), icon="arrow_back", type="tertiary")
    with st.spinner(gettext("Reading the releases …")):
        open_parameters = services.chatbot().open_parameters
        read = {}
        for of in services.releases(product):
            # One may be hidden or deleted meanwhile.
            with suppress(NoCorpus):
                read[of] = open_parameters(product, of)
    owned: defaultdict[tuple[str, str], dict[str, Parameter]] = defaultdict(dict)
    for release, parameters in read.items():
        for parameter in parameters.named(name):
            owned[parameter.kind, parameter.owner].setdefault(release, parameter)
    st.subheader(as_label(name, 120), anchor=False)
    if not owned:
        none = gettext(
            "No release of {product} has a parameter with this name.", product=as_label(product)
        )
        st.markdown(none)
    for number, ((kind, owner), of_release) in enumerate(owned.items()):
        st.markdown(f"**{as_label(owner, 160)}** :small[:gray[{as_label(name_in_words(kind))}]]")
        _show_parameter(product, name, list(read), of_release, number)
    _show_replacements(product, name, read.values())


def _show_parameter(
    product: str,
    name: str,
    releases: Sequence[str],
    stated: Mapping[str, Parameter],
    number: int,
) -> None:
    """Show the facts in each release, the newest first, with their pages."""
    if description := next(iter(stated.values())).value(DESCRIPTION):
        st.markdown(as_label(description, 400))
    columns: dict[str, Cell[str]] = {
        gettext("Release"): str,
        gettext("Documented"): lambda release: (
            gettext("yes") if release in stated else gettext("no")
        ),
    }
    for relation in _relations(stated.values()):
        columns[name_in_words(relation).capitalize()] = partial(_value, stated, relation)
    key = f"history {product} {name} {number}"
    show_table(releases, columns, key=key, name=gettext("{name} in every release", name=name))
    with st.container(horizontal=True, key=f"citations-history-{number}", gap="xsmall"):
        for release, parameter in stated.items():
            _show_place(product, release, parameter, f"history-{number}-{release}")


def _relations(parameters: Iterable[Parameter]) -> list[str]:
    """The relations that any of the parameters states, the known ones first."""
    stated = {fact.relation: None for parameter in parameters for fact in parameter.facts}
    known = [relation for relation in _COLUMNS if relation in stated]
    others = [r for r in stated if r not in (*_COLUMNS, DESCRIPTION, UNIT)]
    return [*known, *others[:_OTHERS]]


def _value(stated: Mapping[str, Parameter], relation: str, release: str) -> str:
    return stated[release].value(relation) if release in stated else ""


def _show_replacements(product: str, name: str, read: Iterable[ReleaseParameters]) -> None:
    """Show the replacements of a name, and by it, that release notes state."""
    replacements = {
        (r.old, r.new): (release.release, r)
        for release in read
        for r in release.replacements
        if name.casefold() in (r.old.casefold(), r.new.casefold()) and release.named(r.new)
    }
    for number, ((old, new), (release, stated)) in enumerate(replacements.items()):
        of = {"new": as_label(new), "old": as_label(old)}
        st.markdown(gettext("**{new}** replaces **{old}**", **of))
        _show_place(product, release, stated, f"replaced-{number}")
