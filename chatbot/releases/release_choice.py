"""Choose the release among those a question names, or fall back to what it leaves unsaid."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.releases.product_names import find_product, mask, product_spans
from chatbot.releases.release_mentions import Found, find_mentions
from chatbot.releases.release_names import NOTHING, Reading, release_names
from chatbot.releases.release_phrases import Place
from chatbot.releases.release_words import CONTRASTS, MOVES, OWN
from chatbot.releases.resolution import ReleaseStatus, Resolution
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
    r"\b(?:the|our|your|my|that|this|these|those|some|an?)\s+"
    r"(?:old(?:er)?|new(?:er)?|other|previous|earlier|prior|former)\b(?:\s+\w+){0,4}?\s+"
    r"(?:releases?|versions?|one|series|edition|docs|documentation|manuals?)\b"
    r"(?!\s+of\s+(?!the\s+(?:docs|documentation|product|manual)))"
    r"|(?:^|[.,;:?]\s*)(?:in|on|for|with|under)\s+(?:the|that|whatever)\s+(?:release|version)\s+"
    r"(?:that|which|our|we|my|i|they|on|running)\b"
    r"|\b(?:past|beyond)\s+v?\d+(?:\.\d+)+\b"
    r"|\b\d[\d.]*x\s+(?:releases?|versions?|series|docs|documentation|line|branch)\b",
    re.IGNORECASE,
)
"""Speaks of a release in words that no rule reads: it is asked back, the latest is not taken."""
_PREPOSITION = re.compile(r"^(?:in|on|for|with|of|from|to|under|at|by)\s+", re.IGNORECASE)
_ASKING = (
    r"(?:how|what|which|who|where|why|when|whether|is|are|does|do|did|can|could|should|would|will|may"
    r"|must)"
)
_END = re.compile(
    rf"[.:;!?\n](?=\s|$)|\)|\s\(|(?:,|\s[-–—])(?=\s+(?:so\s+|and\s+)?{_ASKING}\b)", re.IGNORECASE
)
_NO_STATEMENT = re.compile(
    r"\b(?:how|what|which|who|where|why|when|whether|if|tell|tells|list|show|give|explain|describe|compare"
    r"|check)\b|\bhave\s+(?:to|an?\s+(?:\w+\s+)?(?:question|problem|issue))\b",
    re.IGNORECASE,
)
_SITUATION = re.compile(
    r"\W*(?:\w+\W+){0,4}?(?:we|i|they|our|my|their|it|this|that)\b", re.IGNORECASE
)
_ASKS = re.compile(r"\?+(?:\s|$)")
_WEIGHS = re.compile(
    r"\b(?:same|than|like|compatib\w*|together)\b"
    r"|\bor\s+(?:do|does|is|are|must|should|will|can|only|not|first|in|on|with|from|since|just)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(r"(?:in|on|under|with|of)\s", re.IGNORECASE)


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
    asked = _asked(meant, text)
    contrasts = CONTRASTS.search(text) is not None
    known = [(mention, reading.release) for mention, reading in asked if reading.release]
    for mention, reading in asked:
        if mention.doubtful and reading.covers and reading.release not in unsaid:
            return _ask(product, f'"{mention.said}" may be a release or something else')
        if not reading.certain:
            return ask_which_release(product, mention.said, reading.covers)
        if not reading.release and (mention.sure or not known or contrasts):
            return unknown_release(product, mention.said)
    if not known:
        unwanted = {r for mention, reading in meant if mention.negated for r in reading.covers}
        return _without(unwanted, text, product, silent)
    for mention, reading in asked:
        if mention.place in (Place.EVERY, Place.NEWEST):
            return _compared(product, reading.covers)
    releases = tuple(dict.fromkeys(release for _, release in known))
    mention, release = known[0]
    if len(releases) > 1:
        arrives = any(mention.arrives for mention, _ in known)
        if not (arrives and MOVES.search(text)) or contrasts:
            return _compared(product, releases)
        newest = max(releases, key=product.releases.index)
        return _one(product, newest, f"Using {newest.name}, your target release")
    if mention.against and unsaid and release not in unsaid:
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


def _asked(meant: Sequence[Meant], text: str) -> Sequence[Meant]:
    """Leave out the releases that the question names only to say what it is not about."""
    asked = [(mention, reading) for mention, reading in meant if not mention.negated]
    if any(mention.place is None for mention, _ in asked):
        asked = [pair for pair in asked if pair[0].place is not Place.SAME]
    if CONTRASTS.search(text):
        return asked
    situations = _situations(text)

    def questioned(mention: Found) -> bool:
        return not any(start <= mention.start < end for start, end in situations)

    covered = {reading.covers for mention, reading in asked if questioned(mention)} - {()}
    # A series of which a part is named as well: Windows 11, beside 24H2.
    narrowed = {wide for wide in covered if any(set(wide) > set(part) for part in covered)}
    sure = any(mention.sure for mention, _ in asked)
    foreground = [
        pair
        for pair in asked
        if not (pair[0].background or pair[1].covers in narrowed or (pair[0].describes and sure))
    ]
    own = [pair for pair in foreground if questioned(pair[0])]
    # "We run 17.10. Which port does NETCONF use in 18.00?" asks about 18.00; "do we need 18.00?"
    # and "is it the same in 18.00?" ask about both.
    placed = any(
        reading.covers and (_PLACED.match(text, m.start) or OWN in text[m.start : m.end])
        for m, reading in own
    )
    return (own if placed and not _WEIGHS.search(text) else foreground) or asked


def _situations(text: str) -> list[tuple[int, int]]:
    """Where a masked question tells what the asker has, if one question comes beside it."""
    if len(_ASKS.findall(text)) > 1:
        return []
    found, start = [], 0
    for end in (*_END.finditer(text), None):
        stop = end.start() if end else len(text)
        told = _SITUATION.match(text, start, stop) and not _NO_STATEMENT.search(text, start, stop)
        if told and not (end and end[0].startswith("?")):
            found.append((start, stop))
        start = end.end() if end else stop
    return found


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
    said = _PREPOSITION.sub("", " ".join(said.split()))
    if said.casefold() == release.name.casefold():
        return f'you {verb} "{said}"'
    return f'you {verb} "{said}" → {release.name}'
