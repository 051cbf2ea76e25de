"""Step 1 of QAMR III-B: Base, Filtered and Versionless, by rules or by a language model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.releases.resolution import Mention, cut
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.provenance import claims, plain
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import filtered
from chatbot.turn import Fallback, ModelStep, Queries, RuleStep, Turn
from corpora.catalog.release import Product
from prompts import fenced, render

STEP = "query_rewriting"

_POLITE = re.compile(
    r"^(?:(?:thanks?(?: you)?|ok(?:ay)?|great|perfect|cool|got it|fine|hi|hello|hm+|yes|right)\b"
    r"(?: (?:a lot|very much))?[\s,.!:-]*)+",
    re.I,
)
_CONTINUES = re.compile(
    r"^\s*(?:and|but|or|also|so|then|what about|how about|same|no(?=[,.!]| i\b| not\b)"
    r"|nope|sorry|rather|instead|i meant?|actually)\b[\s,]*",
    re.I,
)
_ASKS = re.compile(
    r"^(?:(?:what|how)(?! about\b)|which|who|when|where|do|does|did|is|are|can|could|should"
    r"|will)\b",
    re.I,
)
_ATTRIBUTES = word_set("""
    advantage advantages alternative alternatives consequence consequences counterpart drawback
    drawbacks effect equivalent example examples exception exceptions meaning range reason
    replacement severity similar syntax unit units value values variant
""")
_MEASURES = word_set("default length limit max maximum min minimum range size unit")
_MEASURE = re.compile(rf"\b(?:{'|'.join(sorted(_MEASURES))})\b\s*", re.I)
_REFERS = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|(?<!\bis )(?<!\bare )there(?! be\b)|same|ones"
    r"|above|previous|(?:the|that|this|another|other|old|new|first|second|last|each|which)\s+one)\b",
    re.I,
)
_BEGINS_WITH_IT = re.compile(r"(?:\w+\s+){0,2}(?:it|its|they|them|those|these)\b", re.I)
_IDENTIFIER = re.compile(r"[\w)][-_.(][\w)]|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}")
_PLACED = re.compile(r"\s*(?:in|on|with|for|of|at|from|under)\s+", re.I)
_NUMBER = re.compile(r"^[\d.,%]+$")
_LONGEST_TOPIC = 4_000
"""Letters, the nearest first: follow-ups to follow-ups would make it ever longer."""


def rewrite_query(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Make standalone queries from the question and the conversation.

    Base takes over what the last standalone question was about, without its release; Filtered
    drops stop words and keeps identifiers; Versionless drops the release, too.
    """

    def rewrite(turn: Turn) -> Turn:
        assert turn.resolution is not None
        catalog = products()
        product = turn.resolution.product
        without_release = _release_cutter(catalog, turn)
        bare = cut(turn.question, turn.resolution.own_mentions)
        topic, known = carried_over(bare, turn.history, without_release)
        context = "; ".join(part for part in (topic, known) if part)
        base = f"{turn.question} ({context})" if context else turn.question
        asked = turn.history[-1][0] if topic else ""
        named = turn.resolution.own_mentions and len(turn.resolution.releases) == 1
        nothing_else = named and not filtered(_CONTINUES.sub("", bare))
        if asked and nothing_else and not is_follow_up(without_release(asked)):
            before = resolve_release(asked, catalog, product=product).mentions
            base = _moved(asked, before, f"{product} {turn.resolution.releases[0]}")
        subject = f"{bare} {topic}".strip()
        versionless = filtered(f"{subject} {known}") if turn.resolution.mentions else None
        return replace(
            turn,
            queries=Queries(base, filtered(base), versionless or None, subject, known, topic=topic),
        )

    return rewrite


def _release_cutter(catalog: Sequence[Product], turn: Turn) -> Callable[[str], str]:
    product = turn.resolution.product if turn.resolution else None
    return lambda text: cut(text, resolve_release(text, catalog, product=product).mentions)


def ask_as_is(turn: Turn) -> Turn:
    """Make the question, as it stands, the only query (QAMR IV-C)."""
    question = turn.question
    return replace(turn, queries=Queries(question, question, None, subject=question))


def _moved(question: str, mentions: Sequence[Mention], release: str) -> str:
    if not mentions:
        return f"{question.rstrip(' ?.!')} in {release}?"
    first = min(mentions, key=lambda mention: mention.start)
    placed = _PLACED.match(question[first.start : first.end])
    said = f"{placed[0] if placed else ''}{release}"
    return f"{question[: first.start]}{said}{question[first.end :]}"


def is_follow_up(bare: str) -> bool:
    """Whether a question, given without its release, leans on the turn before it.

    It does if it points back ("it", "those"), goes on ("and …", "no, …") or says too little to be
    understood alone; not if it is a whole question that names something of its own.
    """
    said = _POLITE.sub("", bare.lstrip(" ,.:;-"))
    words = filtered(said).split()
    continues = bool(_CONTINUES.match(said))
    if _REFERS.search(said):
        return continues or len(words) <= 5 or bool(_BEGINS_WITH_IT.match(said))
    return (continues or len(words) <= 2) and not _stands_alone(_CONTINUES.sub("", said), words)


def _stands_alone(said: str, words: Sequence[str]) -> bool:
    """Whether a question that points at nothing asks about something that it names itself."""
    if not _ASKS.match(said):
        return False
    if _ATTRIBUTES.intersection(map(str.lower, words)):
        return False
    if not words or words[-1].lower() in _MEASURES:
        return False
    return len(words) > 1 or bool(_IDENTIFIER.search(words[0]))


