"""Release extraction by rules: from which release does the user want the answer? (QAMR III-B)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from chatbot.releases.product_names import Span, find_product, mask, product_spans
from chatbot.releases.release_choice import Context, Meant, choose_release, meanings, read_choice
from chatbot.releases.release_mentions import Found, find_mentions
from chatbot.releases.release_names import release_names
from chatbot.releases.release_words import OWN
from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution
from corpora.catalog.release import Product, Release

_READ = 2_000


def resolve_release(
    question: str,
    products: Sequence[Product],
    *,
    product: str | None = None,
    release: str | None = None,
    history: Sequence[tuple[str, str]] = (),
    conversation_release: tuple[str, str] | None = None,
) -> Resolution:
    """Find the release that a question is about, by rules alone.

    `product` and `release` are the caller's choice; what the question itself says goes before
    `release`. `conversation_release` is the (product, release) of the turn before; without it the
    `history` of (user, assistant) turns is read. Never takes another release than the one named:
    a release that is not there is UNKNOWN, and one of several possible is AMBIGUOUS.
    """
    context = Context(release)
    if conversation_release:
        context = Context(release, *conversation_release)
    elif history:
        context = _after(history, products, product, release)
    return _resolve(question, products, product, context)


def _after(
    history: Sequence[tuple[str, str]],
    products: Sequence[Product],
    product: str | None,
    chosen: str | None,
) -> Context:
    """Follow a conversation to the product and release that it has come to.

    An answer counts only where its question left the release open and the answer names exactly
    one other, by its full name. What came from the latest stays the latest.
    """
    context = Context(chosen)
    for user, assistant in history:
        said = _resolve(user, products, product, context)
        release = said.releases[-1] if said.releases else context.release
        if said.status is ReleaseStatus.LATEST:
            answer = _resolve(assistant, products, said.product, Context())
            named = answer.releases[0] if answer.status is ReleaseStatus.STATED else None
            other = named and named in assistant and answer.releases != said.releases
            release = named if other and not said.mentions else None
        context = Context(chosen, said.product or context.product, release)
    return context


@dataclass(frozen=True)
class _Question:
    """A question over a catalog, read as one about this product or that."""

    text: str
    products: Sequence[Product]

    @cached_property
    def spans(self) -> list[Span]:
        return product_spans(self.text, self.products)

    def masked(self, product: Product) -> str:
        return mask(self.text, product, self.spans)

    def mentions(self, product: Product) -> list[Found]:
        return find_mentions(self.text, self.masked(product), release_names(product))

    def releases(self, product: Product, *, beside_name: bool = False) -> list[Release]:
        """The releases of a product that the question names, or only those beside its name."""
        masked = self.masked(product)
        return [
            mention.reading.covers[-1]
            for mention in self.mentions(product)
            if mention.reading.covers
            and (OWN in masked[mention.start : mention.end] or not beside_name)
        ]


def _resolve(
    question: str, products: Sequence[Product], product: str | None, context: Context
) -> Resolution:
    if not products:
        return Resolution(ReleaseStatus.NONE, None, explanation="no documentation yet")
    chosen = find_product(product, products) if product is not None else None
    if product is not None and chosen is None:
        return Resolution(
            ReleaseStatus.UNKNOWN,
            None,
            available=_listing((p, p.releases) for p in products),
            explanation=f'no product "{product}"',
        )
    read = _Question(_ends(question), products)
    options = _choose_products(read, chosen, context)
    only = options[0]
    found = read.mentions(only)
    # What may be no release is left out where another is named, or chosen by the caller.
    if context.chosen is not None or not all(mention.doubtful for mention in found):
        found = [mention for mention in found if not mention.doubtful]
    meant = meanings(found, only, context)
    mentions = _mentions(question, meant)
    if len(options) > 1:
        possible = [(option, _possible_releases(read, option, context)) for option in options]
        several = any(releases for _, releases in possible)
        return Resolution(
            ReleaseStatus.AMBIGUOUS,
            None,
            available=_listing(possible if several else ((p, p.releases) for p in options)),
            mentions=mentions,
            explanation="several products have this release" if several else "no product named",
        )
    return replace(choose_release(meant, read.masked(only), only, context), mentions=mentions)


def _choose_products(
    question: _Question, chosen: Product | None, context: Context
) -> list[Product]:
    """Return the products that a question may be about; one, where that is certain."""
    named = list({product.name: product for _, _, product in question.spans}.values())
    stating = [product for product in named if question.releases(product, beside_name=True)]
    if chosen:
        return stating if chosen not in named and len(stating) == 1 else [chosen]
    if len(stating) == 1:
        return stating
    current = find_product(context.product, question.products) if context.product else None
    if current and (current in named or not named):
        return [current]
    options = named or list(question.products)
    possible = [p for p in options if _possible_releases(question, p, context)]
    return possible or options


def _possible_releases(question: _Question, product: Product, context: Context) -> list[Release]:
    if context.chosen is None:
        return question.releases(product)
    return list(read_choice(context.chosen, product).covers[-1:])


def _ends(question: str) -> str:
    """Drop the middle of a very long question, which is pasted material and no request."""
    if len(question) <= 2 * _READ:
        return question
    return question[: _READ - 1] + "\0" + question[-_READ:]


def _mentions(question: str, meant: Sequence[Meant]) -> tuple[Mention, ...]:
    """Place the mentions in the whole question, of whose middle nothing was read."""
    skipped = max(0, len(question) - 2 * _READ)
    mentions = []
    for found, reading in meant:
        shift = 0 if found.start < _READ else skipped
        start, end = found.start + shift, found.end + shift
        release = None if found.negated else reading.release
        name = release.name if release else None
        mentions.append(Mention(start, end, question[start:end], name))
    return tuple(mentions)


def _listing(possible: Iterable[tuple[Product, Sequence[Release]]]) -> tuple[str, ...]:
    return tuple(
        f"{product.name} {release.name}"
        for product, releases in possible
        for release in reversed(product.releases)
        if release in releases
    )
