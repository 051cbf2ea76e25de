"""A reply that only chooses among what was offered, and the question that it goes on with."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from chatbot.queries.release_extraction import offered_products, resolve_turn
from chatbot.releases.product_names import product_spans
from chatbot.releases.resolution import Mention, ReleaseStatus, Resolution, cut
from chatbot.releases.rules import reading_once, resolve_release
from chatbot.runtime.concurrency import end_if_left
from chatbot.text.phrasing import listed, word_set
from chatbot.turn import Route, RuleStep, Turn
from corpora.catalog.release import Product

_OPEN = (ReleaseStatus.UNKNOWN, ReleaseStatus.AMBIGUOUS)


@dataclass(frozen=True)
class Choice:
    """What a reply chooses, also of what is not there; nothing where it leaves all open."""

    product: str | None = None
    releases: tuple[str, ...] = ()


_FILLERS = word_set("""
    a about actually ah an and any are at be but can choose choice course dear do docs
    documentation exactly fine for from give go good great guess hi hm hmm i i'd i'll i'm if in is
    it it's just know let let's like make maybe me mean means meant my no of oh ok okay on one ones
    oops option or our over perhaps pick please pls possible prefer probably product rather release
    releases right run running same say select should show so sorry suppose sure take talking thank
    thanks that that'd that's the them then these they think this those to try uh um us use using
    version versions want was we we'd we're we've well will with would yeah yep yes you your
""")
_NOT = re.compile(r"\b(?:not|neither|without|except)\b|n't\b")
_AGREES = re.compile(r"\b(?:yes|yeah|yep|ok|okay|sure|right|fine|exactly|of course|go)\b")
_BOTH = re.compile(r"\bboth\b(?:\s+of\s+(?:them|those|these))?")
_ONES = r"\b(?:\s+(?:ones?|releases?|versions?)\b)?"
_RELATIVE = (
    (rf"\b(?:newest|latest|newer|highest|most\s+recent){_ONES}", "latest release"),
    (rf"\b(?:oldest|earliest|older|lowest){_ONES}", "oldest release"),
    (rf"\b(?:all|each|every)(?:\s+of\s+(?:them|those|these|it))?{_ONES}", "all releases"),
    (r"\b(?:what|how)\s+about\s+", ""),
)
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()  # noqa: SIM905
_PLACE = re.compile(
    rf"\b(?P<word>{'|'.join(_ORDINALS)})\b|\b(?P<ranked>\d{{1,9}})(?:st|nd|rd|th)\b"
    r"|(?:\b(?:number|no\.?|nr\.?|option|choice)\s*|#)(?P<counted>\d{1,9})\b|^(?P<bare>\d{1,9})$"
)
_WORD = re.compile(r"[^\s,;:.!?()\"“”–-]+")
_PREPOSITION = re.compile(r"^(?:and|for|from|in|of|on|or|to|versus|vs\.?|with)\s+", re.IGNORECASE)


def take_up_question(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Ask the question that a clarification was about, with the choice that the reply makes."""

    return lambda turn: continued(turn, products()) if turn.history else turn


