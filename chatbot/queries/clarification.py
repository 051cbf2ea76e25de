"""A reply that only names a release or product, and the question that it goes on with."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.queries.asking_back import offered_products, resolve_turn
from chatbot.releases.product_names import product_spans
from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution, cut
from chatbot.releases.rules import reading_once, resolve_release
from chatbot.runtime.concurrency import end_if_left
from chatbot.text.words import filtered, listed, word_set
from chatbot.turn import Route, Turn
from corpora.catalog.release import Product

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)
_PREPOSITIONS = word_set("and for from in of on or to with")


def continued(turn: Turn, products: Sequence[Product]) -> Turn:
    """Tell a turn's conversation without its clarifications, with the question it comes to.

    A reply that names a release or product and says no more becomes the question that the
    clarification was about, with that in it; any other reply is a question of its own.
    """
    told: list[tuple[str, str]] = []
    open_question: tuple[Turn, Resolution] | None = None
    answer = ""
    request = turn
    after = reading_once(products)
    for i, (user, assistant) in enumerate((*turn.history, (turn.question, ""))):
        end_if_left()
        reply = _as_reply(user, *open_question, products) if open_question else None
        if open_question and reply is None:
            told.append((open_question[0].question, answer))
        request = reply or replace(turn, question=user, history=tuple(told))
        if i == len(turn.history):
            break
        open_question, answer = None, assistant
        if turn.asked_back is None or i in turn.asked_back:
            resolution = resolve_turn(replace(request, conversation_release=None), products, after)
            open_question = (request, resolution) if resolution.status in _OPEN else None
        if not open_question:
            told.append((request.question, answer))
    return replace(request, asked_back=None)


def asked_back(route: str, status: str) -> bool:
    """Say whether an answer of this route and release status asked for the release or product."""
    return route == Route.CLARIFY and status in _OPEN


def _as_reply(
    text: str, asked: Turn, resolution: Resolution, products: Sequence[Product]
) -> Turn | None:
    """The question that was asked back, with what a reply names; None for any other reply.

    What was not offered stays as written, so that it is told as unknown. A word or two that name
    nothing ("yes", "the second one") leave the question as it was: it is asked back again, for no
    release may be guessed.
    """
    offered = offered_products(resolution, products)
    read = resolve_release(text, offered, product=resolution.product)
    named = [Mention(start, end, text[start:end]) for start, end, _ in product_spans(text, offered)]
    rest = filtered(cut(text, [*named, *read.mentions])).split()
    releases = read.releases if any(mention.release for mention in read.mentions) else ()
    if read.status in _OPEN and read.mentions:
        first = read.mentions[0].text
        releases = (first.removeprefix(_preposition(first)).strip(),)
    if not (releases or named):
        return asked if len(rest) < 2 and "?" not in text and not read.mentions else None
    if rest or ("?" in text and len(releases) > 1):
        return None
    product = read.product or resolution.product
    question = replace_unknown(asked.question, resolution, releases, product)
    added = None if resolution.product else product
    is_said = bool(releases) and {m.release for m in resolution.mentions} == {*releases}
    if question == asked.question and not is_said and (added or releases):
        question = with_release(question, (), releases, added)
    release = releases[0] if len(releases) == 1 else asked.release
    return replace(asked, question=question, product=product or asked.product, release=release)


def _preposition(mention: str) -> str:
    first = mention.split()[0]
    return first if first.lower() in _PREPOSITIONS else ""


def with_release(
    question: str, mentions: Sequence[Mention], releases: Sequence[str], product: str | None
) -> str:
    """Name releases in the place of mentions, or a product and releases at the question's end."""
    if not mentions:
        end = len(question.rstrip(" ?.!"))
        words = " ".join(filter(None, (product, listed(releases) if releases else "")))
        return f"{question[:end]} in {words}{question[end:].strip()}"
    for mention in reversed(mentions):
        words = ""
        if mention is mentions[0]:
            named = product and product.casefold() in mention.text.casefold()
            words = f"{product} {listed(releases)}" if named else listed(releases)
            if " " in mention.text.strip():
                words = f"{_preposition(mention.text) or 'in'} {words}"
        question = question[: mention.start] + words + question[mention.end :]
    return question


def replace_unknown(
    question: str, asked: Resolution, releases: Sequence[str], product: str | None
) -> str:
    """Put releases in the place of those that the question names and that are not there."""
    unclear = [mention for mention in asked.mentions if mention.release is None]
    return with_release(question, unclear, releases, product) if unclear and releases else question


def about_release(
    question: str, release: str, product: str | None, products: Sequence[Product]
) -> str:
    """Put a release in the place of those that a question names."""
    mentions = resolve_release(question, products, product=product).mentions
    return with_release(question, mentions, (release,), product) if mentions else question
