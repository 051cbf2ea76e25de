"""Step 1 of QAMR III-B by a language model: the release, from the list of those there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.text.verbatim import find_verbatim
from chatbot.turn import Fallback, ModelStep, RuleStep, Turn
from corpora.catalog.release import Product
from prompts import fenced, render

STEP = "release_extraction"
_OF_A_RELEASE = re.compile(
    r"\b(?:releases?|versions?|editions?|generations?|series|branch|builds?|lts|long[- ]term)\b",
    re.I,
)


class NamedRelease(BaseModel):
    """The words that name a release, and its number in the list; 0 for none."""

    words: str = Field(max_length=300)
    number: int = Field(ge=0)


def extract_release_with_model(
    model: BaseChatModel,
    products: Callable[[], Sequence[Product]],
    by_rules: RuleStep,
    *,
    max_tokens: int = 80,
) -> ModelStep:
    """Resolve by rules, and ask the model where they leave open which release is meant.

    That is where the question speaks of a release in words and the rules know none of them ("the
    first generation"). The model chooses from the numbered releases or "none"; the words it read
    must stand in the question. What the rules judged, a release that they found or found missing
    and every number, is not judged again (docs/decisions/0008).
    """

    async def extract(turn: Turn) -> Turn:
        resolved = await in_thread(by_rules, turn)
        resolution = resolved.resolution
        if resolution is None or not leaves_open(turn.question, resolution):
            return resolved
        product = next(p for p in await in_thread(products) if p.name == resolution.product)
        found, resolved = await named_release(model, resolved, product, max_tokens=max_tokens)
        in_words = found is not None and _in_words(found.mentions[0].text)
        return replace(resolved, resolution=found if in_words else resolution)

    return extract


def leaves_open(question: str, resolution: Resolution) -> bool:
    """Whether a question speaks of a release in words of which the rules know none."""
    return (
        resolution.status in (ReleaseStatus.LATEST, ReleaseStatus.CONVERSATION)
        and not resolution.mentions
        and _OF_A_RELEASE.search(question) is not None
    )


def _in_words(name: str) -> bool:
    return _OF_A_RELEASE.search(name) is not None and not re.search(r"\d", name)


async def named_release(
    model: BaseChatModel, turn: Turn, product: Product, *, max_tokens: int = 80
) -> tuple[Resolution | None, Turn]:
    """What the model alone finds, and the turn with its calls (QAMR III-B; the paper's way)."""
    releases = product.releases
    listed = "\n".join(f"{i}. {r.name}" for i, r in enumerate(releases, 1))
    messages = render(
        STEP, releases=fenced("releases", listed), question=fenced("question", turn.question)
    )

    def check(made: NamedRelease) -> None:
        if made.number > len(releases):
            raise ValueError(f"the list ends at {len(releases)}")
        if made.number and find_verbatim(made.words, turn.question) is None:
            raise ValueError('"words" must be copied from the question')

    reply, calls = await ask_for(
        model, messages, NamedRelease, step=STEP, max_tokens=max_tokens, check=check
    )
    turn = replace(turn, calls=(*turn.calls, *calls))
    if reply is None:
        return None, replace(turn, fallbacks=(*turn.fallbacks, Fallback(STEP, calls[-1].problem)))
    if not reply.number:
        return None, turn
    words = find_verbatim(reply.words, turn.question) or ""
    start = turn.question.find(words)
    release = releases[reply.number - 1].name
    return (
        Resolution(
            ReleaseStatus.STATED,
            product.name,
            releases=(release,),
            mentions=(Mention(start, start + len(words), words),),
            explanation=f"you said “{words}” → {release}",
        ),
        turn,
    )
