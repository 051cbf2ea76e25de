"""Step 1 of QAMR III-B by a language model: Base and Filtered in one call, then Versionless."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.releases.resolution import cut
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.provenance import claims, plain
from chatbot.runtime.concurrency import in_thread
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import Fallback, ModelStep, Queries, RuleStep, Turn
from corpora.catalog.release import Product
from prompts import fenced, render

STEP = "query_rewriting"


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

    A rewriting that loses a name or a number of the question, brings one that nobody wrote, names
    another release, or leaves a follow-up as it is, is not taken; after two of these the
    `fallback` rewrites.
    """

    async def rewrite(turn: Turn) -> Turn:
        assert turn.resolution is not None
        history = turn.history[-turns:]
        # A turn is one line each: a line end within a reply would let it speak for the user.
        lines = ((" ".join(u.split())[:600], " ".join(a.split())[:600]) for u, a in history)
        said = "\n".join(f"user: {user}\nassistant: {reply}" for user, reply in lines)
        messages = render(
            STEP,
            conversation=fenced("conversation", said),
            question=fenced("question", turn.question),
        )
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
        return replace(turn, queries=_queries(reply, turn, catalog))

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
    if said and made.follow_up and plain(made.base) == plain(turn.question):
        raise ValueError('"base" must say what the question is about, from the conversation')
    for name in claims(turn.question):
        written = _in_mention(name, turn) or plain(name) in plain(made.release)
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
        if not _in_mention(name, turn) and plain(name) not in plain(made.filtered):
            raise ValueError(f'"filtered" must keep "{name}"')


def _in_mention(name: str, turn: Turn) -> bool:
    assert turn.resolution is not None
    return any(name in mention.text for mention in turn.resolution.mentions)


def _queries(made: Rewriting, turn: Turn, products: Sequence[Product]) -> Queries:
    resolution = turn.resolution
    assert resolution is not None

    def without_release(text: str) -> str:
        return cut(text, resolve_release(text, products, product=resolution.product).mentions)

    base = " ".join(made.base.split())
    filtered = " ".join(made.filtered.split())
    versionless = without_release(filtered) if resolution.mentions else None
    return Queries(
        base=base,
        filtered=filtered,
        versionless=versionless or None,
        subject=without_release(base) or base,
    )
