"""A parameter over all releases: what each states of it, with the page that states it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import streamlit as st

from chatbot.graph.knowledge import cited
from corpora.catalog.catalog import NoCorpus
from corpora.parameters.of_release import ReleaseParameters
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
    Parameter,
    Replacement,
)
from ui.answers.citations import place
from ui.elements.address import go
from ui.elements.frame import button
from ui.elements.table import show_table
from ui.serving import services
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

PARAMETER = "parameter"
"""The query parameter that names the one whose history is open."""
_COLUMNS = (DEFAULT, RANGE, TYPE, SINCE, DEPRECATED, REPLACED)
_OTHERS = 3
"""Columns of the page's own that are shown beside the known relations."""


def show_history(product: str, name: str) -> None:
    """Everything that has this name, each with a row for every release, the newest first."""
    button("All changes", lambda: go(**{PARAMETER: None}), icon="arrow_back", type="tertiary")
    names = services.releases(product)
    with st.spinner("Reading the releases …"):
        read = {release: _read(product, release) for release in names}
    owned: defaultdict[tuple[str, str], dict[str, Parameter]] = defaultdict(dict)
    for release in names:
        found = read[release]
        for parameter in found.named(name) if found else ():
            owned[parameter.kind, parameter.owner].setdefault(release, parameter)
    st.subheader(as_label(name, 120), anchor=False)
    if not owned:
        st.markdown(f"No release of {as_label(product)} has a parameter with this name.")
    for number, ((kind, owner), of_release) in enumerate(owned.items()):
        st.markdown(f"**{as_label(owner, 160)}** :small[:gray[{as_label(kind)}]]")
        newest = next(iter(of_release.values()))
        if told := newest.value(DESCRIPTION):
            st.markdown(as_label(told, 400))
        columns = _columns(of_release.values())
        show_table(
            [_row(release, of_release.get(release), columns) for release in names],
            key=f"history {product} {name} {number}",
            name=f"{name} in every release",
        )
        with st.container(horizontal=True, key=f"citations-history-{number}", gap="xsmall"):
            for release, parameter in of_release.items():
                source_button(product, release, parameter, f"history-{number}-{release}")
    _show_replacements(product, name, [r for r in read.values() if r])


def source_button(
    product: str, release: str, stated: Parameter | Fact | Replacement, key: str
) -> None:
    """A chip that opens the page on which something stands, at its words."""
    citation = cited(stated, release)
    if st.button(
        place(citation, with_release=True),
        key=f"cite-{key}",
        help=as_label(citation.section, 200) or None,
        icon=":material/description:",
    ):
        show_source(product, citation)


def _read(product: str, release: str) -> ReleaseParameters | None:
    try:
        return services.chatbot().open_parameters(product, release)
    except NoCorpus:
        return None


def _columns(parameters: Iterable[Parameter]) -> list[str]:
    """The relations that any of the parameters states, the known ones first."""
    stated = {fact.relation: None for parameter in parameters for fact in parameter.facts}
    known = [relation for relation in _COLUMNS if relation in stated]
    others = [r for r in stated if r not in (*_COLUMNS, DESCRIPTION, UNIT)]
    return [*known, *others[:_OTHERS]]


def _row(release: str, parameter: Parameter | None, columns: Sequence[str]) -> dict[str, str]:
    stated = {c.capitalize(): parameter.value(c) if parameter else "" for c in columns}
    return {"Release": release, "Documented": "yes" if parameter else "no", **stated}


def _show_replacements(product: str, name: str, read: Iterable[ReleaseParameters]) -> None:
    """What release notes say of what took the place of the name, or whose place it took."""
    told = {
        (r.old, r.new): (release.release, r)
        for release in read
        for r in release.replacements
        if name.casefold() in (r.old.casefold(), r.new.casefold()) and release.named(r.new)
    }
    for number, ((old, new), (release, stated)) in enumerate(told.items()):
        st.markdown(f"**{as_label(new)}** replaces **{as_label(old)}**")
        source_button(product, release, stated, f"replaced-{number}")
