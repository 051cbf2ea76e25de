"""Refusals: answers that say that a release has no answer (design, law 3)."""

from chatbot.text.words import listed
from chatbot.turn import Answer, Turn


def nothing_found(turn: Turn) -> Answer:
    """The refusal for a release, or for all that are compared (design, law 3)."""
    product, releases = turn.resolution.product, listed(turn.resolution.releases)
    return Answer(f"I couldn't find this in the {releases} documentation of {product}.", True)
