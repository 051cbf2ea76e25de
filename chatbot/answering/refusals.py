"""Refusals: answers that say that a release has no answer (design, law 3)."""

from chatbot.text.languages import gettext, shown_list
from chatbot.turn import Answer, Turn

NO_PASSAGE = "search: no passage was found"
REJECTED_BEFORE = "memory: people rejected this answer"
UNKNOWN_TO_MODEL = "model: I don't know"
"""Reasons of a refusal, as the trace has them."""


def nothing_found(turn: Turn, refusal: str) -> Answer:
    """The answer for a release, or for all that are compared, and which step refused, and why."""
    product, releases = turn.resolution.product, shown_list(turn.resolution.releases)
    text = gettext(
        "I couldn't find this in the {releases} documentation of {product}.",
        releases=releases,
        product=product,
    )
    return Answer(text, abstained=True, refusal=refusal)
