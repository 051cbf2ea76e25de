"""The product, the release and the time that a page of the review is about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from ui.serving import services
from ui.serving.services import current_person

if TYPE_CHECKING:
    from chatbot.review.filters import TurnFilter

_DAYS = {"7 days": 7, "30 days": 30, "90 days": 90, "a year": 365, "all time": None}


def choose_scope(page: str) -> TurnFilter:
    """Three widgets next to each other; what they say as a filter. Days begin at midnight UTC."""
    from chatbot.review.filters import TurnFilter
    from chatbot.review.turns import AllTurns

    turns, person = AllTurns(services.chatbot().database), current_person()
    of_product, of_release, of_time = st.columns(3)
    with of_product:
        product = any_of("Product", turns.choices(person).products, f"{page}-product")
    with of_release:
        releases = turns.choices(person, product).releases if product else ()
        release = any_of("Release", releases, f"{page}-release", disabled=product is None)
    with of_time:
        time = st.selectbox("Time", _DAYS, index=1, key=f"{page}-time", bind="query-params")
    return TurnFilter(product=product, release=release, since=_since(_DAYS[time]))


def any_of(
    label: str,
    names: Sequence[str],
    key: str,
    *,
    disabled: bool = False,
    shown: Callable[[str], str] = str,
) -> str | None:
    """A widget for one of the names, or for all of them: None. The address keeps the choice."""
    chosen: str | None = st.selectbox(
        label,
        names,
        index=None,
        placeholder="all",
        key=key,
        bind="query-params",
        disabled=disabled,
        format_func=shown,
    )
    return chosen


def _since(days: int | None) -> datetime | None:
    """The midnight with which the last days begin, today among them."""
    if days is None:
        return None
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return today - timedelta(days=days - 1)
