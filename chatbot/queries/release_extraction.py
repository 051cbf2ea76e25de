"""Step 1 of QAMR III-B: the release that a question is about, by rules over the catalog.

A language model may be asked for what the rules leave open; what is open then is asked back.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution
from chatbot.releases.rules import After, resolve_release
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.text.phrasing import listed
from chatbot.text.verbatim import find_verbatim
from chatbot.turn import Answer, Fallback, ModelStep, Route, RuleStep, Turn
from corpora.catalog.release import Product
from prompts import fenced, render

STEP = "release_extraction"
_UNSAID = (ReleaseStatus.LATEST, ReleaseStatus.CONVERSATION)
_OF_A_RELEASE = re.compile(
    r"\b(?:releases?|versions?|editions?|generations?|series|branch|builds?|lts|long[- ]term)\b",
    re.I,
)


def resolve_turn(turn: Turn, products: Sequence[Product], after: After | None = None) -> Resolution:
    """Find the release that a turn's question is about (`resolve_release`)."""
    return resolve_release(
        turn.question,
        products,
        product=turn.product,
        release=turn.release,
        history=turn.history,
        conversation_release=turn.conversation_release,
        after=after,
    )


def extract_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Resolve the release; an unknown or ambiguous one becomes a question, never a guess.

    What an earlier step has resolved is not resolved again.
    """

    def extract(turn: Turn) -> Turn:
        known = products()
        resolution = turn.resolution or resolve_turn(turn, known)
        turn = replace(turn, resolution=resolution)
        if resolution.releases:
            return turn
        return replace(turn, route=Route.CLARIFY, answer=ask_back(resolution, known))

    return extract


def ask_back(resolution: Resolution, products: Sequence[Product]) -> Answer:
    """Ask for what a resolution leaves open, with the choices; abstains."""
    if resolution.status is ReleaseStatus.NONE:
        text = "I don't know: there is no documentation yet. Ingest some with `strata ingest`."
        return Answer(text, abstained=True)
    choices: Iterable[str] = resolution.available
    wanted = f"release of {resolution.product}"
    if resolution.product is None:
        wanted = "product"
        choices = (
            f"{product.name} ({', '.join(release.name for release in reversed(product.releases))})"
            for product in offered_products(resolution, products)
        )
    asked = f"Which {wanted} do you mean"
    if resolution.status is ReleaseStatus.UNKNOWN:
        missing = f"there is {resolution.explanation} in the documentation"
        asked = f"I don't know: {missing}. Which one do you mean"
    return Answer(f"{asked}: {listed(choices, 'or')}?", abstained=True)


def offered_products(asked: Resolution, products: Sequence[Product]) -> tuple[Product, ...]:
    """Return the products that can be chosen, each with the releases that can be chosen of it."""

    def narrowed(product: Product) -> Product:
        owner = "" if asked.product else f"{product.name} "
        kept = tuple(r for r in product.releases if f"{owner}{r.name}" in asked.available)
        return replace(product, releases=kept)

    own = [p for p in products if asked.product in (None, p.name)]
    return tuple(p for p in map(narrowed, own) if p.releases) or tuple(own)


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
    """Resolve by rules, and ask the model where words for a release are none that they know.

    It chooses from the numbered releases or "none", by words of the question. What the rules
    judged, and every number, is not judged again (docs/decisions/0008).
    """

    async def extract(turn: Turn) -> Turn:
        turn = await in_thread(by_rules, turn)
        resolution = turn.resolution
        unsaid = resolution and resolution.status in _UNSAID and not resolution.mentions
        if resolution is None or not (unsaid and _OF_A_RELEASE.search(turn.question)):
            return turn
        name = resolution.product
        releases = next(p.releases for p in await in_thread(products) if p.name == name)
        numbered = "\n".join(f"{i}. {r.name}" for i, r in enumerate(releases, 1))

        def check(made: NamedRelease) -> None:
            if made.number > len(releases):
                raise ValueError(f"the list ends at {len(releases)}")
            if made.number and find_verbatim(made.words, turn.question) is None:
                raise ValueError('"words" must be copied from the question')

        reply, calls = await ask_for(
            model,
            render(
                STEP,
                releases=fenced("releases", numbered),
                question=fenced("question", turn.question),
            ),
            NamedRelease,
            step=STEP,
            max_tokens=max_tokens,
            check=check,
        )
        turn = replace(turn, calls=(*turn.calls, *calls))
        if reply is None:
            failed = Fallback(STEP, calls[-1].problem)
            return replace(turn, fallbacks=(*turn.fallbacks, failed))
        words = find_verbatim(reply.words, turn.question) or ""
        in_words = _OF_A_RELEASE.search(words) and not any(map(str.isdigit, words))
        if not reply.number or not in_words:
            return turn
        release, start = releases[reply.number - 1].name, turn.question.find(words)
        found = Resolution(
            ReleaseStatus.STATED,
            name,
            releases=(release,),
            mentions=(Mention(start, start + len(words), words),),
            explanation=f"you said “{words}” → {release}",
        )
        return replace(turn, resolution=found)

    return extract
