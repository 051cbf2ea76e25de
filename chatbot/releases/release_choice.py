"""Choose the release among those a question names, or fall back to what it leaves unsaid."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.releases.accounting import CONTRASTS, MOVES
from chatbot.releases.product_names import find_product, mask, product_spans
from chatbot.releases.release_mentions import Found, find_mentions
from chatbot.releases.release_names import NOTHING, Reading, release_names
from chatbot.releases.release_phrases import Place
from chatbot.releases.resolution import ReleaseStatus, Resolution
from chatbot.text.phrasing import word_set
from corpora.catalog.release import Product, Release

Meant = tuple[Found, Reading]
"""A mention, and the releases that it stands for."""


@dataclass(frozen=True)
class Context:
    """What the question leaves unsaid: the release chosen by the caller, and the conversation's."""

    chosen: str | None = None
    product: str | None = None
    release: str | None = None


_LEFT_OPEN = re.compile(
    r"\b(?:other|old(?:er)?|new|earlier|former)\s+(?:\w+\s+){0,4}?(?:releases?|versions?|one)\b"
    r"|\b(?:in|on|for|with)\s+the\s+(?:release|version)\s+(?:that\s+)?(?:our|we|my|i|they)\b"
    r"|\b(?:past|beyond)\s+v?\d+\.\d+",
    re.IGNORECASE,
)
"""Speaks of a release in words that no rule reads: it is asked back, the latest is not taken."""
_PREPOSITIONS = word_set("in on for with of from to under at by")
_AGAINST = word_set("since from than against vs vs. versus")
_SENTENCE = re.compile(
    r".+?(?:[.?!](?=\s|$)|\n|[,:(](?=\s(?:how|what|which|why|is|does|do)\b)|$)", re.DOTALL | re.I
)


def meanings(found: Sequence[Found], product: Product, context: Context) -> list[Meant]:
    """Say which releases each mention in a question about one product stands for."""
    unsaid = Reading(_releases(_unsaid(product, context), product))
    return [(mention, _meaning(mention, found, product, unsaid)) for mention in found]


def choose_release(
    meant: Sequence[Meant], text: str, product: Product, context: Context
) -> Resolution:
    """Choose from the mentions in a masked question about one product, and what they mean."""
    silent = _unsaid(product, context)
    unsaid = _releases(silent, product)
    if not product.releases:
        return silent
    contrasts = CONTRASTS.search(text) is not None
    asked = _asked(meant, text, contrasts=contrasts)
    for mention, reading in asked:
        if mention.doubtful and not (unsaid and reading.release in unsaid):
            return _ask(product, f'"{mention.said}" may be a release or something else')
        if not reading.certain:
            return ask_which_release(product, mention.said, reading.covers)
        if not reading.release:
            return unknown_release(product, mention.said)
    known = [(mention, reading.release) for mention, reading in asked if reading.release]
    if not known:
        unwanted = {r for mention, reading in meant if mention.negated for r in reading.covers}
        return _without(unwanted, text, product, silent)
    for mention, reading in asked:
        if mention.place in (Place.EVERY, Place.NEWEST):
            return _compared(product, reading.covers)
    releases = tuple(dict.fromkeys(release for _, release in known))
    mention, release = known[0]
    if len(releases) > 1:
        arrives = any(mention.preposition in ("to", "into") for mention, _ in known)
        if not (arrives and MOVES.search(text)) or contrasts:
            return _compared(product, releases)
        newest = max(releases, key=product.releases.index)
        return _one(product, newest, f"Using {newest.name}, your target release")
    against = _AGAINST | ({"with"} if "compar" in text.casefold() else set())
    if contrasts and mention.preposition in against and unsaid and release not in unsaid:
        return _compared(product, (release, *unsaid))
    if mention.place is Place.SAME:
        return silent
    if mention.place is Place.LATEST and not mention.steps:
        return _one(product, release, "the latest", ReleaseStatus.LATEST)
    return _one(product, release, _you_said("said", mention.said, release))


def _unsaid(product: Product, context: Context) -> Resolution:
    """The caller's choice, else the conversation's release, else the latest."""
    if (chosen := context.chosen) is not None:
        reading = read_choice(chosen, product)
        if reading.release:
            return _one(product, reading.release, _you_said("chose", chosen, reading.release))
        return (
            ask_which_release(product, chosen, reading.covers)
            if reading.covers
            else unknown_release(product, chosen)
        )
    spoken_of = context.release and context.product and find_product(context.product, [product])
    if spoken_of and (release := read_choice(context.release or "", product).release):
        return _one(product, release, "from the conversation", ReleaseStatus.CONVERSATION)
    if not product.newest:
        return Resolution(ReleaseStatus.NONE, product.name, explanation="no release yet")
    return _one(product, product.newest, "the latest", ReleaseStatus.LATEST)


