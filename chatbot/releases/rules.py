"""Release extraction by rules: from which release does the user want the answer? (QAMR III-B)."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain

from chatbot.releases.number_roles import other_versions
from chatbot.releases.product_names import Span, find_product, product_spans
from chatbot.releases.release_choice import (
    SENTENCE,
    Context,
    choose_release,
    drop_context,
    read_choice,
    with_releases,
)
from chatbot.releases.release_mentions import ParsedMention, Place, find_mentions
from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution
from chatbot.releases.words_beside import is_joined
from chatbot.text.languages import gettext, shown_list
from corpora.catalog.release import Product, Release
from corpora.indexing.lexical import identifiers

_READ = 2_000
"""Letters of a very long question that are read at either end: its middle is pasted material."""
_NAMED = 3
"""Names of a list that an explanation has."""
_MOST_PRODUCTS = 4
"""Of which their documents tell whether they have a name; of more the user is asked."""


def resolve_release(
    question: str,
    products: Sequence[Product],
    *,
    product: str | None = None,
    release: str | None = None,
    history: Sequence[tuple[str, str]] = (),
    conversation_release: tuple[str, str] | None = None,
    chosen_by: str = "",
) -> Resolution:
    """Find the release that a question is about, by rules alone.

    `product` and `release` are the caller's choice, `chosen_by` what made it; what the question
    itself says goes before `release`. `conversation_release` is the (product, release) of the turn
    before; without it the `history` of (user, assistant) turns is read. Never takes another release
    than the one named: a release that is not there is UNKNOWN, and one of several possible is
    AMBIGUOUS. Of a few products that could be meant, it is the one that alone has the question's
    names, as in code.
    """
    of, spoken_of = conversation_release or (None, None)
    context = Context(release, of, spoken_of, chosen_by)
    for user, assistant in history if conversation_release is None else ():
        context = context_after(user, assistant, products, product, context)
    return resolve_within(context, question, products, product)


def context_after(
    user: str,
    assistant: str,
    products: Sequence[Product],
    product: str | None,
    context: Context,
) -> Context:
    """The product and release that a conversation has come to with one more turn.

    An answer counts only where its question left the release open and the answer names exactly
    one other, by its full name. What came from the latest stays the latest.
    """
    resolution = resolve_within(context, user, products, product)
    if resolution.apart:
        return Context(context.chosen, chosen_by=context.chosen_by)
    release = resolution.releases[-1] if resolution.releases else context.release
    if resolution.status is ReleaseStatus.LATEST:
        answer = resolve_within(Context(), assistant, products, resolution.product)
        named = answer.releases[0] if answer.status is ReleaseStatus.STATED else None
        other = named and named in assistant and answer.releases != resolution.releases
        release = named if other and not resolution.mentions else None
    product = resolution.product or context.product
    return Context(context.chosen, product, release, context.chosen_by)


def resolve_within(
    context: Context, question: str, products: Sequence[Product], product: str | None
) -> Resolution:
    """Find the release that a question is about where a conversation has come to a context."""
    if not products:
        return Resolution(ReleaseStatus.NONE, None, explanation=gettext("no documentation yet"))
    chosen = find_product(product, products) if product is not None else None
    if product is not None and chosen is None:
        every = _listing((p, p.releases) for p in products)
        why = gettext('no product "{product}"', product=product)
        return Resolution(ReleaseStatus.UNKNOWN, None, available=every, explanation=why)
    middle = question[_READ:-_READ]
    text = f"{question[:_READ]}{'|' * len(middle)}{question[_READ:][len(middle) :]}"
    spans = product_spans(text, products)
    named = list(dict.fromkeys(named for _, _, named in spans))

    @cache
    def read(of: Product) -> list[ParsedMention]:
        return find_mentions(text, of, spans)

    def resolved(
        of: Product, context: Context = context, others: Sequence[ParsedMention] = ()
    ) -> Resolution:
        candidates = [
            m for m in read(of) if all(m.end <= o.start or o.end <= m.start for o in others)
        ]
        if named[1:]:
            # "Acme 2.0 vs Beta 3.1", "Acme is faster than Beta 3.1": no two releases of Beta.
            candidates = [replace(m, preposition="") if m.names_product else m for m in candidates]
        # What may be no release is left out where another is named, or chosen by the caller.
        if context.chosen is not None or not all(mention.is_uncertain for mention in candidates):
            candidates = [mention for mention in candidates if not mention.is_uncertain]
        meant = with_releases(candidates, of, context)
        mentions = tuple(_mention(question, mention) for mention in meant)
        return replace(choose_release(meant, text, of, context), mentions=mentions)

    def possible(of: Product) -> Sequence[Release]:
        if context.chosen is None:
            # For this the documents of every product would be opened.
            plain = find_mentions(text, of.plain, spans)
            return [m.reading.covers[-1] for m in plain if m.reading.covers]
        return read_choice(context.chosen, of).covers[-1:]

    stating = [p for p in named if any(m.names_product and m.reading.covers for m in read(p))]
    beside = {p: own for p in named if (own := _beside_its_name(read(p)))}
    beside |= _also_named(beside, text, spans, elsewhere=chosen is None)
    if chosen in beside:
        # "with Acme 3.1": of what the chosen one works with nothing is asked.
        beside = {
            p: own for p, own in beside.items() if p is chosen or own[0].preposition != "with"
        }
    if apart := _asked_apart(beside, text, read, resolved):
        return apart
    options = _options(products, chosen, named, stating, context.product)
    options = [p for p in options if possible(p)] or options if options[1:] else options
    # For this the documents of each are opened.
    is_open = 1 < len(options) <= _MOST_PRODUCTS and not named
    names = identifiers(text) if is_open else []

    def has_names(of: Product) -> bool:
        # Of a release that is named its own documents tell, not those of the newest ones.
        releases = [release.name for release in possible(of)] or [""]
        return all(any(of.has_name(name, release) for release in releases) for name in names)

    undecided, options = options, [p for p in options if names and has_names(p)]
    by_name, options = len(options) == 1, options or undecided
    resolution = resolved(options[0])
    if not options[1:]:
        resolution = _by_name(resolution, names[0], text) if by_name else resolution
        resolution = _with_other_versions(resolution, text, spans, options[0])
        return searched_alone(resolution, spans)
    several = any(map(possible, options))
    available = _listing((p, possible(p) if several else p.releases) for p in options)
    why = gettext("no product named")
    if several:
        why = gettext("several products have this release")
    return Resolution(ReleaseStatus.AMBIGUOUS, None, (), available, resolution.mentions, why)


def _beside_its_name(mentions: Sequence[ParsedMention]) -> list[ParsedMention]:
    """The mentions of a release beside the product's name, also of one that it does not have."""
    return [m for m in mentions if m.names_product and m.place is None]


