"""Which release a turn asks about, and the question back where that is open."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.releases.rules import After, resolve_release
from chatbot.text.words import listed
from chatbot.turn import Answer, Turn
from corpora.catalog.release import Product


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
