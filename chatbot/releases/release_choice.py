"""The choice of a release among those that a question names, or by default."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import digits

from chatbot.releases.product_names import find_product
from chatbot.releases.release_mentions import ParsedMention, Place, find_mentions
from chatbot.releases.release_names import NO_RELEASES, NameReading, release_names
from chatbot.releases.resolution import Reason, ReleaseStatus, Resolution, bare_part
from chatbot.releases.words_beside import CONTRASTS
from chatbot.text.asked_words import ALSO, phrases, starts_question
from chatbot.text.languages import gettext, gettext_noop
from chatbot.text.words import filtered, things_named, word_set, words_of
from corpora.catalog.release import Product, Release, is_among


@dataclass(frozen=True)
class Context:
    """The defaults of a question: the release chosen by the caller, and the conversation's.

    `chosen_by` says what chose it, where that is no person; an empty `chosen` is one that it left
    open.
    """

    chosen: str | None = None
    product: str | None = None
    release: str | None = None
    chosen_by: str = ""


_YOU_SAID, _YOU_CHOSE = gettext_noop('you said "{words}"'), gettext_noop('you chose "{words}"')
_AGAINST = word_set("since from to than as against vs vs. versus")
SENTENCE = re.compile(r".+?(?:[.?!](?=\s|$)|\n|$)", re.DOTALL)
_CLAUSE = re.compile(
    rf"{SENTENCE.pattern[:-1]}|[,:(](?=\s(?:how|what|which|why|is|does|do)\b))", re.DOTALL | re.I
)
_ALSO = re.compile(r"(?:and|also|then)\b", re.I)


def with_releases(
    mentions: Sequence[ParsedMention], product: Product, context: Context
) -> list[ParsedMention]:
    """The mentions in a question about one product, each with the releases that it stands for."""
    default_releases = NameReading(_releases(_default_resolution(product, context), product))
    return [replace(m, reading=_meaning(m, mentions, product, default_releases)) for m in mentions]


def choose_release(
    meant: Sequence[ParsedMention], text: str, product: Product, context: Context
) -> Resolution:
    """The resolution by the mentions in a question about one product."""
    default = _default_resolution(product, context)
    default_releases = _releases(default, product)
    contrasts = CONTRASTS.search(text) is not None
    wanted = drop_context(meant, text)
    if any(mention.place is None for mention in wanted):
        # "the former release, 17.10" means the one that it names.
        wanted = [mention for mention in wanted if mention.place is not Place.OPEN]
    arrives = any(m.preposition in ("to", "into") and m.reading.release for m in wanted)
    moves = arrives and not contrasts
    left: list[str] = []
    if moves:
        # Where somebody comes from need not be documented: "from 1.9 to 2.1".
        left = [m.name for m in wanted if m.preposition == "from" and not m.reading.covers]
        wanted = [m for m in wanted if m.preposition != "from" or m.reading.covers]
    for mention in wanted:
        release = mention.reading.release
        if mention.is_uncertain and release not in default_releases:
            return ask_whether_release(product, mention.name)
        if mention.place is Place.OPEN or not mention.reading.is_certain:
            return ask_which_release(product, mention.name, mention.reading.covers)
        if not release and mention.counts and product.unordered:
            return ask_order(product)
        if not release:
            return unknown_release(product, mention.name)
    if not wanted:
        unwanted = {r for mention in meant if mention.is_negated for r in mention.reading.covers}
        if unwanted.isdisjoint(default_releases):
            return default
        others = [other for other in product.releases if other not in unwanted]
        why = gettext("not {release}, but which one is open", release=default.releases[0])
        return _ask(product, why, others)
    if every := next((m for m in wanted if m.place is Place.EVERY), None):
        return _compared(product, every.reading.covers)
    releases = tuple(dict.fromkeys(m.reading.release for m in wanted if m.reading.release))
    mention, release = wanted[0], releases[0]
    if len(releases) > 1:
        if not moves:
            return _compared(product, releases)
        newest = max(releases, key=product.releases.index)
        using = gettext("Using {release}, your target release", release=newest.name)
        return replace(_one(product, newest, using), reason=Reason.TARGET)
    against = _AGAINST | ({"with"} if "compar" in text.casefold() else set())
    held = mention.preposition == "than" or (contrasts and mention.preposition in against)
    if held and release not in default_releases:
        return _compared(product, (release, *default_releases))
    if mention.place is Place.SAME and not any(m.place is None for m in meant):
        return default
    if left:
        using = gettext(
            "{other} is not documented; using {release}, your target release",
            other=left[0],
            release=release.name,
        )
        return replace(_one(product, release, using), reason=Reason.TARGET)
    if mention.place is Place.LATEST and not mention.steps:
        return _one(product, release, gettext("the latest"), ReleaseStatus.LATEST)
    if (aside := _named_aside(meant, wanted, text)) and aside.name != release.name:
        using = gettext(
            "For {release}; what you say of {other} is taken as context",
            release=release.name,
            other=aside.name,
        )
        return replace(_one(product, release, using), reason=Reason.CONTEXT)
    return _one(product, release, _said(_YOU_SAID, mention.name, release))


def _named_aside(
    meant: Sequence[ParsedMention], wanted: Sequence[ParsedMention], text: str
) -> Release | None:
    """The release that a sentence beside the question names with a thing of its own, as in code.

    It may be a question that nothing shows to be one; the one that is answered names another thing.
    """
    asked: set[str] = set()
    aside: list[tuple[Release, set[str]]] = []
    kept = {*wanted}
    for part in SENTENCE.finditer(text) if len(kept) < len(meant) else ():
        inside = [m for m in meant if part.start() <= m.start < part.end() and not m.is_negated]
        names = {*things_named(bare_part(text, *part.span(), inside))} if inside else set()
        for m in inside:
            if m in kept:
                asked |= names
            elif m.reading.release:
                aside.append((m.reading.release, names))
    return next((release for release, names in aside if asked and names - asked), None)


def _default_resolution(product: Product, context: Context) -> Resolution:
    """The caller's choice, else the conversation's release, else the latest."""
    if context.chosen == "":
        why = gettext("your files leave the release open: {why}", why=context.chosen_by)
        return replace(_ask(product, why), reason=Reason.LEFT_OPEN)
    if (chosen := context.chosen) is not None:
        reading = read_choice(chosen, product)
        if reading.release:
            why = context.chosen_by or _said(_YOU_CHOSE, chosen, reading.release)
            return _one(product, reading.release, why)
        if reading.covers:
            return ask_which_release(product, chosen, reading.covers)
        return unknown_release(product, chosen)
    spoken_of = context.release and context.product and find_product(context.product, [product])
    if spoken_of and (release := read_choice(context.release or "", product).release):
        return _one(product, release, gettext("from the conversation"), ReleaseStatus.CONVERSATION)
    if not product.releases:
        return Resolution(ReleaseStatus.NONE, product.name, explanation=gettext("no release yet"))
    if not product.newest:
        return ask_order(product)
    return _one(product, product.newest, gettext("the latest"), ReleaseStatus.LATEST)


def _releases(resolution: Resolution, product: Product) -> tuple[Release, ...]:
    return tuple(r for r in product.releases if r.name in resolution.releases)


def read_choice(choice: str, product: Product) -> NameReading:
    """Read a release given by itself, as by a command's option."""
    for release in product.releases:
        if is_among(choice, release.name):
            return NameReading((release,))
    text = f"release {choice.strip()}"
    mentions = find_mentions(text, product)
    return (
        _meaning(mentions[0], mentions, product, NO_RELEASES) if len(mentions) == 1 else NO_RELEASES
    )


