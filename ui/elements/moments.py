"""Moments in the time zone of the browser."""

from datetime import datetime, timedelta, timezone

import streamlit as st


def when(moment: datetime) -> str:
    """A moment in the time zone of the browser, or in UTC where that is not known."""
    zone = " UTC" if st.context.timezone_offset is None else ""
    return f"{moment.astimezone(browser_zone()):%d %b %Y, %H:%M}{zone}"


def browser_zone() -> timezone:
    """The time zone of the browser, or UTC where that is not known."""
    # The browser counts minutes from its own time to UTC.
    return timezone(timedelta(minutes=-(st.context.timezone_offset or 0)))
