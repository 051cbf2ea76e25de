"""Release extraction by rules: from which release does the user want the answer? (QAMR III-B)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from chatbot.product_names import Span, find_product, mask, product_spans
from chatbot.release_mentions import Found, find_mentions
from chatbot.release_names import NOTHING, Reading, release_names
from chatbot.release_phrases import Place
from chatbot.release_words import OWN
from corpora.release import Product, Release


class ReleaseStatus(StrEnum):
    """How the release of an answer was found, or why it was not."""

    STATED = "stated"
    CONVERSATION = "conversation"
    LATEST = "latest"
    UNKNOWN = "unknown"
    AMBIGUOUS = "ambiguous"
    COMPARED = "compared"
    NONE = "none"


@dataclass(frozen=True)
class Mention:
    """A place in the question that names a release, with the words that go with it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Resolution:
    """The release or releases to answer from.

    `releases` has one name, or two and more when compared, or none when the user must choose from
    `available` (newest first). `mentions` are the places in the question to leave out of a
    versionless query. `explanation` says in a few words how it was found.
    """

    status: ReleaseStatus
    product: str | None
    releases: tuple[str, ...] = ()
    available: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    explanation: str = ""


@dataclass(frozen=True)
class _Context:
    """What the question leaves unsaid: the release chosen by the caller, and the conversation's."""

    chosen: str | None = None
    product: str | None = None
    release: str | None = None


_READ = 2_000
_COMPARES = re.compile(
    r"\b(?:vs|versus|compar\w+|differ\w*|between|both|since)\b|\bwhat\b.*\b(?:chang\w+|new)\b",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"\b(?:(?:up|down)grad\w*|migrat\w*|mov(?:e|ed|ing)|switch\w*|roll\w*[\s-]?back|port(?:ed|ing)"
    r"|updat\w+\s+(?:from|to))\b",
    re.IGNORECASE,
)
_CONTRASTS = re.compile(
    r"\b(?:vs|versus|compar\w+|differ\w*)\b|\bwhat(?:['’]s|\s+is|\s+has)?\s+(?:changed|new)\b",
    re.IGNORECASE,
)


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
    context = _Context(release)
    if conversation_release:
        context = _Context(release, *conversation_release)
    elif history:
        context = _after(history, products, product, release)
    return _resolve(question, products, product, context)


def _resolve(
    question: str, products: Sequence[Product], chosen: str | None, context: _Context
) -> Resolution:
    if not products:
        return Resolution(ReleaseStatus.NONE, None, explanation="no documentation yet")
    if chosen is not None and find_product(chosen, products) is None:
        return Resolution(
            ReleaseStatus.UNKNOWN,
            None,
            available=_listing(products),
            explanation=f'no product "{chosen}"',
        )
    text = _ends(question)
    spans = product_spans(text, products)
    candidates = _candidates(text, spans, products, chosen, context)
    if len(candidates) > 1:
        return _ask_for_product(question, text, spans, candidates)
    product = candidates[0]
    if not product.releases:
        return Resolution(ReleaseStatus.NONE, product.name, explanation="no release yet")
    masked = mask(text, product, spans)
    found = find_mentions(text, masked, release_names(product))
    decided = _decide(found, masked, product, context)
    return replace(decided, mentions=_mentions(question, found))


def _ends(question: str) -> str:
    """Drop the middle of a very long question, which is pasted material and no request."""
    if len(question) <= 2 * _READ:
        return question
    return question[: _READ - 1] + "\0" + question[-_READ:]


def _after(
    history: Sequence[tuple[str, str]],
    products: Sequence[Product],
    product: str | None,
    chosen: str | None,
) -> _Context:
    """Follow a conversation to the product and release that it has come to.

    An answer counts only where its question left the release open and the answer names exactly
    one, by its full name. What came from the latest stays the latest.
    """
    context = _Context(chosen)
    for user, assistant in history:
        said = _resolve(user, products, product, context)
        release = context.release
        if said.status is ReleaseStatus.LATEST:
            release = None
            answer = _resolve(assistant, products, said.product, _Context())
            named = "".join(answer.releases)
            if answer.status is ReleaseStatus.STATED and named in assistant:
                release = named
        elif said.releases:
            release = said.releases[-1]
        context = _Context(chosen, said.product or context.product, release)
    return context


