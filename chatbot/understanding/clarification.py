"""The question back where the release is open, and the question that a reply to it goes on with."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from chatbot.releases.product_names import product_spans
from chatbot.releases.release_choice import Context
from chatbot.releases.resolution import Mention, Reason, ReleaseStatus, Resolution, cut
from chatbot.releases.rules import context_after, resolve_release, resolve_within
from chatbot.runtime.concurrency import end_if_left
from chatbot.text.asked_words import FILLING, words, words_asked
from chatbot.text.languages import gettext, shown_list
from chatbot.text.words import FUNCTION_WORDS, filtered, listed
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.release import Product

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)


def resolve_turn(turn: Turn, products: Sequence[Product]) -> Resolution:
    """Find the release that a turn's question is about (`resolve_release`)."""
    return resolve_release(
        turn.question,
        products,
        product=turn.product,
        release=turn.release,
        history=turn.history,
        conversation_release=turn.conversation_release,
        chosen_by=turn.chosen_by,
    )


def ask_back(resolution: Resolution, products: Sequence[Product]) -> Answer:
    """The question back for an open resolution, with the choices; abstains."""
    if resolution.status is ReleaseStatus.NONE:
        text = gettext(
            "I don't know: there is no documentation yet. Ingest some with `strata ingest`."
        )
        return Answer(text, abstained=True)
    choices: Iterable[str] = reversed(resolution.available)
    if resolution.product is None:
        choices = (
            f"{product.name} ({', '.join(release.name for release in reversed(product.releases))})"
            for product in offered_products(resolution, products)
        )
    of = {"product": resolution.product, "choices": shown_list(choices, choice=True)}
    why = resolution.explanation
    if resolution.status is ReleaseStatus.UNKNOWN:
        text = gettext(
            "I don't know: there is {missing} in the documentation. "
            "Which one do you mean: {choices}?",
            missing=why,
            **of,
        )
    elif resolution.reason is Reason.ORDER_UNKNOWN:
        text = gettext(
            "I don't know which release of {product} is the latest, as their names do not tell. "
            "Which one do you mean: {choices}?",
            **of,
        )
    elif resolution.product is None:
        text = gettext("Which product do you mean: {choices}?", **of)
    else:
        text = gettext("Which release of {product} do you mean: {choices}?", **of)
    if resolution.reason is Reason.LEFT_OPEN:
        text = f"{why[:1].upper()}{why[1:]}. {text}"
    return Answer(text, abstained=True)


def offered_products(resolution: Resolution, products: Sequence[Product]) -> tuple[Product, ...]:
    """Return the products that can be chosen, each with the releases that can be chosen of it."""

    def narrowed(product: Product) -> Product:
        owner = "" if resolution.product else f"{product.name} "
        kept = tuple(r for r in product.releases if f"{owner}{r.name}" in resolution.available)
        return replace(product, releases=kept)

    own = [p for p in products if resolution.product in (None, p.name)]
    return tuple(p for p in map(narrowed, own) if p.releases) or tuple(own)


def fold_clarifications(turn: Turn, products: Sequence[Product]) -> Turn:
    """Merge clarifications in a turn's conversation into the questions that they clarified.

    A reply that names a release or product and says no more becomes the question that the
    clarification was about, with that in it; any other reply is a question of its own.
    """
    turns: list[tuple[str, str]] = []
    context = Context(turn.release, chosen_by=turn.chosen_by)

    def tell(user: str, assistant: str) -> None:
        nonlocal context
        turns.append((user, assistant))
        context = context_after(user, assistant, products, turn.product, context)

    open_question: tuple[Turn, Resolution] | None = None
    answer = ""
    for i, (user, assistant) in enumerate((*turn.history, (turn.question, ""))):
        end_if_left()
        reply = _as_reply(user, *open_question, products) if open_question else None
        if open_question and reply is None:
            tell(open_question[0].question, answer)
        request = reply or replace(turn, question=user, history=tuple(turns))
        if i == len(turn.history):
            break
        open_question, answer = None, assistant
        if turn.asked_back is None or i in turn.asked_back:
            of = replace(context, chosen=request.release)
            resolution = resolve_within(of, request.question, products, request.product)
            open_question = (request, resolution) if resolution.status in _OPEN else None
        if not open_question:
            tell(request.question, answer)
    return replace(request, asked_back=None)


def asked_back(route: str, status: str) -> bool:
    """Say whether an answer of this route and release status asked for the release or product."""
    return route == Route.CLARIFY and status in _OPEN


def _as_reply(
    text: str, open_turn: Turn, resolution: Resolution, products: Sequence[Product]
) -> Turn | None:
    """The question that was asked back, with what a reply names; None for any other reply.

    A name that was not offered stays as written, so that it is reported as unknown. A word or two
    that name nothing ("yes", "the second one") leave the question as it was: it is asked back
    again, for no release may be guessed.
    """
    offered = offered_products(resolution, products)
    read = resolve_release(text, offered, product=resolution.product)
    named = [Mention(start, end, text[start:end]) for start, end, _ in product_spans(text, offered)]
    said = words_asked(filtered(cut(text, [*named, *read.mentions])))
    rest = [word for word in said if word not in FUNCTION_WORDS | words(FILLING)]
    releases = read.releases if any(mention.release for mention in read.mentions) else ()
    if read.status in _OPEN and read.mentions:
        releases = (read.mentions[0].name,)
    if not (releases or named):
        return open_turn if len(rest) < 2 and "?" not in text and not read.mentions else None
    if rest or ("?" in text and len(releases) > 1):
        return None
    product = read.product or resolution.product
    question = replace_unknown(open_turn.question, resolution, releases)
    added = None if resolution.product else product
    is_said = bool(releases) and {m.release for m in resolution.mentions} == {*releases}
    if question == open_turn.question and not is_said and (added or releases):
        question = with_release(question, (), releases, added)
    release = releases[0] if len(releases) == 1 else open_turn.release
    return replace(
        open_turn, question=question, product=product or open_turn.product, release=release
    )


def with_release(
    question: str, mentions: Sequence[Mention], releases: Sequence[str], product: str | None = None
) -> str:
    """Name releases in the place of mentions, or a product and releases at the question's end."""
    names = listed(releases) if releases else ""
    if not mentions:
        end = len(question.rstrip(" ?.!"))
        words = " ".join(filter(None, (product, names)))
        return f"{question[:end]} in {words}{question[end:].strip()}"
    for mention in reversed(mentions):
        words = mention.text.replace(mention.name, names)
        if mention is not mentions[0] or " " in mention.name:
            words = f"in {names}" if mention is mentions[0] else ""
        question = question[: mention.start] + words + question[mention.end :]
    return question


def replace_unknown(question: str, resolution: Resolution, releases: Sequence[str]) -> str:
    """Put releases in the place of those that the question names and that are not there."""
    unclear = [mention for mention in resolution.mentions if mention.release is None]
    return with_release(question, unclear, releases) if unclear and releases else question


def about_release(
    question: str, release: str, product: str | None, products: Sequence[Product]
) -> str:
    """Put a release in the place of those that a question names."""
    mentions = resolve_release(question, products, product=product).mentions
    return with_release(question, mentions, (release,)) if mentions else question
