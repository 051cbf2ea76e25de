"""Step 4 of QAMR III-B: the reduced chunks that answer best, by score or by a model (RankRAG)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field

from chatbot.retrieval.question_types import QuestionType, question_type
from chatbot.retrieval.release_of_text import other_releases
from chatbot.runtime.model_calls import ask_for, next_token_probabilities
from chatbot.turn import ModelCall, ModelStep, ReducedChunk, RuleStep, Turn
from corpora.catalog.release import Product
from prompts import Fenced, fenced, fenced_list, render

STEP = "context_selection"
SHOWN = 1200
"""Characters of a chunk that the model sees when it chooses."""
OF_ANOTHER_RELEASE = 0.25
"""The factor on the score of a record about another release: the model sees it last."""

Choice = tuple[Sequence[ReducedChunk] | str, Sequence[ModelCall]]
"""The chunks, best first, or the reason for a failure; and the model calls made."""


class Order(BaseModel):
    """The numbers of the chunks, the most useful first."""

    order: list[int] = Field(min_length=1, max_length=100)


def rank_by_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Put what speaks of another release behind what does not, unless changes are asked for."""

    def rank(turn: Turn) -> Turn:
        if question_type(turn.queries.own_subject, turn.queries.subject) is QuestionType.CHANGE:
            return turn
        others = other_releases(turn, products())
        behind = {r.place for chunk in turn.reduced for r in chunk.records if others(r)}

        def ranked(chunk: ReducedChunk) -> ReducedChunk:
            shares = [
                OF_ANOTHER_RELEASE if record.place in behind else 1.0 for record in chunk.records
            ]
            pairs = zip(chunk.records, shares, strict=True)
            scored = (replace(record, score=record.score * share) for record, share in pairs)
            records = tuple(sorted(scored, key=lambda record: -record.score))
            return replace(chunk, records=records, score=chunk.score * max(shares))

        return replace(turn, reduced=tuple(map(ranked, turn.reduced))) if behind else turn

    return rank


def select_context(*, chunks: int) -> RuleStep:
    """Keep the `chunks` reduced chunks whose best record scores highest."""

    def select_step(turn: Turn) -> Turn:
        return replace(turn, selected=_best(turn.reduced)[:chunks])

    return select_step


def select_context_listwise(
    model: BaseChatModel, fallback: RuleStep, *, chunks: int, max_tokens: int = 120
) -> ModelStep:
    """Keep the first `chunks` of the model's order; no call where there is nothing to choose.

    A number that no chunk has, or that comes twice, makes the reply unusable; what the model
    leaves out comes last, in the order of retrieval.
    """

    async def ordered(question: Fenced, reduced: Sequence[ReducedChunk]) -> Choice:
        numbered = [
            fenced("chunk", text_of(chunk)[:SHOWN], number=i) for i, chunk in enumerate(reduced, 1)
        ]
        messages = render("listwise_selection", question=question, chunks=fenced_list(numbered))
        reply, calls = await ask_for(
            model,
            messages,
            Order,
            step=STEP,
            max_tokens=max_tokens,
            check=lambda made: _check(made, len(numbered)),
        )
        if reply is None:
            return calls[-1].problem, calls
        order = dict.fromkeys([*(i - 1 for i in reply.order), *range(len(numbered))])
        return [reduced[i] for i in order], calls

    return _by_model(ordered, fallback, chunks)


def select_context_pointwise(model: BaseChatModel, fallback: RuleStep, *, chunks: int) -> ModelStep:
    """Keep the `chunks` chunks of which the model most likely says that they are relevant.

    All are asked at once, one token each: P("True") of the next token. No call where there is
    nothing to choose. Falls back where the backend gives no probabilities.
    """

    async def scored(question: Fenced, reduced: Sequence[ReducedChunk]) -> Choice:
        shown = (fenced("chunk", text_of(chunk)[:SHOWN]) for chunk in reduced)
        prompts = [render("pointwise_selection", question=question, chunk=text) for text in shown]
        likely, calls = await next_token_probabilities(model, prompts, ("True", "False"), step=STEP)
        known = [p["True"] for p in likely if p is not None]
        if len(known) < len(likely):
            return "the backend tells no probabilities", calls
        return _best([replace(c, score=p) for c, p in zip(reduced, known, strict=True)]), calls

    return _by_model(scored, fallback, chunks)


def _by_model(
    choose: Callable[[Fenced, Sequence[ReducedChunk]], Awaitable[Choice]],
    fallback: RuleStep,
    chunks: int,
) -> ModelStep:
    async def select_step(turn: Turn) -> Turn:
        if len(turn.reduced) <= chunks:
            return replace(turn, selected=turn.reduced)
        chosen, calls = await choose(fenced("question", turn.queries.base), turn.reduced)
        turn = replace(turn, calls=(*turn.calls, *calls))
        if isinstance(chosen, str):
            return fallback(turn.without(STEP, chosen))
        return replace(turn, selected=tuple(chosen[:chunks]))

    return select_step


def _best(chunks: Sequence[ReducedChunk]) -> tuple[ReducedChunk, ...]:
    return tuple(sorted(chunks, key=lambda chunk: -chunk.score))


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
