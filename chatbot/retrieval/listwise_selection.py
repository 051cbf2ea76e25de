"""Step 4 of QAMR III-B: the reduced chunks ordered by a language model in one call (RankRAG)."""

from __future__ import annotations

from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.runtime.model_calls import ask_for
from chatbot.turn import Fallback, ModelStep, ReducedChunk, RuleStep, Turn
from prompts import fenced, fenced_list, render

STEP = "context_selection"
SHOWN = 1200
"""Characters of a chunk that the model sees when it orders."""


class Order(BaseModel):
    """The numbers of the chunks, the most useful first."""

    order: list[int] = Field(min_length=1, max_length=100)


def select_context_listwise(
    model: BaseChatModel, fallback: RuleStep, *, chunks: int, max_tokens: int = 120
) -> ModelStep:
    """Keep the first `chunks` of the model's order; no call where there is nothing to choose.

    A number that no chunk has, or that comes twice, makes the reply unusable; what the model
    leaves out comes last, in the order of retrieval.
    """

    async def select_step(turn: Turn) -> Turn:
        assert turn.queries is not None
        if len(turn.reduced) <= chunks:
            return replace(turn, selected=turn.reduced)
        numbered = [
            fenced("chunk", text_of(chunk)[:SHOWN], number=i)
            for i, chunk in enumerate(turn.reduced, 1)
        ]
        messages = render(
            "listwise_selection",
            question=fenced("question", turn.queries.base),
            chunks=fenced_list(numbered),
        )
        reply, calls = await ask_for(
            model,
            messages,
            Order,
            step=STEP,
            max_tokens=max_tokens,
            check=lambda made: _check(made, len(numbered)),
        )
        turn = replace(turn, calls=(*turn.calls, *calls))
        if reply is None:
            reason = Fallback(STEP, calls[-1].problem)
            return fallback(replace(turn, fallbacks=(*turn.fallbacks, reason)))
        order = dict.fromkeys([*(i - 1 for i in reply.order), *range(len(numbered))])
        return replace(turn, selected=tuple(turn.reduced[i] for i in order)[:chunks])

    return select_step


def text_of(chunk: ReducedChunk) -> str:
    """A reduced chunk as a model reads it: its records in order, each under its heading once."""
    lines: list[str] = []
    label = ""
    for record in chunk.records:
        if record.label != label and record.label not in record.reading:
            lines.append(f"[{record.label}]")
        label = record.label
        lines.append(record.reading)
    return "\n".join(lines)


def _check(made: Order, count: int) -> None:
    wrong = [i for i in made.order if not 1 <= i <= count]
    if wrong:
        raise ValueError(f"there is no chunk {wrong[0]}, the numbers go from 1 to {count}")
    if len(set(made.order)) < len(made.order):
        raise ValueError("a number comes twice")