def _also_named(
    stated: Mapping[Product, Sequence[ParsedMention]],
    text: str,
    spans: Sequence[Span],
    *,
    elsewhere: bool,
) -> dict[Product, list[ParsedMention]]:
    """The products that are asked about without a release, beside others that have their own.

    "In Acme 2.0 and in Beta" asks for the latest of Beta as well, "Acme 2.0 with Beta" does not;
    nor is Acme meant by a sentence with Beta alone, which may be `elsewhere`.
    """
    own = [(m.start, m.end) for mentions in stated.values() for m in mentions]
    parts = [m.span() for m in SENTENCE.finditer(text)]
    found: dict[Product, list[ParsedMention]] = {}
    for start, end, product in spans:
        among = [of for s, e in parts if s <= start < e for of in own if s <= of[0] < e]
        joined = any(
            is_joined(text, min(end, e), max(start, s)) for s, e in own if e <= start or end <= s
        )
        if own and product not in stated and (joined or (elsewhere and not among)):
            named = ParsedMention(start, end, text[start:end], place=Place.LATEST)
            found.setdefault(product, []).append(named)
    return found


def _asked_apart(
    stated: Mapping[Product, Sequence[ParsedMention]],
    text: str,
    read: Callable[[Product], Sequence[ParsedMention]],
    resolved: Callable[[Product, Context, Sequence[ParsedMention]], Resolution],
) -> Resolution | None:
    """The releases of the products that a question names each with its own; None for one.

    What is named beside the question, or negated, is not asked about.
    """
    if len(stated) < 2:
        return None
    # "In Acme 2.1, how do I reach Beta 3.0?" is about both.
    asked = drop_context(list(chain.from_iterable(stated.values())), text, SENTENCE)
    wanted = [product for product, own in stated.items() if any(m in asked for m in own)]
    sentences = [m.span() for m in SENTENCE.finditer(text)]

    def of_other(product: Product, other: Product) -> list[ParsedMention]:
        """The mentions of another product, all those of a sentence that is about it alone."""
        own = [
            (start, end)
            for start, end in sentences
            if any(start <= m.start < end for m in stated[other])
            and not any(start <= m.start < end for m in stated[product])
        ]
        inside = [m for m in read(other) if any(start <= m.start < end for start, end in own)]
        return [*stated[other], *inside]

    others = {
        p: [m for other in stated if other is not p for m in of_other(p, other)] for p in wanted
    }
    parts = tuple(resolved(product, Context(), others[product]) for product in wanted)
    if len(parts) < 2:
        return parts[0] if parts else None
    mentions: list[Mention] = []
    for product, part in zip(wanted, parts, strict=True):
        own = (
            replace(m, release=m.release and f"{part.product} {m.release}") for m in part.mentions
        )
        mentions += (m for m in own if all(m.end <= o.start or o.end <= m.start for o in mentions))
        mentions += (
            Mention(m.start, m.end, m.name, f"{part.product} {part.releases[0]}", m.name)
            for m in stated[product]
            if m.place is Place.LATEST and part.releases
        )
    mentions.sort(key=lambda mention: mention.start)
    if unclear := next((part for part in parts if not part.releases), None):
        choices = tuple(f"{unclear.product} {release}" for release in unclear.available)
        return replace(unclear, product=None, available=choices, mentions=tuple(mentions))
    names = tuple(f"{part.product} {release}" for part in parts for release in part.releases)
    why = gettext("compared: {releases}", releases=", ".join(names))
    return Resolution(ReleaseStatus.COMPARED, None, names, (), tuple(mentions), why, apart=parts)


