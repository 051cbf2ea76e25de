"""What a judge says of the context that an answer was written from."""

from pydantic import BaseModel, Field

from eval.judging.judge import NOT_APPLICABLE, Judge, JudgedAnswer, Unscored
from eval.judging.nuggets import gold_statements
from eval.judging.verdicts import numbered, verdicts_on, why_not
from eval.own_words import sentences
from prompts import fenced

_NOTHING = (0.0, "nothing was retrieved")


class Relevant(BaseModel):
    """The numbers of the statements that are relevant."""

    relevant: list[int] = Field(max_length=2000)


async def contextual_precision(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """Whether relevant chunks stand before the others: (1/R)·Σ_k rel_k·(relevant in k)/k.

    (QAMR IV-B4.) A chunk is relevant if it helps to arrive at the gold answer. No chunk: 0.
    """
    if not answer.context:
        return _NOTHING
    verdicts = await verdicts_on(
        judge,
        "judge_contextual_precision",
        len(answer.context),
        ("yes", "no"),
        question=fenced("question", answer.question),
        gold_answer=fenced("gold_answer", answer.gold or ""),
        context=numbered("chunk", answer.context),
    )
    relevant = [verdict.verdict == "yes" for verdict in verdicts]
    places = [f"chunk {number}" for number in range(1, len(relevant) + 1)]
    return average_precision(relevant), why_not(verdicts, places, "yes")


def average_precision(relevant: list[bool]) -> float:
    """(1/R)·Σ_k rel_k·(relevant among the first k)/k over a ranking; 0 where none is relevant."""
    precisions = [sum(relevant[:k]) / k for k, is_relevant in enumerate(relevant, 1) if is_relevant]
    return sum(precisions) / len(precisions) if precisions else 0.0


async def contextual_recall(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The statements of the gold answer that the context says, of all (QAMR IV-B5)."""
    if not answer.context:
        return _NOTHING
    statements = [text for text, _ in await gold_statements(judge, answer)]
    verdicts = await verdicts_on(
        judge,
        "judge_contextual_recall",
        len(statements),
        ("yes", "no"),
        context=numbered("chunk", answer.context),
        statements=numbered("statement", statements),
    )
    said = sum(verdict.verdict == "yes" for verdict in verdicts)
    return said / len(verdicts), why_not(verdicts, statements, "yes")


async def contextual_relevancy(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """The statements of the context that are relevant to the question, of all (QAMR IV-B6).

    A statement is a sentence, an item, a row or a block of code, as the text has them.
    """
    statements = [s.text for chunk in answer.context for s in sentences(chunk)]
    if not statements:
        raise Unscored(f"{NOT_APPLICABLE}: the context states nothing")

    def check(reply: Relevant) -> None:
        if wrong := [i for i in reply.relevant if not 1 <= i <= len(statements)]:
            raise ValueError(f"there is no statement {wrong[0]}, they end with {len(statements)}")

    reply = await judge.ask(
        "judge_contextual_relevancy",
        {
            "question": fenced("question", answer.question),
            "statements": numbered("statement", statements),
        },
        Relevant,
        max_tokens=100 + 5 * len(statements),
        check=check,
    )
    relevant = len(set(reply.relevant))
    return relevant / len(statements), f"relevant: {relevant} of {len(statements)} statements"