def _meaning(
    mention: ParsedMention,
    mentions: Sequence[ParsedMention],
    product: Product,
    default_releases: NameReading,
) -> NameReading:
    names = release_names(product)
    match mention.place:
        case None:
            origin = mention.reading
        case Place.LATEST:
            origin = NameReading((product.newest,)) if product.newest else NO_RELEASES
        case Place.OLDEST:
            is_known = not any(r.name in product.unordered for r in names.finals[:1])
            origin = NameReading(names.finals[:1]) if is_known else NO_RELEASES
        case Place.EVERY:
            origin = NameReading(product.releases)
        case Place.OPEN:
            origin = NO_RELEASES
        case Place.REFERENCE | Place.SAME:
            # It counts from the last name before it, else from the one after it.
            named = [other for other in mentions if other.place is None]
            before = [other for other in named if other.start < mention.start]
            origin = (before[-1:] or named)[0].reading if named else default_releases
    return names.step(origin, mention.steps) if mention.steps else origin


def drop_context(
    meant: Sequence[ParsedMention], text: str, part: re.Pattern[str] = _CLAUSE
) -> Sequence[ParsedMention]:
    """The mentions without those that a question makes only as context.

    Those are the negated ones, and those in a `part` beside the question: "We run 17.10.
    Which port does NETCONF use in 18.00?" asks about 18.00. What the question goes on from, with
    "also", is asked as well: "Tell me max_jobs in 17.10. And what is idle_wait in 18.00?" And so is
    what is no statement (`_asks`): "max_jobs in 17.10. idle_wait in 18.00?"
    """
    wanted = [mention for mention in meant if not mention.is_negated]
    if CONTRASTS.search(text):
        return wanted
    parts = [m.span() for m in part.finditer(text)]
    questions = [span for span in parts if text[slice(*span)].endswith("?")]
    if len(questions) == 1:
        ((start, end),) = questions
        begins = start + len(text[start:]) - len(text[start:].lstrip())
        if not (_ALSO.match(text, begins) or phrases(ALSO).match(text, begins)):
            bare = {span: bare_part(text, *span, wanted) for span in parts}
            asked = [s for s in parts if s == (start, end) or _asks(bare[s], bare[start, end])]
            wanted = [m for m in wanted if any(s <= m.start < e for s, e in asked)] or wanted
    # A series of which a part is named as well: Windows 11, beside 24H2; "which is the latest?",
    # but not "since when, and what is it in 2.0?".
    named = {(m.place is None, frozenset(m.reading.covers)) for m in wanted if m.reading.covers}

    def is_named_in_part(m: ParsedMention) -> bool:
        every = m.place is Place.EVERY
        return any(part < {*m.reading.covers} for plain, part in named if not (every and plain))

    return [m for m in wanted if not is_named_in_part(m)]