def carried_over(
    bare: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
) -> tuple[str, str]:
    """What a follow-up takes over: the topic of the questions before it, the words of the reply.

    Both are empty for a question that stands on its own.
    """
    if not history or not is_follow_up(bare):
        return "", ""
    previous, reply = history[-1]
    asked = without_release(previous)
    earlier, _ = carried_over(asked, history[:-1], without_release)
    said = _CONTINUES.sub("", _POLITE.sub("", bare.lstrip(" ,.:;-")))
    if measure := _measure_of_another(said, asked):
        return measure, ""
    asks_itself = _ASKS.match(said) and len(filtered(_REFERS.sub(" ", said)).split()) > 1
    if asks_itself or _MEASURES & set(re.findall(r"[\w-]+", bare.lower())):
        # "And the maximum?" asks for the maximum of the same thing, no longer for its default.
        asked, earlier = _MEASURE.sub(" ", asked), _MEASURE.sub(" ", earlier)
    known = [w for w in filtered(without_release(reply)).split() if not _NUMBER.match(w)]
    return f"{asked} {earlier}".strip()[:_LONGEST_TOPIC], " ".join(known)[:200]


def _measure_of_another(said: str, asked: str) -> str:
    """The measure that was asked of one thing, where the follow-up only names another one."""
    words, before = filtered(said).split(), filtered(asked).split()
    measures = [word for word in before if word.lower() in _MEASURES]
    own = [word for word in words if word.lower() not in _MEASURES | _ATTRIBUTES]
    one_each = len(words) == len(own) == 1 and len(before) - len(measures) == 1
    return " ".join(measures) if one_each and not _REFERS.search(said) else ""


class Rewriting(BaseModel):
    """What the model makes of a question."""

    follow_up: bool
    base: str = Field(min_length=1, max_length=2000)
    release: str = Field(max_length=200)
    filtered: str = Field(min_length=1, max_length=2000)


def rewrite_query_by_model(
    model: BaseChatModel,
    products: Callable[[], Sequence[Product]],
    fallback: RuleStep,
    *,
    turns: int = 3,
    max_tokens: int = 250,
) -> ModelStep:
    """Make standalone queries in one call that sees the last `turns` turns of the conversation.

    What loses, or brings, a name, a number or a release is not taken; after two such rewritings
    the `fallback` rewrites.
    """

    async def rewrite(turn: Turn) -> Turn:
        resolution = turn.resolution
        assert resolution is not None
        history = turn.history[-turns:]
        # A turn is one line each: a line end within a reply would let it speak for the user.
        lines = ((" ".join(u.split())[:600], " ".join(a.split())[:600]) for u, a in history)
        said = "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in lines)
        question = fenced("question", turn.question)
        messages = render(STEP, conversation=fenced("conversation", said), question=question)
        catalog = await in_thread(products)
        reply, calls = await ask_for(
            model,
            messages,
            Rewriting,
            step=STEP,
            max_tokens=max_tokens,
            check=lambda made: _check(made, turn, said, catalog),
        )
        turn = replace(turn, calls=(*turn.calls, *calls))
        if reply is None:
            turn = replace(turn, fallbacks=(*turn.fallbacks, Fallback(STEP, calls[-1].problem)))
            return await in_thread(fallback, turn)
        without_release = _release_cutter(catalog, turn)
        base, short = " ".join(reply.base.split()), " ".join(reply.filtered.split())
        versionless = without_release(short) if resolution.mentions else None
        subject = without_release(base) or base
        return replace(turn, queries=Queries(base, short, versionless or None, subject))

    return rewrite


def only_base(rewrite: ModelStep) -> ModelStep:
    """The one rewritten query of the paper's baseline (QAMR IV-C)."""

    async def rewrite_to_base(turn: Turn) -> Turn:
        turn = await rewrite(turn)
        assert turn.queries is not None
        base, subject = turn.queries.base, turn.queries.subject
        return replace(turn, queries=Queries(base, base, None, subject=subject))

    return rewrite_to_base


def _check(made: Rewriting, turn: Turn, said: str, products: Sequence[Product]) -> None:
    assert turn.resolution is not None
    known = plain(f"{turn.question} {said}")
    mentioned = " ".join(mention.text for mention in turn.resolution.mentions)
    if said and made.follow_up and plain(made.base) == plain(turn.question):
        raise ValueError('"base" must say what the question is about, from the conversation')
    for name in claims(turn.question):
        written = name in mentioned or plain(name) in plain(made.release)
        if not written and plain(name) not in plain(made.base):
            raise ValueError(f'"base" must keep "{name}" of the question')
    for field, text in (("base", made.base), ("filtered", made.filtered)):
        for name in claims(text):
            if plain(name) not in known:
                raise ValueError(f'"{field}" must not bring "{name}", which nobody wrote')
        named = resolve_release(text, products, product=turn.resolution.product)
        of_another = set(named.releases) - set(turn.resolution.releases)
        if named.mentions and (of_another or not named.releases):
            raise ValueError(f'"{field}" must not name a release that the question does not name')
    for name in claims(made.base):
        if name not in mentioned and plain(name) not in plain(made.filtered):
            raise ValueError(f'"filtered" must keep "{name}"')