def _candidates(
    text: str,
    spans: Sequence[Span],
    products: Sequence[Product],
    chosen: str | None,
    context: _Context,
) -> list[Product]:
    """Return the products that the question may be about; one, where that is certain.

    A chosen product gives way only to another one that is named with a release of its own.
    """
    named = list({span[2].name: span[2] for span in spans}.values())
    product = find_product(chosen, products) if chosen is not None else None
    if len(named) == 1 and product in (None, named[0]):
        return named
    stating = [p for p in named if _stated(text, spans, p, beside_product=True)]
    if product:
        return stating if product not in named and len(stating) == 1 else [product]
    if len(stating) == 1:
        return stating
    current = find_product(context.product, products) if context.product else None
    if current and (current in named or not named):
        return [current]
    if named or len(products) == 1:
        return named or list(products)
    if context.chosen:
        having = [p for p in products if _read_choice(context.chosen, p).covers]
    else:
        having = [p for p in products if _stated(text, spans, p)]
    return having or list(products)


def _stated(
    text: str, spans: Sequence[Span], product: Product, *, beside_product: bool = False
) -> list[Release]:
    masked = mask(text, product, spans)
    return [
        mention.reading.covers[-1]
        for mention in find_mentions(text, masked, release_names(product))
        if mention.reading.covers
        and (not beside_product or OWN in masked[mention.start : mention.end])
    ]


def _ask_for_product(
    question: str, text: str, spans: Sequence[Span], candidates: Sequence[Product]
) -> Resolution:
    stated = {p.name: {r.name for r in _stated(text, spans, p)} for p in candidates}
    masked = mask(text, candidates[0], spans)
    found = find_mentions(text, masked, release_names(candidates[0]))
    available = tuple(
        f"{p.name} {name}"
        for p in candidates
        for name in _newest_first(p)
        if name in stated[p.name]
    )
    return Resolution(
        ReleaseStatus.AMBIGUOUS,
        None,
        available=available or _listing(candidates),
        mentions=_mentions(question, found),
        explanation="several products have this release" if available else "no product named",
    )


def _listing(products: Sequence[Product]) -> tuple[str, ...]:
    return tuple(
        f"{product.name} {name}" for product in products for name in _newest_first(product)
    )


def _newest_first(product: Product) -> tuple[str, ...]:
    return tuple(release.name for release in reversed(product.releases))


def _mentions(question: str, found: Sequence[Found]) -> tuple[Mention, ...]:
    """Place the mentions in the whole question, of whose middle nothing was read."""
    skipped = max(0, len(question) - 2 * _READ)
    places = [(f.start, f.end, 0 if f.start < _READ else skipped) for f in found]
    return tuple(
        Mention(start + shift, end + shift, question[start + shift : end + shift])
        for start, end, shift in places
    )


def _decide(found: list[Found], text: str, product: Product, context: _Context) -> Resolution:
    """Choose among the releases that a question names, or fall back to what it leaves unsaid."""
    unsaid = _unsaid(product, context)
    meant = [(mention, _meaning(mention, found, product, unsaid[0])) for mention in found]
    asked = _asked(meant, text)
    known = [(mention, reading.release) for mention, reading in asked if reading.release]
    for mention, reading in asked:
        if not reading.certain:
            names = {release.name for release in reading.covers}
            return _ask(
                product, ReleaseStatus.AMBIGUOUS, f'"{mention.said}" may mean several', names
            )
        if not reading.release and (mention.sure or not known):
            return _ask(
                product, ReleaseStatus.UNKNOWN, f'no release "{mention.said}" of {product.name}'
            )
    if not known:
        return _fall_back(
            product, unsaid, [reading for mention, reading in meant if mention.negated]
        )
    if any(mention.place is Place.EVERY for mention, _ in known):
        return _compared(product, list(product.releases))
    releases = list({release.name: release for _, release in known}.values())
    mention, release = known[0]
    if len(releases) > 1:
        moves = any(mention.arrives for mention, _ in known) and _MOVES.search(text)
        if not moves or _CONTRASTS.search(text):
            return _compared(product, releases)
        release = max(releases, key=product.releases.index)
        why = f"{release.name}, the newer of the two, describes the move"
        return Resolution(ReleaseStatus.STATED, product.name, (release.name,), explanation=why)
    other = unsaid[0].release
    if mention.against and other and other is not release:
        return _compared(product, [release, other])
    if mention.place is Place.SAME:
        return _fall_back(product, unsaid, [])
    if mention.place is Place.LATEST and not mention.steps:
        return Resolution(
            ReleaseStatus.LATEST, product.name, (release.name,), explanation="the latest"
        )
    return Resolution(
        ReleaseStatus.STATED,
        product.name,
        (release.name,),
        explanation=_you_said("said", mention.said, release),
    )


Unsaid = tuple[Reading, ReleaseStatus, str]