def _options(
    products: Sequence[Product],
    chosen: Product | None,
    named: Sequence[Product],
    stating: Sequence[Product],
    current: str | None,
) -> Sequence[Product]:
    """The products that a question may be about; one, where that is certain.

    A chosen product gives way only to another one that is named with a release of its own
    (`stating`).
    """
    if chosen:
        return stating if chosen not in named and len(stating) == 1 else [chosen]
    if len(stating) == 1:
        return stating
    before = find_product(current, products) if current else None
    if before and (before in named or not named):
        return [before]
    return named or products


def _by_name(resolution: Resolution, name: str, text: str) -> Resolution:
    """A resolution for the one product that has a name of the question, which says so."""
    if not resolution.releases:
        return resolution
    why, product = resolution.explanation, resolution.product
    if written := re.search(re.escape(name), text, re.I):
        name = written[0]
    told = gettext("{why}; for {product}, which has {name}", why=why, product=product, name=name)
    return replace(resolution, explanation=told)


def _with_other_versions(
    resolution: Resolution, text: str, spans: Sequence[Span], product: Product
) -> Resolution:
    """A resolution for the latest, which says what number of the question it took for no release.

    "The hold time in Foo 17.20?" may ask for a product that is not there, or not for the asker.
    """
    if resolution.status is not ReleaseStatus.LATEST:
        return resolution
    if not (others := other_versions(text, spans, product)):
        return resolution
    why = gettext(
        '{why}, as "{words}" names no release of {product}',
        why=resolution.explanation,
        words='", "'.join(_first(others)),
        product=product.name,
    )
    return replace(resolution, explanation=why)


def searched_alone(resolution: Resolution, spans: Sequence[Span]) -> Resolution:
    """A resolution that says which products the question names as well, and are not searched.

    "Is Acme 2.0 faster than Beta?" is answered for Acme alone, as "does Acme 2.0 work with Beta?".
    """
    named = dict.fromkeys(product.name for _, _, product in spans)
    others = [name for name in named if name != resolution.product]
    if not (others and resolution.releases):
        return resolution
    why = gettext(
        "{why}; {product} alone was searched, not {others}",
        why=resolution.explanation,
        product=resolution.product,
        others=shown_list(_first(others)),
    )
    return replace(resolution, explanation=why)


def _first(names: Iterable[str]) -> list[str]:
    """The first few names of a list that a question can make as long as itself."""
    distinct = [*dict.fromkeys(names)]
    return distinct if len(distinct) <= _NAMED else [*distinct[:_NAMED], "…"]


def _mention(question: str, mention: ParsedMention) -> Mention:
    release = None if mention.is_negated else mention.reading.release
    text, name = question[mention.start : mention.end], release.name if release else None
    return Mention(mention.start, mention.end, text, name, mention.name)


def _listing(possible: Iterable[tuple[Product, Sequence[Release]]]) -> tuple[str, ...]:
    return tuple(
        f"{product.name} {release.name}"
        for product, releases in possible
        for release in reversed(product.releases)
        if release in releases
    )
