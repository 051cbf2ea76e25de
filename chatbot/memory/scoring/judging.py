"""How good an answer is, by a judge model: faithfulness and answer relevancy as in DeepEval."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from pydantic import Field, create_model

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
from chatbot.memory.scoring.passages import cited_passages
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
    """Judge the answer of an answered turn.

    Faithfulness is 1 where every statement is supported, else 0 (stricter than DeepEval, which
    counts the share that is not contradicted); relevancy = relevant sentences of the lead / all. A
    figure that stands in no cited passage is not supported, whatever the judge says, and what a
    cited page says word for word needs no judge. None where a verdict cannot be read: the answer
    is unscored, never 0 or 1, and is measured instead (`chatbot.memory.scoring.measuring`). Raises
    GeneratorError.
    """
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to judge")
    if worth_nothing(turn.answer, turn.asked[1]):
        return NOTHING
    cited = cited_passages(turn.answer.citations, evidence_of(turn))[:_MOST_PASSAGES]
    said = not_of_pages(statements_of(turn.answer), pages_of(turn))
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
    """What a model says of each statement, by the prompt of the step; None if it is unreadable.

    A backend that is held to the form cannot write more than one verdict a statement.
    """
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
