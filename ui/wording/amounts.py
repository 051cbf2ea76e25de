"""Amounts as people read them."""

from collections.abc import Iterable

from chatbot.text.languages import figure, gettext, ngettext, ngettext_noop

COUNTED = (
    ngettext_noop("{number} conversation", "{number} conversations"),
    ngettext_noop("{number} day", "{number} days"),
    ngettext_noop("{number} change", "{number} changes"),
    ngettext_noop("{number} term", "{number} terms"),
    ngettext_noop("{number} question", "{number} questions"),
    ngettext_noop("{number} answer", "{number} answers"),
    ngettext_noop("{number} failure", "{number} failures"),
    ngettext_noop("{number} file", "{number} files"),
    ngettext_noop("{number} document", "{number} documents"),
    ngettext_noop("{number} passage", "{number} passages"),
    ngettext_noop("{number} step", "{number} steps"),
    ngettext_noop("{number} gap", "{number} gaps"),
    ngettext_noop("{number} byte", "{number} bytes"),
    ngettext_noop("{number} group", "{number} groups"),
    ngettext_noop("{number} person", "{number} people"),
    ngettext_noop("{number} unanswered question", "{number} unanswered questions"),
    ngettext_noop("{number} stored version", "{number} stored versions"),
    ngettext_noop("{number} glossary term", "{number} glossary terms"),
)
"""What is counted on the pages, for `how_many`; the command line counts more, in English."""
_CHANGED = {
    "added": ngettext_noop("{number} added", "{number} added"),
    "changed": ngettext_noop("{number} changed", "{number} changed"),
    "removed": ngettext_noop("{number} removed", "{number} removed"),
}


def how_large(size: int) -> str:
    """An amount of bytes."""
    if size < 1_000_000:
        if size < 1000:
            return how_many(size, "byte")
        return gettext("{number} kB", number=figure(size / 1000))
    return gettext("{number} MB", number=figure(size / 1_000_000, 1))


def how_long(seconds: float) -> str:
    """A time that is still to come or has passed."""
    if seconds < 60:
        return gettext("{number} s", number=figure(max(seconds, 1)))
    if seconds < 5400:
        return gettext("{number} min", number=figure(seconds / 60))
    return gettext("{number} h", number=figure(seconds / 3600, 1))


def how_many(number: int, one: str, more: str = "") -> str:
    """A number with its noun: "1 document", "1,200 documents"."""
    single, several = "{number} " + one, "{number} " + (more or f"{one}s")
    return ngettext(single, several, number)


def how_many_changed(what: str, number: int) -> str:
    """How many are added, changed or removed: "3 added"."""
    return ngettext(*_CHANGED[what], number)


def how_many_more(number: int) -> list[str]:
    """The end of a list that is cut: "and 3 more"; nothing where nothing is left."""
    return [ngettext("and {number} more", "and {number} more", number)] if number > 0 else []


def with_names(what: str, names: Iterable[str]) -> str:
    """Something with the names of it: "3 added: a, b, c"."""
    return gettext("{what}: {names}", what=what, names=", ".join(names))
