"""Step 1 of QAMR III-B: Base, Filtered and Versionless, by rules or by a language model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.queries.clarification import with_release
from chatbot.releases.resolution import cut
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.provenance import claims, plain
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import filtered, words_of
from chatbot.turn import Fallback, ModelStep, Queries, RuleStep, Turn
from corpora.catalog.release import Product
from corpora.indexing.lexical import identifiers
from prompts import fenced, render

STEP = "query_rewriting"

_CONTINUES = re.compile(
    r"^\W*(?:(?:and|but|or|so|no|ok|okay|thanks|thank you|great|same|what about|how about)\b\W*)+",
    re.I,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|that|this|these|those|they|them|then|same|(?:the|which|other|another)\s+ones?"
    r"|(?<!\bis )(?<!\bare )there)\b",
    re.I,
)
_ASKS = re.compile(r"^(?:what|how|which|who|when|where|do|does|is|are|can)\b", re.I)
_MOVES = word_set("in on for with of to at under what")
"""All that is left of "what about 2.0?" and "and in 2.0?" without the release."""
_LONGEST_TOPIC = 4_000
"""Letters, the nearest first: follow-ups to follow-ups would make it ever longer."""


def rewrite_query(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Make standalone queries from the question and the conversation.

    Base takes over what the last standalone question was about, without its release; Filtered
    drops stop words and keeps identifiers; Versionless drops the release, too.
    """

    def rewrite(turn: Turn) -> Turn:
        resolution = turn.resolution
        assert resolution is not None
        without_release = _release_cutter(products(), turn)
        bare = cut(turn.question, resolution.own_mentions)
        topic, known = carried_over(bare, turn.history, without_release)
        context = "; ".join(part for part in (topic, known) if part)
        base = f"{turn.question} ({context})" if context else turn.question
        is_moved = resolution.own_mentions and not _says_more(bare)
        if topic and len(resolution.releases) == 1 and is_moved:
            # "And in 2.0?" is the question before, asked of this release.
            base = with_release(topic, (), resolution.releases, resolution.product)
        subject = f"{bare} {topic}".strip()
        versionless = filtered(f"{subject} {known}") if resolution.mentions else None
        return replace(
            turn,
            queries=Queries(base, filtered(base), versionless or None, subject, known, topic=topic),
        )

    return rewrite


def _release_cutter(catalog: Sequence[Product], turn: Turn) -> Callable[[str], str]:
    product = turn.resolution.product if turn.resolution else None
    return lambda text: cut(text, resolve_release(text, catalog, product=product).mentions)


def _says_more(bare: str) -> bool:
    """Whether a follow-up without its release says more than that it goes on: "and in"."""
    return not {*words_of(_CONTINUES.sub("", bare).lower())} <= _MOVES


def ask_as_is(turn: Turn) -> Turn:
    """Make the question, as it stands, the only query (QAMR IV-C)."""
    question = turn.question
    return replace(turn, queries=Queries(question, question, None, subject=question))


def is_follow_up(bare: str) -> bool:
    """Whether a question, given without its release, leans on the turn before it.

    It points back ("it", "those"), goes on ("and …") without asking anew, or says too little.
    """
    bare = bare.lstrip(" ,.:;-")
    said = _CONTINUES.sub("", bare)
    words, goes_on = filtered(said).split(), said != bare
    if _POINTS_BACK.search(said):
        begins = " ".join(said.split()[:3])
        return goes_on or len(words) <= 5 or _POINTS_BACK.search(begins) is not None
    if _ASKS.match(said) and (len(words) > 1 or not all(map(str.islower, words))):
        return False
    return len(words) <= (4 if goes_on else 2)


def carried_over(
    bare: str,
    history: Sequence[tuple[str, str]],
    without_release: Callable[[str], str],
) -> tuple[str, str]:
    """What a follow-up takes over: the questions before it, and the words of the last reply.

    Both are empty for a question that stands on its own. Where both questions name one thing as
    in code, that of the follow-up takes the place of the other, of which nothing is asked now.
    """
    if not history or not is_follow_up(bare):
        return "", ""
    previous, reply = history[-1]
    asked = without_release(previous)
    earlier, _ = carried_over(asked, history[:-1], without_release)
    topic = f"{asked} {earlier}".strip()[:_LONGEST_TOPIC]
    new, old = identifiers(bare), identifiers(asked)
    if len(words_of(_CONTINUES.sub("", bare))) == len(new) == len(old) == 1:
        kept = (word for word in asked.split() if old[0] not in word.lower())
        return " ".join(kept), ""
    known = [w for w in filtered(without_release(reply)).split() if not w[0].isdigit()]
    return topic, " ".join(known)[:200]


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
