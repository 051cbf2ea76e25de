"""Moments in the time zone of the browser."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st


def when(moment: datetime) -> str:
    """A moment in the time zone of the browser, or in UTC where that is not known."""
    zone = " UTC" if st.context.timezone_offset is None else ""
    return f"{_local(moment):%d %b %Y, %H:%M}{zone}"


def day(moment: datetime) -> str:
    """The day of a moment in the time zone of the browser: "3 Nov 2026"."""
    local = _local(moment)
    return f"{local.day} {local:%b %Y}"


def _local(moment: datetime) -> datetime:
    # The browser counts minutes from its own time to UTC.
    return moment.astimezone(UTC) - timedelta(minutes=st.context.timezone_offset or 0)
