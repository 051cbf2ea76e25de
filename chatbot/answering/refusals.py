"""Answers that say that a release does not tell (design, law 3)."""

from chatbot.text.phrasing import listed
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, Turn


def refusal(turn: Turn) -> Answer:
    """Say which names of the question the release does not mention, else that it does not tell."""
    # A word in small letters is the asker's own, and no name that a documentation would mention.
    named = [n for n in turn.unmentioned if not (n.isalpha() and n.islower())]
    if not named:
        return nothing_found(turn)
    return Answer(not_documented(turn, listed(map(as_code, named), "or")), True)


def nothing_found(turn: Turn) -> Answer:
    """Say that the release does not tell (design, law 3)."""
    product, release = turn.asked
    return Answer(f"I couldn't find this in the {release} documentation of {product}.", True)


def not_documented(turn: Turn, name: str, verb: str = "mention") -> str:
    """Say that the release has no word of a name."""
    product, release = turn.asked
    return f"The {release} documentation of {product} does not {verb} {name}."
