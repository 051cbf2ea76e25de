"""What is asked back where product or release are open, and how the reply goes on from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from chatbot.queries.choice import offered_products, read_choice, with_choice
from chatbot.queries.release_of_turn import resolve_turn
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.phrasing import listed
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.release import Product

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)


def ask_back(resolution: Resolution, products: Sequence[Product]) -> Answer:
    """Ask for what a resolution leaves open, with the choices; abstains."""
    if resolution.status is ReleaseStatus.NONE:
        text = "I don't know: there is no documentation yet. Ingest some with `strata ingest`."
    elif resolution.status is ReleaseStatus.UNKNOWN:
        text = (
            f"I don't know: there is {resolution.explanation} in the documentation. "
            f"Which one do you mean: {_choices(resolution, products)}?"
        )
    elif resolution.product is None:
        text = f"Which product do you mean: {_choices(resolution, products)}?"
    else:
        text = (
            f"Which release of {resolution.product} do you mean: {_choices(resolution, products)}?"
        )
    return Answer(text, abstained=True)


def asked_back(route: str, status: str) -> bool:
    """Say whether an answer of this route and release status asked for the release or product."""
    return route == Route.CLARIFY and status in _OPEN


def continued(turn: Turn, products: Sequence[Product]) -> Turn:
    """Tell a turn's conversation without its clarifications, with the question it comes to.

    A reply that only chooses becomes the question that the clarification was about, with the
    choice in it; clarifications in a row are followed to the first. Any other reply is a question
    of its own.
    """
    told: list[tuple[str, str]] = []
    open_question: tuple[Turn, Resolution] | None = None
    answer = ""
    request = turn
    for i, (user, assistant) in enumerate((*turn.history, (turn.question, ""))):
        reply = _as_reply(user, *open_question, products) if open_question else None
        if open_question and reply is None:
            told.append((open_question[0].question, answer))
        request = reply or replace(turn, question=user, history=tuple(told))
        if i == len(turn.history):
            break
        open_question, answer = _left_open(request, i, products), assistant
        if not open_question:
            told.append((request.question, answer))
    return replace(request, asked_back=None)


def _left_open(
    request: Turn, place: int, products: Sequence[Product]
) -> tuple[Turn, Resolution] | None:
    """Return an earlier question with what it left open, if the answer to it asked back.

    Where only texts are known of a conversation, that is where it leaves the release open.
    """
    if request.asked_back is not None and place not in request.asked_back:
        return None
    resolution = resolve_turn(replace(request, conversation_release=None), products)
    return (request, resolution) if resolution.status in _OPEN else None


def _as_reply(
    text: str, asked: Turn, resolution: Resolution, products: Sequence[Product]
) -> Turn | None:
    choice = read_choice(text, resolution, products)
    if choice is None:
        return None
    return replace(
        asked,
        question=with_choice(asked.question, choice, resolution),
        product=choice.product or asked.product,
        release=choice.releases[0] if len(choice.releases) == 1 else asked.release,
    )


def _choices(resolution: Resolution, products: Sequence[Product]) -> str:
    """List the choices; where the product is open, the releases of each behind it."""
    if resolution.product is not None:
        return listed(resolution.available, "or")
    offered = (
        f"{product.name} ({', '.join(release.name for release in reversed(product.releases))})"
        for product in offered_products(resolution, products)
    )
    return listed(offered, "or")
