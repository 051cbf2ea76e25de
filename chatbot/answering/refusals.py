"""Answers that say that a release does not tell (design, law 3)."""

from chatbot.text.words import listed
from chatbot.turn import Answer, Turn


def nothing_found(turn: Turn) -> Answer:
    """Say that the release, or none of those compared, does not tell (design, law 3)."""
    product, releases = turn.resolution.product, listed(turn.resolution.releases)
    return Answer(f"I couldn't find this in the {releases} documentation of {product}.", True)
