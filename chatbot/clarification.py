"""What is asked back where product or release are open, and how the reply goes on from there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chatbot.choice import offered_products, read_choice, with_choice
from chatbot.release_resolution import ReleaseStatus, Resolution, resolve_release
from chatbot.turn import Answer
from corpora.release import Product

_OURS = re.compile(
    r"(?:I don't know: there is no .+\. )?Which (?:product|one|release of .+) do you mean: .+\?",
    re.DOTALL,
)


@dataclass(frozen=True)
class Request:
    """A question that stands without the clarifications before it, in the conversation so told."""

    question: str
    history: tuple[tuple[str, str], ...] = ()
    product: str | None = None
    release: str | None = None


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


def continued(
    question: str,
    history: Sequence[tuple[str, str]],
    products: Sequence[Product],
    *,
    product: str | None = None,
    release: str | None = None,
    conversation_release: tuple[str, str] | None = None,
) -> Request:
    """Tell a conversation without its clarifications, and return the question that it comes to.

    A reply that only chooses becomes the question that the clarification was about, with the
    choice in it; clarifications in a row are followed to the first. Any other reply is a question
    of its own. `history` holds (user, assistant) texts, `product` and `release` are the caller's.
    """
    told: list[tuple[str, str]] = []
    asked: Request | None = None
    answer = ""
    request = Request(question, (), product, release)
    for user, assistant in (*history, (question, "")):
        reply = _as_reply(user, asked, products, conversation_release) if asked else None
        if asked and reply is None:
            told.append((asked.question, answer))
        request = reply or Request(user, tuple(told), product, release)
        asked, answer = None, assistant
        # Another's wording is known by what it follows: a question that leaves the release open.
        if asks_back(answer) or ("?" in answer and not _resolve(request, products, None).releases):
            asked = request
        else:
            told.append((request.question, answer))
    return request


def _as_reply(
    text: str,
    asked: Request,
    products: Sequence[Product],
    conversation_release: tuple[str, str] | None,
) -> Request | None:
    resolution = _resolve(asked, products, conversation_release)
    choice = read_choice(text, resolution, products)
    if choice is None:
        return None
    return replace(
        asked,
        question=with_choice(asked.question, choice, resolution, products),
        product=choice.product or asked.product,
        release=choice.releases[0] if len(choice.releases) == 1 else asked.release,
    )


def _resolve(
    request: Request, products: Sequence[Product], conversation_release: tuple[str, str] | None
) -> Resolution:
    return resolve_release(
        request.question,
        products,
        product=request.product,
        release=request.release,
        history=request.history,
        conversation_release=conversation_release,
    )


def _choices(resolution: Resolution, products: Sequence[Product]) -> str:
    """List the choices; where the product is open, the releases of each behind it."""
    if resolution.product is not None:
        return _either(resolution.available)
    return _either(
        f"{product.name} ({', '.join(release.name for release in reversed(product.releases))})"
        for product in offered_products(resolution, products)
    )


def _either(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
