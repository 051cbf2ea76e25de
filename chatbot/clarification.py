"""What is asked back where product or release are open, and how the reply goes on from there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from chatbot.choice import offered_products, read_choice, with_choice
from chatbot.phrasing import listed
from chatbot.release_resolution import ReleaseStatus, Resolution
from chatbot.release_resolution.turns import resolve_turn
from chatbot.turn import Answer, Turn
from corpora.release import Product

_OURS = re.compile(
    r"(?:I don't know: there is no .+\. )?Which (?:product|one|release of .+) do you mean: .+\?",
    re.DOTALL,
)


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


def asks_back(answer: str) -> bool:
    """Say whether an answer is one that `ask_back` wrote."""
    return _OURS.fullmatch(answer.strip()) is not None


def continued(turn: Turn, products: Sequence[Product]) -> Turn:
    """Tell a turn's conversation without its clarifications, with the question it comes to.

    A reply that only chooses becomes the question that the clarification was about, with the
    choice in it; clarifications in a row are followed to the first. Any other reply is a question
    of its own.
    """
    told: list[tuple[str, str]] = []
    asked: Turn | None = None
    answer = ""
    request = turn
    for user, assistant in (*turn.history, (turn.question, "")):
        reply = _as_reply(user, asked, products) if asked else None
        if asked and reply is None:
            told.append((asked.question, answer))
        request = reply or replace(turn, question=user, history=tuple(told))
        asked, answer = None, assistant
        # Another's wording is known by what it follows: a question that leaves the release open.
        if asks_back(answer) or ("?" in answer and not _names_release(request, products)):
            asked = request
        else:
            told.append((request.question, answer))
    return request


def _as_reply(text: str, asked: Turn, products: Sequence[Product]) -> Turn | None:
    resolution = resolve_turn(asked, products)
    choice = read_choice(text, resolution, products)
    if choice is None:
        return None
    return replace(
        asked,
        question=with_choice(asked.question, choice, resolution, products),
        product=choice.product or asked.product,
        release=choice.releases[0] if len(choice.releases) == 1 else asked.release,
    )


def _names_release(turn: Turn, products: Sequence[Product]) -> bool:
    return bool(resolve_turn(replace(turn, conversation_release=None), products).releases)


def _choices(resolution: Resolution, products: Sequence[Product]) -> str:
    """List the choices; where the product is open, the releases of each behind it."""
    if resolution.product is not None:
        return listed(resolution.available, "or")
    offered = (
        f"{product.name} ({', '.join(release.name for release in reversed(product.releases))})"
        for product in offered_products(resolution, products)
    )
    return listed(offered, "or")
