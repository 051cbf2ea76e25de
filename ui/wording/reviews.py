"""The codes by which answers are filtered and reviewed, as people read them."""

from chatbot.text.languages import gettext, gettext_noop

_NAMES = {
    "documents": gettext_noop("from the documents"),
    "reuse": gettext_noop("saved answer"),
    "reference": gettext_noop("with a saved answer"),
    "compare": gettext_noop("compared"),
    "inventory": gettext_noop("catalog"),
    "clarify": gettext_noop("clarification needed"),
    "chat": gettext_noop("small talk"),
    "graph": gettext_noop("parameters"),
    "model": gettext_noop("by the model alone"),
    "good": gettext_noop("good"),
    "bad": gettext_noop("bad"),
    "wrong release": gettext_noop("wrong release"),
    "incomplete": gettext_noop("incomplete"),
    "not rated": gettext_noop("not rated"),
    "open": gettext_noop("open"),
    "done": gettext_noop("done"),
    "answered": gettext_noop("answered"),
    "I don't know": gettext_noop("I don't know"),
    "clarification needed": gettext_noop("clarification needed"),
    "up": gettext_noop("up"),
    "down": gettext_noop("down"),
    "yes": gettext_noop("yes"),
    "no": gettext_noop("no"),
    "day": gettext_noop("day"),
    "week": gettext_noop("week"),
    "stated": gettext_noop("stated"),
    "conversation": gettext_noop("from the conversation"),
    "latest": gettext_noop("latest"),
    "unknown": gettext_noop("unknown"),
    "ambiguous": gettext_noop("ambiguous"),
    "lost": gettext_noop("lost"),
    "only announced": gettext_noop("only announced"),
    "contradiction": gettext_noop("contradiction"),
    "none": gettext_noop("none"),
}
"""Routes, ratings, states, outcomes, periods, how a release was found, and kinds of gaps."""


def name_of(code: str) -> str:
    """The name of a route, a rating, a state or the like; a code that is not known as it is."""
    return gettext(_NAMES[code]) if code in _NAMES else code
