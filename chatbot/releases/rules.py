"""Release extraction by rules: from which release does the user want the answer? (QAMR III-B)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chatbot.releases.product_choice import Question, choose_products, possible_releases
from chatbot.releases.product_names import find_product
from chatbot.releases.release_choice import Context, choose_release, meanings
from chatbot.releases.release_mentions import Found
from chatbot.releases.release_names import Reading
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
    read = Question(_ends(question), tuple(products))
    options = choose_products(read, chosen, context)
    found = _settled(read.mentions(options[0]), context)
    meant = meanings(found, options[0], context)
    mentions = _mentions(question, meant)
    if len(options) > 1:
        possible = [(option, possible_releases(read, option, context)) for option in options]
        several = any(releases for _, releases in possible)
        return Resolution(
            ReleaseStatus.AMBIGUOUS,
            None,
            available=_listing(possible if several else ((p, p.releases) for p in options)),
            mentions=mentions,
            explanation="several products have this release" if several else "no product named",
        )
    only = options[0]
    if not only.releases:
        return Resolution(ReleaseStatus.NONE, only.name, explanation="no release yet")
    resolution = choose_release(meant, read.masked(only), only, context)
    return replace(resolution, mentions=mentions)


def _settled(found: Sequence[Found], context: Context) -> list[Found]:
    """Leave out what may be no release where another is named, or chosen by the caller."""
    sure = [mention for mention in found if not mention.doubtful]
    return sure if sure or context.chosen is not None else list(found)


def _ends(question: str) -> str:
    """Drop the middle of a very long question, which is pasted material and no request."""
    if len(question) <= 2 * _READ:
        return question
    return question[: _READ - 1] + "\0" + question[-_READ:]


def _mentions(question: str, meant: Sequence[tuple[Found, Reading]]) -> tuple[Mention, ...]:
    """Place the mentions in the whole question, of whose middle nothing was read."""
    skipped = max(0, len(question) - 2 * _READ)
    mentions = []
    for found, reading in meant:
        shift = 0 if found.start < _READ else skipped
        start, end = found.start + shift, found.end + shift
        meant_one = None if found.negated else reading.release
        name = meant_one.name if meant_one else None
        mentions.append(Mention(start, end, question[start:end], name))
    return tuple(mentions)


def _listing(possible: Iterable[tuple[Product, Sequence[Release]]]) -> tuple[str, ...]:
    """Name releases with their products, the newest of each first."""
    return tuple(
        f"{product.name} {release.name}"
        for product, releases in possible
        for release in reversed(product.releases)
        if release in releases
    )