def _releases(resolution: Resolution, product: Product) -> tuple[Release, ...]:
    return tuple(r for r in product.releases if r.name in resolution.releases)


def _newest(product: Product) -> Reading:
    return Reading((product.newest,)) if product.newest else NOTHING


def read_choice(choice: str, product: Product) -> Reading:
    """Read a release given by itself, as by a command's option."""
    for release in product.releases:
        if release.name.casefold() == choice.strip().casefold():
            return Reading((release,))
    text = f"release {choice.strip()}"
    masked = mask(text, product, product_spans(text, [product]))
    found = find_mentions(text, masked, release_names(product))
    return _meaning(found[0], found, product, _newest(product)) if len(found) == 1 else NOTHING


def _meaning(mention: Found, found: Sequence[Found], product: Product, unsaid: Reading) -> Reading:
    names = release_names(product)
    match mention.place:
        case None:
            origin = mention.reading
        case Place.LATEST:
            origin = _newest(product)
        case Place.OLDEST:
            origin = Reading(names.finals[:1])
        case Place.EVERY:
            origin = Reading(product.releases)
        case Place.NEWEST:
            return Reading(names.finals[-mention.steps :])
        case Place.REFERENCE | Place.SAME:
            # It counts from the last name before it, else from the one after it.
            named = [other for other in found if other.place is None]
            before = [other for other in named if other.start < mention.start]
            origin = (before[-1:] or named)[0].reading if named else unsaid
    return names.step(origin, mention.steps) if mention.steps else origin


def _asked(meant: Sequence[Meant], text: str, *, contrasts: bool) -> Sequence[Meant]:
    """Leave out the releases that the question names only to say what it is not about.

    Those are the negated ones, and what a sentence tells beside the one that asks: "We run 17.10.
    Which port does NETCONF use in 18.00?" asks about 18.00.
    """
    asked = [(mention, reading) for mention, reading in meant if not mention.negated]
    if contrasts:
        return asked
    questions = [m.span() for m in _SENTENCE.finditer(text) if m[0].endswith("?")]
    own = [
        (mention, reading)
        for mention, reading in asked
        if any(start <= mention.start < end for start, end in questions)
    ]
    asked = own if own and len(questions) == 1 else asked
    covered = {reading.covers for _, reading in asked} - {()}
    # A series of which a part is named as well: Windows 11, beside 24H2.
    return [
        (mention, reading)
        for mention, reading in asked
        if not any(set(reading.covers) > set(part) for part in covered)
    ]


def _without(unwanted: set[Release], text: str, product: Product, silent: Resolution) -> Resolution:
    """Answer as if nothing were said, unless a release is spoken of, or that one is not meant."""
    open_one = _LEFT_OPEN.search(text)
    if open_one and silent.status is ReleaseStatus.LATEST:
        return _ask(product, f'which release "{open_one[0].strip()}" is, is open')
    if any(release.name in silent.releases for release in unwanted):
        others = [other for other in product.releases if other not in unwanted]
        return _ask(product, f"not {silent.releases[0]}, but which one is open", others)
    return silent


def _one(
    product: Product,
    release: Release,
    explanation: str,
    status: ReleaseStatus = ReleaseStatus.STATED,
) -> Resolution:
    return Resolution(status, product.name, (release.name,), explanation=explanation)


def _compared(product: Product, releases: Sequence[Release]) -> Resolution:
    if len(releases) == 1:
        return _one(product, releases[0], "the only release")
    names = tuple(release.name for release in releases)
    why = f"compared: {', '.join(names)}"
    return Resolution(ReleaseStatus.COMPARED, product.name, names, explanation=why)


def _ask(
    product: Product,
    explanation: str,
    among: Sequence[Release] = (),
    status: ReleaseStatus = ReleaseStatus.AMBIGUOUS,
) -> Resolution:
    choice = [release for release in product.releases if not among or release in among]
    available = tuple(release.name for release in reversed(choice))
    return Resolution(status, product.name, available=available, explanation=explanation)


def ask_which_release(product: Product, said: str, among: Sequence[Release] = ()) -> Resolution:
    """Which of several releases words mean, is to be asked back."""
    return _ask(product, f'"{said}" may be any of several releases', among)


def unknown_release(product: Product, said: str) -> Resolution:
    """There is no release by that name: which one is meant is to be asked back."""
    why = f'no release "{said}" of {product.name}'
    return _ask(product, why, status=ReleaseStatus.UNKNOWN)


def _you_said(verb: str, said: str, release: Release) -> str:
    words = said.split()
    said = " ".join(words[words[0].casefold() in _PREPOSITIONS :])
    if said.casefold() == release.name.casefold():
        return f'you {verb} "{said}"'
    return f'you {verb} "{said}" → {release.name}'
