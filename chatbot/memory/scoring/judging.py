"""How good an answer is, by a judge model: faithfulness and answer relevancy as in DeepEval."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from pydantic import Field, create_model

from chatbot.memory.scoring.faithfulness import has_invented_figure
from chatbot.memory.scoring.measuring import (
    NOTHING,
    Measured,
    pages_of,
    words_of_asker,
    worth_nothing,
)
from chatbot.memory.scoring.statements import cited_passages, lead_of, own_statements
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import Turn
from prompts import Fenced, fenced, fenced_list, render

FAITHFULNESS = "faithfulness"
RELEVANCY = "answer_relevancy"

_MOST_STATEMENTS = 20
_MOST_PASSAGES = 8
_LONGEST_PASSAGE = 1_200
_TOKENS_A_VERDICT = 12
_Supported = Literal["supported", "contradicted", "missing"]
_Relevant = Literal["relevant", "irrelevant"]


async def judge_turn(model: BaseChatModel, turn: Turn) -> Measured | None:
    """Judge an answered turn: faithful is one of which every statement is supported (1, else 0).

    Relevancy is the share of relevant sentences of the lead. What a page says word for word needs
    no judge, and a figure that stands nowhere is not supported. None where a verdict cannot be
    read: it is measured instead. Raises GeneratorError.
    """
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to judge")
    if worth_nothing(turn.answer, turn.asked[1]):
        return NOTHING
    cited = cited_passages(turn.answer.citations, turn.ranked)[:_MOST_PASSAGES]
    said = own_statements(turn.answer, pages_of(turn))
    if len(said) > _MOST_STATEMENTS:
        return NOTHING
    question = fenced("question", turn.queries.base)
    faithful = 1.0
    if said:
        passages = fenced_list(fenced("chunk", p.read[:_LONGEST_PASSAGE]) for p in cited)
        sections = {"question": question, "passages": passages}
        supported = await _verdicts(model, FAITHFULNESS, _Supported, said, sections)
        if supported is None:
            return None
        known = words_of_asker(turn)
        faithful = float(
            all(
                verdict == "supported" and not has_invented_figure(statement, cited, known)
                for statement, verdict in zip(said, supported, strict=True)
            )
        )
    shown = lead_of(turn.answer) or [passage.read for passage in cited]
    relevant = await _verdicts(model, RELEVANCY, _Relevant, shown, {"question": question})
    if relevant is None:
        return None
    return Measured(faithful, relevant.count("relevant") / len(shown))


async def _verdicts(
    model: BaseChatModel,
    step: str,
    verdict: Any,
    said: Sequence[str],
    sections: Mapping[str, Fenced],
) -> list[str] | None:
    """What a model says of each statement, by the prompt of the step; None if it is unreadable."""
    count = len(said)
    statements = fenced_list(
        fenced("statement", statement[:_LONGEST_PASSAGE], number=i)
        for i, statement in enumerate(said, 1)
    )
    exactly = Field(min_length=count, max_length=count)
    reply, _ = await ask_for(
        model,
        render(step, statements=statements, **sections),
        create_model("Verdicts", verdicts=(list[verdict], exactly)),
        step=step,
        max_tokens=30 + _TOKENS_A_VERDICT * count,
    )
    return reply.model_dump()["verdicts"] if reply else None
