"""The other releases that a passage is about, read from its words as from a question's."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from chatbot.releases.release_mentions import ParsedMention, find_mentions
from chatbot.releases.release_names import release_names
from chatbot.retrieval.records import in_words
from chatbot.text.languages import gettext, shown_list
from chatbot.turn import Record, Turn
from corpora.catalog.release import Product, name_tokens
from corpora.parameters.forms import relation
from corpora.parameters.parameter import DEPRECATED, SINCE

OtherReleases = Callable[[Record], tuple[str, ...]]
"""The other releases that a record speaks of; none for most."""
_EVENT = re.compile(
    r"\b(?:new|added|introduced|available|changed|deprecated|removed)\b(?:\s+(?:in|since)\s+|:\s+)"
    r"(?:version\s+)?v?(?P<release>\d[\w.]*\w|\d)",
    re.I,
)
"""Notes of documentation on its own history: "New in version 2.1", "Introduced: 2.1"."""
_ON = ("since", "from", "as of")
_SMALL = range(10)
"""Numbers that begin much else, as in 1.5; 17.20 and 1.4.2 are rarely anything else."""


def other_releases(turn: Turn, products: Sequence[Product]) -> OtherReleases:
    """A function from a record to the releases that it is about, if not the turn's own.

    Its words decide, else the nearest heading that names a release, else the document's title; a
    row belongs to the release of its heading. A release that the question names does not count.
    """
    name, release = turn.target
    product = next((p for p in products if p.name == name), Product(name))
    mentions = turn.resolved.mentions if turn.resolved else ()
    own = {release, *(mention.release for mention in mentions)}

    def others(record: Record) -> tuple[str, ...]:
        above = (
            releases_in(heading, product, heading=True)
            for heading in (*reversed(record.path), record.page.document.title)
        )
        headed = next(filter(None, above), ())
        own_words = releases_in(_words(record), product)
        named = own_words or headed
        return () if own & {*named, *(headed if record.cells else ())} else named

    return others


def attributed(
    others: Sequence[str], text: str, record: Record, turn: Turn, products: Sequence[Product]
) -> str:
    """A sentence supported by a record about other releases, in words that name one of them."""
    if not others:
        return text
    name, release = turn.target
    product = next(p for p in products if p.name == name)
    words = in_words(record)
    naming = (t for t in (text, words) if not set(others).isdisjoint(releases_in(t, product)))
    said = gettext(
        "Of {others} the documentation of {release} says: {words}",
        others=shown_list(others),
        release=release,
        words=words,
    )
    return next(naming, said)


@lru_cache(maxsize=4096)
def releases_in(text: str, product: Product, *, heading: bool = False) -> tuple[str, ...]:
    """The releases of a product that a text names for sure, the oldest first.

    What is so "since 17.10", or was changed there, is so in all later ones. The number that begins
    a `heading` may be that of a section.
    """
    names = release_names(product)
    events = [event.start("release") for event in _EVENT.finditer(text)]

    def is_event(mention: ParsedMention) -> bool:
        return any(mention.start <= at <= mention.end for at in events)

    def is_certain(mention: ParsedMention) -> bool:
        tokens = name_tokens(mention.name)
        numbered = heading and not text[: mention.start].strip()
        rare = not numbered and (tokens[0] not in _SMALL or len(tokens) > 2)
        whole = len(tokens) > 1 or names.names(tokens)
        is_marked = (
            mention.has_release_word or is_event(mention) or rare or mention.name == text.strip()
        )
        return whole and is_marked and not mention.is_uncertain

    names_found: set[str] = set()
    for mention in find_mentions(text, product):
        if mention.reading.covers and is_certain(mention):
            reading = mention.reading
            if mention.steps:
                reading = names.step(reading, mention.steps)
            if is_event(mention) or mention.preposition in _ON:
                reading = names.and_later(reading, mention.name)
            names_found.update(covered.name for covered in reading.covers)
    return tuple(r.name for r in product.releases if r.name in names_found)


def _words(record: Record) -> str:
    """A record's reading; of a row without the cells that say since when its thing is there."""
    cells = [(h, c) for h, c in record.cells if relation(h) not in (SINCE, DEPRECATED)]
    return "; ".join(f"{h}: {c}" for h, c in cells) if record.cells else record.reading
