"""Which product is a question about? The one it names, or was chosen, or was spoken of before."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from chatbot.releases.product_names import Span, find_product, mask, product_spans
from chatbot.releases.release_choice import Context, read_choice
from chatbot.releases.release_mentions import Found, find_mentions
from chatbot.releases.release_names import release_names
from chatbot.releases.release_words import OWN
from corpora.catalog.release import Product, Release


@dataclass(frozen=True)
class Question:
    """A question over a catalog, read as one about this product or that."""

    text: str
    products: tuple[Product, ...]

    @cached_property
    def spans(self) -> list[Span]:
        """Where the question names products."""
        return product_spans(self.text, self.products)

    @cached_property
    def named(self) -> list[Product]:
        """The products that the question names."""
        return list({product.name: product for _, _, product in self.spans}.values())

    def masked(self, product: Product) -> str:
        """The question with the names of products masked, this one's apart from the others'."""
        return mask(self.text, product, self.spans)

    def mentions(self, product: Product) -> list[Found]:
        """What the question says about the releases of a product."""
        return find_mentions(self.text, self.masked(product), release_names(product))

    def states(self, product: Product) -> list[Release]:
        """The releases of a product that the question names."""
        covered = (mention.reading.covers for mention in self.mentions(product))
        return [covers[-1] for covers in covered if covers]

    def states_beside_name(self, product: Product) -> bool:
        """Say whether a release stands right beside the product's name."""
        masked = self.masked(product)
        return any(
            mention.reading.covers and OWN in masked[mention.start : mention.end]
            for mention in self.mentions(product)
        )


def choose_products(question: Question, chosen: Product | None, context: Context) -> list[Product]:
    """Return the products that a question may be about; one, where that is certain.

    A chosen product gives way only to another one that is named with a release of its own.
    """
    named = question.named
    if len(named) == 1 and chosen in (None, named[0]):
        return named
    stating = [product for product in named if question.states_beside_name(product)]
    if chosen:
        return stating if chosen not in named and len(stating) == 1 else [chosen]
    if len(stating) == 1:
        return stating
    current = find_product(context.product, question.products) if context.product else None
    if current and (current in named or not named):
        return [current]
    options = named or list(question.products)
    if len(options) == 1:
        return options
    return [
        product for product in options if possible_releases(question, product, context)
    ] or options


def possible_releases(question: Question, product: Product, context: Context) -> list[Release]:
    """Return a product's releases that the caller's choice, or else the question, may mean."""
    if context.chosen is None:
        return question.states(product)
    return list(read_choice(context.chosen, product).covers[-1:])
