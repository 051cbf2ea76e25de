"""Scores by a judge model: faithfulness and answer relevancy as in DeepEval."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.language_models import BaseChatModel
from pydantic import Field, create_model

from chatbot.memory.pairs import words
from chatbot.memory.scoring.measuring import Measured, statements
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import unsupported
from chatbot.runtime.model_calls import ask_for
from chatbot.turn import Answer
from prompts import Fenced, fenced, fenced_list, render

FAITHFULNESS = "faithfulness"
RELEVANCY = "answer_relevancy"

_MOST_PAGES = 8
_LONGEST = 4_000
_TOKENS_A_VERDICT = 12
_Supported = Literal["supported", "contradicted", "missing"]
_Relevant = Literal["relevant", "irrelevant"]


async def judge(
    model: BaseChatModel, question: str, answer: Answer, texts: Sequence[str], own: str
) -> Measured | None:
    """The score of an answer by a judge: faithfulness is 1 if every statement is supported, else 0.

    Relevancy is the share of relevant sentences of the lead. A statement that a page has word for
    word needs no judge, and one that fails the support check is not supported. None where a verdict
    cannot be read: the answer is measured instead. Raises GeneratorError.
    """
    fenced_question = fenced("question", question)
    pages = [f" {words(text)} " for text in texts]
    to_judge = [s for s in statements(answer) if not any(f" {words(s)} " in page for page in pages)]
    faithful = 1.0
    if to_judge:
        shown = fenced_list(fenced("chunk", text[:_LONGEST]) for text in texts[:_MOST_PAGES])
        sections = {"question": fenced_question, "passages": shown}
        verdicts = await _verdicts(model, FAITHFULNESS, _Supported, to_judge, sections)
        if verdicts is None:
            return None
        is_supported = not any(unsupported(statement, texts, own) for statement in to_judge)
        faithful = float(is_supported and set(verdicts) == {"supported"})
    lead = [sentence for line in answer.value.splitlines() for sentence in sentences(line)]
    relevant = await _verdicts(model, RELEVANCY, _Relevant, lead, {"question": fenced_question})
    if relevant is None:
        return None
    return Measured(faithful, relevant.count("relevant") / len(lead))


async def _verdicts(
    model: BaseChatModel,
    step: str,
    verdict: Any,
    to_judge: Sequence[str],
    sections: Mapping[str, Fenced],
) -> list[str] | None:
    """The verdict on each statement, by the prompt of the step; None if it is unreadable."""
    count = len(to_judge)
    numbered = fenced_list(
        fenced("statement", statement[:_LONGEST], number=i)
        for i, statement in enumerate(to_judge, 1)
    )
    exactly = Field(min_length=count, max_length=count)
    reply, _ = await ask_for(
        model,
        render(step, statements=numbered, **sections),
        create_model("Verdicts", verdicts=(list[verdict], exactly)),
        step=step,
        max_tokens=30 + _TOKENS_A_VERDICT * count,
    )
    return reply.model_dump()["verdicts"] if reply else None
