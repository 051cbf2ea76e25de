"""Widgets for product, release and time, whose choice is kept in the address of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.review.filters import TurnFilter
from chatbot.review.turns import AllTurns
from ui.serving import services

_DAYS = {"7 days": 7, "30 days": 30, "90 days": 90, "a year": 365, "all time": None}


def choose_scope(page: str) -> TurnFilter:
    """Show the three in a row; return their choice as a filter. Days begin at midnight UTC."""
    turns, person = AllTurns(services.chatbot().database), services.current_person()
    of_product, of_release, of_time = st.columns(3)
    product, release = choose_release(
        page,
        (of_product, of_release),
        turns.choices(person, "product"),
        lambda product: turns.choices(person, "release", product),
    )
    time = of_time.selectbox("Time", _DAYS, index=1, key=f"{page}-time", bind="query-params")
    return TurnFilter(product=product, release=release, since=_since(_DAYS[time]))


def choose_release(
    page: str,
    places: Sequence[DeltaGenerator],
    products: Sequence[str],
    releases: Callable[[str], Sequence[str]],
) -> tuple[str | None, str | None]:
    """Two widgets for a product and a release of it."""
    of_product, of_release = places
    product = any_of(of_product, "Product", products, f"{page}-product")
    named = releases(product) if product else ()
    return product, any_of(
        of_release, "Release", named, f"{page}-release", disabled=product is None
    )


def any_of(
    place: DeltaGenerator,
    label: str,
    names: Sequence[str],
    key: str,
    *,
    disabled: bool = False,
    shown: Callable[[str], str] = str,
    none: str = "all",
) -> str | None:
    """A select box for one of the names; None when nothing is chosen."""
    chosen: str | None = place.selectbox(
        label,
        names,
        index=None,
        placeholder=none,
        key=key,
        bind="query-params",
        disabled=disabled,
        format_func=shown,
    )
    return chosen


def _since(days: int | None) -> datetime | None:
    """Midnight UTC at the start of the last `days` days, counting today."""
    if days is None:
        return None
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days - 1)
