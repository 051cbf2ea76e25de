"""Refusals: answers that say that a release has no answer (design, law 3)."""

from collections.abc import Sequence

from chatbot.text.languages import gettext, language_name, shown_list
from chatbot.text.question_language import is_foreign
from chatbot.turn import Answer, Turn

NO_PASSAGE = "search: no passage was found"
REJECTED_BEFORE = "memory: people rejected this answer"
UNKNOWN_TO_MODEL = "model: I don't know"
"""Reasons of a refusal, as the trace has them."""


def nothing_found(turn: Turn, refusal: str, languages: Sequence[str] = ()) -> Answer:
    """The answer for a release, or for all that are compared, and which step refused, and why.

    Where only the words of the documents are searched, it says so to a question in another language
    than theirs.
    """
    product, releases = turn.resolution.product, shown_list(turn.resolution.releases)
    text = gettext(
        "I couldn't find this in the {releases} documentation of {product}.",
        releases=releases,
        product=product,
    )
    if languages and is_foreign(turn.question, languages):
        hint = gettext(
            "The documents are in {language}, and without a more capable model I search them by "
            "their own words: ask in {language}, or with names as they stand there.",
            language=shown_list(map(language_name, languages), choice=True),
        )
        text = f"{text} {hint}"
    return Answer(text, abstained=True, refusal=refusal)
