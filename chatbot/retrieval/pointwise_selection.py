"""Step 4 of QAMR III-B: every reduced chunk scored by P("True") of the next token (RankRAG)."""

from __future__ import annotations

from dataclasses import replace

from langchain_core.language_models import BaseChatModel

from chatbot.retrieval.listwise_selection import SHOWN, STEP, text_of
from chatbot.runtime.model_calls import next_token_probabilities
from chatbot.turn import Fallback, ModelStep, RuleStep, Turn
from prompts import fenced, render


def select_context_pointwise(model: BaseChatModel, fallback: RuleStep, *, chunks: int) -> ModelStep:
    """Keep the `chunks` chunks of which the model most likely says that they are relevant.

    All are asked at once, one token each; no call where there is nothing to choose. Falls back
    where the backend tells no probabilities.
    """

    async def select_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        if len(turn.reduced) <= chunks:
            return replace(turn, selected=turn.reduced)
        question = fenced("question", turn.queries.base)
        prompts = [
            render(
                "pointwise_selection",
                question=question,
                chunk=fenced("chunk", text_of(chunk)[:SHOWN]),
            )
            for chunk in turn.reduced
        ]
        likely, calls = await next_token_probabilities(model, prompts, ("True", "False"), step=STEP)
        turn = replace(turn, calls=(*turn.calls, *calls))
        known = [p for p in likely if p is not None]
        if len(known) < len(likely):
            reason = Fallback(STEP, "the backend tells no probabilities")
            return fallback(replace(turn, fallbacks=(*turn.fallbacks, reason)))
        scored = [
            replace(chunk, score=p["True"]) for chunk, p in zip(turn.reduced, known, strict=True)
        ]
        best = sorted(scored, key=lambda chunk: -chunk.score)
        return replace(turn, selected=tuple(best[:chunks]))

    return select_step
