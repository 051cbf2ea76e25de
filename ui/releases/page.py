"""The releases page: which parameters are new, changed and gone from one release to another."""

from collections.abc import Sequence

import streamlit as st

from chatbot.review.exports import csv_lines
from corpora.parameters.changes import Change, Outcome, changes
from ui.elements.address import go
from ui.elements.frame import button, failures_shown, in_a_row
from ui.elements.scope import any_of, heading_with_product
from ui.elements.table import download, in_pages, search_box
from ui.releases.history_view import PARAMETER, show_history, source_button
from ui.serving import services
from ui.wording.changes import change_rows, matching, told_of
from ui.wording.escaping import as_label

_COLOURS = {Outcome.NEW: "green", Outcome.CHANGED: "orange", Outcome.GONE: "red"}
_PRODUCT = "releases-product"


def releases() -> None:
    """Show the page to whoever may ask; a failure is one clear message."""
    st.set_page_config(layout="wide")
    with failures_shown():
        services.current_person()
        _show()


def _show() -> None:
    products = [product.name for product in services.chatbot().products()]
    if not products:
        st.title("Releases", anchor=False)
        st.markdown("There is no documentation yet.")
        return
    _only_known(_PRODUCT, products)
    product = heading_with_product("Releases", products, _PRODUCT, bind="query-params")
    if name := st.query_params.get(PARAMETER):
        show_history(product, name)
        return
    # The newest comes first where one is chosen.
    names = services.releases(product)
    if len(names) < 2:
        st.markdown(f"{as_label(product)} has one release only: there is none to compare it with.")
        return
    with st.container(horizontal=True, key="releases-chosen"):
        older, newer = _choose(names)
    if older == newer:
        st.markdown("Choose two different releases.")
        return
    open_parameters = services.chatbot().open_parameters
    with st.spinner("Comparing the releases …"):
        found = changes(*(open_parameters(product, name) for name in (older, newer)))
    _list(product, older, newer, found)


def _choose(names: Sequence[str]) -> tuple[str, str]:
    """Widgets for the older and the newer release: at first the newest and the one before."""
    chosen = []
    for label, key, index in (("From", "releases-from", 1), ("To", "releases-to", 0)):
        _only_known(key, names)
        chosen.append(st.selectbox(label, names, index=index, key=key, bind="query-params"))
    return chosen[0], chosen[1]


def _only_known(key: str, names: Sequence[str]) -> None:
    """Forget a choice of another product, which is no choice here."""
    for kept in (st.session_state, st.query_params):
        if kept.get(key) not in (None, *names):
            del kept[key]


def _list(product: str, older: str, newer: str, found: Sequence[Change]) -> None:
    """The filters, how many there are, the export, and the changes in pages."""
    words = search_box("releases-words", "Search", "names, owners and values")
    filters = st.container(horizontal=True, key="releases-filters")
    outcome = any_of(filters, "Change", list(map(str, Outcome)), "releases-change")
    kinds = sorted({change.shown.kind for change in found})
    kind = any_of(filters, "Kind", kinds, "releases-kind")
    owners = sorted({c.shown.owner for c in found if kind in (None, c.shown.kind)})
    owner = any_of(filters, "Belongs to", owners, "releases-owner")
    shown = matching(found, words, outcome, kind, owner)
    counts = ", ".join(f"{sum(c.outcome is o for c in shown):,} {o}" for o in Outcome)
    with in_a_row(key="releases-summary"):
        st.markdown(f"**From {as_label(older)} to {as_label(newer)}:** {counts}")
        download(
            "CSV",
            lambda: "".join(csv_lines(change_rows(shown))).encode("utf-8-sig"),
            "strata-changes.csv",
            disabled=not shown,
            key="changes-csv",
        )
    if not shown:
        st.markdown("Nothing matches." if found else "No parameter differs.")
        return

    def show(first: int, size: int) -> None:
        for number, change in enumerate(shown[first : first + size]):
            _show_change(product, (older, newer), number, change)

    key = f"changes {older} {newer} {outcome} {kind} {owner} {words}"
    in_pages(len(shown), key, show, of="change")


def _show_change(product: str, releases: tuple[str, str], number: int, change: Change) -> None:
    """One parameter: what became of it, and the pages of both sides to open."""
    parameter = change.shown
    with st.container(border=True, key=f"difference-{number}", gap="xsmall"):
        with in_a_row():
            badge = f":{_COLOURS[change.outcome]}-badge[{change.outcome}]"
            st.markdown(f"**{as_label(parameter.name)}** {badge}", width="content")
            where = as_label(f"{parameter.kind} · {parameter.owner}", 120)
            st.markdown(f":small[:gray[{where}]]", width="content")
        for told in told_of(change):
            st.markdown(as_label(told, 400))
        with st.container(horizontal=True, key=f"citations-difference-{number}", gap="xsmall"):
            sides = zip(releases, (change.before, change.after), strict=True)
            for release, side in sides:
                if side:
                    source_button(product, release, side, f"{number}-{release}")
            if change.replaced_by:
                source_button(product, releases[1], change.replaced_by, f"{number}-notes")
            button(
                "History",
                lambda name: go(**{PARAMETER: name}),
                parameter.name,
                icon="history",
                key=f"history-{number}",
                type="tertiary",
            )