def _asks(bare: str, question: str) -> bool:
    """Whether a part beside the question asks for something itself, and states nothing.

    It begins as a question does, with a word for one or as the one beside it; or all that it says
    is a name as in code, with words that the question has as well.
    """
    names = {*map(str.casefold, things_named(bare))}
    bare, question = (text.casefold().lstrip(f" -*•.){digits}") for text in (bare, question))
    said, beside = filtered(bare).split(), filtered(question).split()
    if not said or not beside:
        return False
    is_name = bool(names) and names.union(beside).issuperset(said)
    return is_name or starts_question(bare) or words_of(bare)[0] == words_of(question)[0]


def _one(
    product: Product,
    release: Release,
    explanation: str,
    status: ReleaseStatus = ReleaseStatus.STATED,
) -> Resolution:
    return Resolution(status, product.name, (release.name,), explanation=explanation)


def _compared(product: Product, releases: Sequence[Release]) -> Resolution:
    if len(releases) == 1:
        return _one(product, releases[0], gettext("the only release"))
    names = tuple(release.name for release in releases)
    why = gettext("compared: {releases}", releases=", ".join(names))
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


def ask_which_release(product: Product, words: str, among: Sequence[Release]) -> Resolution:
    """The resolution that asks back which of several releases some words mean."""
    return _ask(product, gettext('"{words}" may be any of several releases', words=words), among)


def ask_order(product: Product) -> Resolution:
    """The resolution that asks back as the order of the releases is not known."""
    why = gettext("the order of the releases is not known")
    return replace(_ask(product, why), reason=Reason.ORDER_UNKNOWN)


def ask_whether_release(product: Product, words: str) -> Resolution:
    """The resolution that asks back whether some words name a release, and which one."""
    return _ask(product, gettext('"{words}" may be a release or something else', words=words))


def unknown_release(product: Product, words: str) -> Resolution:
    """The resolution for an unknown release, which asks back which one is meant."""
    why = gettext('no release "{words}" of {product}', words=words, product=product.name)
    return _ask(product, why, status=ReleaseStatus.UNKNOWN)


def _said(how: str, words: str, release: Release) -> str:
    meant = "" if is_among(words, release.name) else f" → {release.name}"
    return f"{gettext(how, words=words)}{meant}"
