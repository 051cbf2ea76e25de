"""Completeness: the facts of the gold answer that an answer states (TREC RAG 2024)."""

from pydantic import BaseModel, ConfigDict, Field

from eval.judging.judge import Judge, JudgedAnswer
from eval.judging.verdicts import numbered, verdicts_on, why_not
from prompts import fenced

STATED = {"supported": 1.0, "partly": 0.5, "not_supported": 0.0}
OKAY = 0.5
"""The weight of a fact that a good answer may leave out; a vital one has 1."""


class Nugget(BaseModel):
    """A statement of the gold answer; `vital` if no good answer can do without it."""

    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1, max_length=1000)
    vital: bool


class Nuggets(BaseModel):
    """What the gold answer states."""

    nuggets: list[Nugget] = Field(min_length=1, max_length=100)


async def gold_statements(judge: Judge, answer: JudgedAnswer) -> list[tuple[str, bool]]:
    """The statements of the gold answer, and whether each is vital; split once a question."""
    reply = await judge.ask(
        "judge_nuggets",
        {
            "question": fenced("question", answer.question),
            "gold_answer": fenced("gold_answer", answer.gold or ""),
        },
        Nuggets,
        max_tokens=1500,
    )
    return [(nugget.text, nugget.vital) for nugget in reply.nuggets]


async def nuggets(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The weight of the facts that the answer states, of all: partly counts half, okay ones half.

    The facts are those that the gold question lists, all of them vital, else the statements of
    the gold answer. A refusal states none.
    """
    if answer.refused or not answer.answer.strip():
        return 0.0, "nothing was answered"
    facts = [(fact, True) for fact in answer.facts] or await gold_statements(judge, answer)
    texts = [text for text, _ in facts]
    verdicts = await verdicts_on(
        judge,
        "judge_nugget_support",
        len(facts),
        tuple(STATED),
        question=fenced("question", answer.question),
        answer=fenced("answer", answer.answer),
        statements=numbered("statement", texts),
    )
    weights = [1.0 if vital else OKAY for _, vital in facts]
    stated = sum(w * STATED[v.verdict] for w, v in zip(weights, verdicts, strict=True))
    named = [f"{'vital' if vital else 'okay'}: {text}" for text, vital in facts]
    return stated / sum(weights), why_not(verdicts, named, "supported")
