"""Widgets for product, release and time."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.review.turns import AllTurns, TurnFilter
from chatbot.text.languages import LANGUAGES, gettext, gettext_noop, spoken
from ui.elements.frame import in_a_row
from ui.serving import services

_DAYS = {
    gettext_noop("7 days"): 7,
    gettext_noop("30 days"): 30,
    gettext_noop("90 days"): 90,
    gettext_noop("a year"): 365,
    gettext_noop("all time"): None,
}

CHOSEN = "chosen product"
"""The key in the session of the product that was chosen last, on whatever page."""


def heading_with_product(title: str, products: Sequence[str], key: str, **options: Any) -> str:
    """The title of a page on one product, and beside it a widget to choose that.

    At first it is the product that was chosen on another page.
    """
    last = st.session_state.get(CHOSEN)
    if last in products and key not in st.session_state and key not in st.query_params:
        st.session_state[key] = last
    # The key of the widget begins with the name of the page, which the style sheet knows.
    with in_a_row(key=f"{re.split('[ -]', key)[0]}-heading"):
        st.title(title, anchor=False)
        product: str = st.selectbox(
            gettext("Product"),
            products,
            key=key,
            width=320,
            label_visibility="collapsed",
            **options,
        )
    st.session_state[CHOSEN] = product
    return product


def choose_scope(page: str) -> TurnFilter:
    """Show the three in a row; return their choice as a filter. Days begin at midnight UTC."""
    turns, person = AllTurns(services.administered().database), services.current_person()
    of_product, of_release, of_time = st.columns(3)
    product, release = choose_release(
        page,
        (of_product, of_release),
        turns.choices(person, "product"),
        lambda product: turns.choices(person, "release", product),
    )
    key = f"{page}-time"
    _choose_as_elsewhere(list(_DAYS), key, gettext)
    time = of_time.selectbox(
        gettext("Time"),
        _DAYS,
        # What is chosen already is no default.
        index=0 if key in st.session_state else 1,
        key=key,
        bind="query-params",
        format_func=gettext,
    )
    since = None
    if days := _DAYS[time]:
        # Today counts as one of them.
        today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        since = today - timedelta(days=days - 1)
    return TurnFilter(product=product, release=release, since=since)


def choose_release(
    page: str,
    places: Sequence[DeltaGenerator],
    products: Sequence[str],
    releases: Callable[[str], Sequence[str]],
) -> tuple[str | None, str | None]:
    """Two widgets for a product and a release of it."""
    of_product, of_release = places
    product = any_of(of_product, gettext("Product"), products, f"{page}-product")
    named = releases(product) if product else ()
    return product, any_of(
        of_release, gettext("Release"), named, f"{page}-release", disabled=product is None
    )


def any_of(
    place: DeltaGenerator,
    label: str,
    names: Sequence[str],
    key: str,
    *,
    disabled: bool = False,
    shown: Callable[[str], str] = str,
) -> str | None:
    """A select box for one of the names; None when nothing is chosen."""
    _choose_as_elsewhere(names, key, shown)
    chosen: str | None = place.selectbox(
        label,
        names,
        index=None,
        placeholder=gettext("all"),
        key=key,
        bind="query-params",
        disabled=disabled,
        format_func=shown,
    )
    return chosen


def _choose_as_elsewhere(names: Sequence[str], key: str, shown: Callable[[str], str]) -> None:
    """Choose what the address has as it is shown in another language: somebody sent it."""
    given = st.query_params.get(key, "")
    if not given or key in st.session_state or given in map(shown, names):
        return
    for code in LANGUAGES:
        with spoken(code):
            if named := next((name for name in names if shown(name) == given), None):
                st.session_state[key] = named
                return
