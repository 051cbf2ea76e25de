"""Amounts as people read them."""

from chatbot.text.languages import figure, gettext, ngettext, ngettext_noop

COUNTED = (
    ngettext_noop("{number} document", "{number} documents"),
    ngettext_noop("{number} conversation", "{number} conversations"),
    ngettext_noop("{number} question", "{number} questions"),
    ngettext_noop("{number} answer", "{number} answers"),
    ngettext_noop("{number} day", "{number} days"),
    ngettext_noop("{number} release", "{number} releases"),
    ngettext_noop("{number} page", "{number} pages"),
    ngettext_noop("{number} file", "{number} files"),
    ngettext_noop("{number} change", "{number} changes"),
    ngettext_noop("{number} parameter", "{number} parameters"),
)
"""What is counted on pages."""


def how_large(size: int) -> str:
    """An amount of bytes."""
    if size < 1_000_000:
        return f"{figure(size / 1000)} kB" if size >= 1000 else gettext("{size} bytes", size=size)
    return f"{figure(size / 1_000_000, 1)} MB"


def how_long(seconds: float) -> str:
    """A time that is still to come or has passed."""
    if seconds < 60:
        return gettext("{number} s", number=round(max(seconds, 1)))
    if seconds < 5400:
        return gettext("{number} min", number=round(seconds / 60))
    return gettext("{number} h", number=figure(seconds / 3600, 1))


def how_many(number: int, one: str, more: str = "") -> str:
    """A number with its noun: "1 document", "1,200 documents".

    A noun that a page shows is translated where it stands in COUNTED.
    """
    single, several = "{number} " + one, "{number} " + (more or f"{one}s")
    return ngettext(single, several, number)
