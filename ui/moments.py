"""Moments and amounts as people read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


def when(moment: datetime) -> str:
    """A moment in the time zone of the browser, or in UTC where that is not known."""
    zone = " UTC" if _offset() is None else ""
    return f"{_local(moment):%d %b %Y, %H:%M}{zone}"


def day(moment: datetime) -> str:
    """The day of a moment in the time zone of the browser: "3 Nov 2026"."""
    local = _local(moment)
    return f"{local.day} {local:%b %Y}"


def _local(moment: datetime) -> datetime:
    # The browser counts minutes from its own time to UTC.
    return moment.astimezone(UTC) - timedelta(minutes=_offset() or 0)


def _offset() -> int | None:
    # Imported late: the command line counts with `how_many` and does without Streamlit.
    import streamlit as st

    return st.context.timezone_offset


def how_large(size: int) -> str:
    """An amount of bytes."""
    if size < 1_000_000:
        return f"{max(size, 1) / 1000:,.0f} kB" if size >= 1000 else f"{size} bytes"
    return f"{size / 1_000_000:,.1f} MB"


def how_long(seconds: float) -> str:
    """A time that is still to come or has passed."""
    if seconds < 60:
        return f"{max(seconds, 1):.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def how_many(number: int, one: str, more: str = "") -> str:
    """A number with its noun: "1 document", "1,200 documents"."""
    return f"{number:,} {one if number == 1 else more or f'{one}s'}"
