"""How good an answer is, by a judge model: faithfulness and answer relevancy as in DeepEval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from pydantic import BaseModel, Field, create_model

from chatbot.memory.scoring.faithfulness import has_invented_figure
from chatbot.memory.scoring.measuring import (
    NOTHING,
    Measured,
    evidence_of,
    pages_of,
    words_of_asker,
    worth_nothing,
)
from chatbot.memory.scoring.own_words import lead_of, not_of_pages, statements_of
from chatbot.memory.scoring.passages import Passage, cited_passages
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import ModelCall, Turn
from prompts import Fenced, fenced, fenced_list, render

FAITHFULNESS = "faithfulness"
RELEVANCY = "answer_relevancy"

_MOST_STATEMENTS = 20
_MOST_PASSAGES = 8
_LONGEST_PASSAGE = 1_200
_TOKENS_A_VERDICT = 12


_Supported = Literal["supported", "contradicted", "missing"]
_Relevant = Literal["relevant", "irrelevant"]


class Support(BaseModel):
    """What the cited passages say of each statement."""

    verdicts: list[_Supported]


class Relevance(BaseModel):
    """Whether each statement answers the question."""

    verdicts: list[_Relevant]


async def judge_turn(
    model: BaseChatModel, turn: Turn
) -> tuple[Measured | None, tuple[ModelCall, ...]]:
    """Judge the answer of an answered turn, with the calls it took.

    Faithfulness is 1 where every statement is supported, else 0 (stricter than DeepEval, which
    counts the share that is not contradicted); relevancy = relevant sentences of the lead / all. A
    figure that stands in no cited passage is not supported, whatever the judge says, and what a
    cited page says word for word needs no judge. None where a
    verdict cannot be read: the answer is unscored, never 0 or 1, and is measured instead
    (`chatbot.memory.scoring.measuring`). Raises GeneratorError.
    """
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to judge")
    if worth_nothing(turn.queries.subject, turn.answer, turn.asked[1]):
        return NOTHING, ()
    cited = cited_passages(turn.answer.citations, evidence_of(turn))[:_MOST_PASSAGES]
    said = not_of_pages(statements_of(turn.answer), pages_of(turn))
    if len(said) > _MOST_STATEMENTS:
        return NOTHING, ()
    question = fenced("question", turn.queries.base)
    calls: tuple[ModelCall, ...] = ()
    faithful: float | None = 1.0
    if said:
        faithful, calls = await _faithfulness(model, question, said, cited, words_of_asker(turn))
    if faithful is None:
        return None, calls
    shown = lead_of(turn.answer) or [passage.read for passage in cited]
    relevant, more = await _relevancy(model, question, shown)
    calls = (*calls, *more)
    return (None if relevant is None else Measured(faithful, relevant)), calls


async def _faithfulness(
    model: BaseChatModel,
    question: Fenced,
    said: Sequence[str],
    cited: Sequence[Passage],
    known: str,
) -> tuple[float | None, tuple[ModelCall, ...]]:
    messages = render(
        FAITHFULNESS,
        question=question,
        passages=fenced_list(fenced("chunk", p.read[:_LONGEST_PASSAGE]) for p in cited),
        statements=_numbered(said),
    )
    reply, calls = await ask_for(
        model,
        messages,
        create_model("Support", __base__=Support, verdicts=(list[_Supported], _exactly(len(said)))),
        step=FAITHFULNESS,
        max_tokens=_tokens(said),
    )
    if reply is None:
        return None, calls
    supported = sum(
        verdict == "supported" and not has_invented_figure(statement, cited, known)
        for statement, verdict in zip(said, reply.verdicts, strict=True)
    )
    return float(supported == len(said)), calls


async def _relevancy(
    model: BaseChatModel, question: Fenced, said: Sequence[str]
) -> tuple[float | None, tuple[ModelCall, ...]]:
    messages = render(RELEVANCY, question=question, statements=_numbered(said))
    reply, calls = await ask_for(
        model,
        messages,
        create_model(
            "Relevance", __base__=Relevance, verdicts=(list[_Relevant], _exactly(len(said)))
        ),
        step=RELEVANCY,
        max_tokens=_tokens(said),
    )
    if reply is None:
        return None, calls
    return reply.verdicts.count("relevant") / len(said), calls


def _numbered(said: Sequence[str]) -> Fenced:
    return fenced_list(
        fenced("statement", statement[:_LONGEST_PASSAGE], number=i)
        for i, statement in enumerate(said, 1)
    )


def _tokens(said: Sequence[str]) -> int:
    return 30 + _TOKENS_A_VERDICT * len(said)


def _exactly(count: int) -> Any:
    """One verdict a statement: a backend that is held to the form cannot write more."""
    return Field(min_length=count, max_length=count)
