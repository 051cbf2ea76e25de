"""Amounts as people read them."""

from chatbot.text.languages import ngettext, ngettext_noop

TRANSLATED = (
    ngettext_noop("{number} conversation", "{number} conversations"),
    ngettext_noop("{number} day", "{number} days"),
    ngettext_noop("{number} change", "{number} changes"),
)
"""What is counted on pages that are not in English alone."""


def how_large(size: int) -> str:
    """An amount of bytes."""
    if size < 1_000_000:
        return f"{size / 1000:,.0f} kB" if size >= 1000 else f"{size} bytes"
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
    single, several = "{number} " + one, "{number} " + (more or f"{one}s")
    return ngettext(single, several, number)