def continued(turn: Turn, products: Sequence[Product]) -> Turn:
    """Tell a turn's conversation without its clarifications, with the question it comes to.

    A reply that only chooses becomes the question that the clarification was about, with the
    choice in it; any other reply is a question of its own.
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


def _as_reply(
    text: str, asked: Turn, resolution: Resolution, products: Sequence[Product]
) -> Turn | None:
    choice = read_choice(text, resolution, products)
    if choice is None:
        return None
    return replace(
        asked,
        question=with_choice(asked.question, choice, resolution),
        product=choice.product or asked.product,
        release=choice.releases[0] if len(choice.releases) == 1 else asked.release,
    )


def asked_back(route: str, status: str) -> bool:
    """Say whether an answer of this route and release status asked for the release or product."""
    return route == Route.CLARIFY and status in _OPEN


def read_choice(reply: str, asked: Resolution, products: Sequence[Product]) -> Choice | None:
    """Read the reply to a clarification that `asked`; None if it says more than a choice.

    What was not offered stays as written, so that it is told as unknown; a choice that cannot be
    told ("both" of three) is empty, so that the clarification is asked again.
    """
    offered = offered_products(asked, products)
    text = " ".join(reply.casefold().replace("’", "'").split())
    for words, meaning in _RELATIVE:
        text = re.sub(words, meaning, text)
    read = resolve_release(text, offered, product=asked.product)
    names = _named(text, offered)
    rest = cut(text, [*names, *read.mentions])
    place = _PLACE.search(rest.strip(" .!?")) or _PLACE.search(text.strip(" .!?#"))
    both = _BOTH.search(rest)
    rest = _BOTH.sub(" ", _PLACE.sub(" ", rest))
    if _NOT.search(text) or any(word not in _FILLERS for word in _WORD.findall(rest)):
        return None
    if place and not read.releases[: len(read.mentions)]:
        return _at(place, asked, offered)
    if both:
        pair = _names(offered[0]) if asked.product else ()
        return Choice(asked.product, pair if len(pair) == 2 else ())
    if read.mentions:
        said = read.mentions[0].text
        bare = _PREPOSITION.sub("", cut(said, _named(said, offered)))
        return Choice(read.product, read.releases or (bare,))
    if names:
        return Choice(read.product)
    if not _AGREES.search(text):
        return None
    only = len(offered) == 1 and len(offered[0].releases) == 1
    return Choice(offered[0].name, _names(offered[0])) if only else Choice()


def with_choice(question: str, choice: Choice, asked: Resolution) -> str:
    """Return the question that `asked` was about as it would have been clear at once."""
    product = choice.product or asked.product
    if choice.releases and any(mention.release is None for mention in asked.mentions):
        return replace_unknown(question, asked, choice.releases, product)
    said = bool(asked.mentions) and {m.release for m in asked.mentions} == {*choice.releases}
    words = [choice.product] if choice.product and not asked.product else []
    words += [listed(choice.releases)] if choice.releases and not said else []
    if not words:
        return question
    end = len(question.rstrip(" ?.!"))
    return f"{question[:end]} in {' '.join(words)}{question[end:]}"


def replace_unknown(
    question: str, asked: Resolution, releases: Sequence[str], product: str | None
) -> str:
    """Put releases in the place of those that the question names and that are not there."""
    unclear = [mention for mention in asked.mentions if mention.release is None]
    return _replaced(question, unclear, releases, product)


def about_release(
    question: str, release: str, product: str | None, products: Sequence[Product]
) -> str:
    """Return the question as one about this release, whichever it names itself."""
    found = resolve_release(question, products, product=product)
    return _replaced(question, found.mentions, (release,), product)


def _replaced(
    question: str, mentions: Sequence[Mention], releases: Sequence[str], product: str | None
) -> str:
    for mention in reversed(mentions):
        words = ""
        if mention is mentions[0]:
            named = product and product.casefold() in mention.text.casefold()
            words = f"{product} {listed(releases)}" if named else listed(releases)
            placed = _PREPOSITION.match(mention.text)
            if placed or " " in mention.text.strip():
                words = f"{placed[0].strip() if placed else 'in'} {words}"
        question = question[: mention.start] + words + question[mention.end :]
    return question


def _names(product: Product) -> tuple[str, ...]:
    return tuple(release.name for release in reversed(product.releases))


def _named(text: str, products: Sequence[Product]) -> list[Mention]:
    return [Mention(start, end, text[start:end]) for start, end, _ in product_spans(text, products)]


def _at(place: re.Match[str], asked: Resolution, offered: Sequence[Product]) -> Choice:
    number = place["ranked"] or place["counted"] or place["bare"]
    position = int(number) - 1 if number else _ORDINALS.index(place["word"])
    if asked.product:
        return Choice(asked.product, _names(offered[0])[max(position, 0) :][:1])
    return Choice(offered[position].name if 0 <= position < len(offered) else None)