def _unsaid(product: Product, context: _Context) -> Unsaid:
    """Return what holds when the question is silent: the choice, the conversation, the latest."""
    if context.chosen is not None:
        reading = _read_choice(context.chosen, product)
        if reading.release:
            return (
                reading,
                ReleaseStatus.STATED,
                _you_said("chose", context.chosen, reading.release),
            )
        status = ReleaseStatus.AMBIGUOUS if reading.covers else ReleaseStatus.UNKNOWN
        return reading, status, f'no release "{context.chosen}" of {product.name}'
    if context.release and context.product and find_product(context.product, [product]):
        reading = _read_choice(context.release, product)
        if reading.release:
            return reading, ReleaseStatus.CONVERSATION, "from the conversation"
    newest = product.newest
    return Reading((newest,) if newest else ()), ReleaseStatus.LATEST, "the latest"


def _read_choice(choice: str, product: Product) -> Reading:
    """Read a release given by itself, as by a command's option."""
    for release in product.releases:
        if release.name.casefold() == choice.strip().casefold():
            return Reading((release,))
    text = f"release {choice.strip()}"
    masked = mask(text, product, product_spans(text, [product]))
    found = find_mentions(text, masked, release_names(product))
    newest = Reading((product.newest,) if product.newest else ())
    return _meaning(found[0], found, product, newest) if len(found) == 1 else NOTHING


def _meaning(mention: Found, found: Sequence[Found], product: Product, unsaid: Reading) -> Reading:
    match mention.place:
        case None:
            origin = mention.reading
        case Place.LATEST:
            origin = Reading((product.newest,) if product.newest else ())
        case Place.OLDEST:
            finals = [release for release in product.releases if not release.prerelease]
            origin = Reading(tuple((finals or list(product.releases))[:1]))
        case Place.EVERY:
            origin = Reading(product.releases)
        case Place.REFERENCE | Place.SAME:
            reference = _reference(mention, found)
            origin = reference.reading if reference else unsaid
    return release_names(product).step(origin, mention.steps) if mention.steps else origin


def _reference(mention: Found, found: Sequence[Found]) -> Found | None:
    """Return the name that a relative phrase counts from: the last before it, else one after."""
    named = [other for other in found if other.place is None]
    before = [other for other in named if other.start < mention.start]
    return before[-1] if before else next(iter(named), None)


def _asked(meant: list[tuple[Found, Reading]], text: str) -> list[tuple[Found, Reading]]:
    """Leave out the releases that the question names only to say what it is not about."""
    asked = [(mention, reading) for mention, reading in meant if not mention.negated]
    if _COMPARES.search(text):
        return asked
    mentions = [mention for mention, _ in asked]
    origins = [
        _reference(mention, mentions)
        for mention in mentions
        if mention.place in (Place.REFERENCE, Place.SAME) and not mention.joined
    ]
    foreground = [
        (mention, reading)
        for mention, reading in asked
        if not (mention.background or mention in origins)
        and not any(set(reading.covers) > set(other.covers) != set() for _, other in asked)
    ]
    return foreground or asked


def _fall_back(product: Product, unsaid: Unsaid, excluded: Sequence[Reading]) -> Resolution:
    reading, status, explanation = unsaid
    if not reading.release:
        return _ask(product, status, explanation, {release.name for release in reading.covers})
    unwanted = {release.name for other in excluded for release in other.covers}
    if reading.release.name in unwanted:
        others = {release.name for release in product.releases} - unwanted
        why = f"not {reading.release.name}, but which one is open"
        return _ask(product, ReleaseStatus.AMBIGUOUS, why, others)
    return Resolution(status, product.name, (reading.release.name,), explanation=explanation)


def _ask(
    product: Product, status: ReleaseStatus, explanation: str, among: set[str] | None = None
) -> Resolution:
    available = tuple(name for name in _newest_first(product) if not among or name in among)
    return Resolution(status, product.name, available=available, explanation=explanation)


def _compared(product: Product, releases: Sequence[Release]) -> Resolution:
    names = tuple(release.name for release in releases)
    if len(names) == 1:
        return Resolution(ReleaseStatus.STATED, product.name, names, explanation="the only release")
    return Resolution(
        ReleaseStatus.COMPARED, product.name, names, explanation=f"compared: {', '.join(names)}"
    )


def _you_said(verb: str, said: str, release: Release) -> str:
    said = " ".join(said.split())
    if said.casefold() == release.name.casefold():
        return f'you {verb} "{said}"'
    return f'you {verb} "{said}" → {release.name}'
