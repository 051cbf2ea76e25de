"""Answer correctness by G-Eval: eight steps in four groups, and the expectation of the score."""

import re
from typing import Literal

from pydantic import BaseModel, Field

from eval.judging.judge import Judge, JudgedAnswer
from prompts import fenced

_PROMPT = "judge_correctness"
_HIGHEST = 5
_SCORE_ALONE = f"Now give the score alone: one digit from 0 to {_HIGHEST}."
_BARE_REFUSAL = re.compile(r"\W*(?:sorry\W+)?(?:i|we) (?:don.?t|do not) know\W*", re.I)


class Correctness(BaseModel):
    """What is right and wrong, a verdict on each of the eight steps, and the score that follows."""

    reason: str = Field(max_length=2000)
    steps: list[Literal["correct", "incorrect"]] = Field(min_length=8, max_length=8)
    score: int = Field(ge=0, le=_HIGHEST)


async def answer_correctness(judge: Judge, answer: JudgedAnswer) -> tuple[float, str]:
    """How far the answer says what the gold answer says, 0 to 1 (QAMR IV-B1, G-Eval).

    Where the model tells probabilities it is the expectation of its score. Nothing is asked about
    an answer that says nothing: a refusal of what is documented, or one that does not say that the
    documentation lacks it, is 0.
    """
    if answer.answerable and (answer.refused or says_nothing(answer.answer)):
        return 0.0, "there is a gold answer, and nothing was answered"
    if says_nothing(answer.answer):
        return 0.0, "it does not say that the documentation has no answer"
    sections = {
        "question": fenced("question", answer.question),
        "gold_answer": fenced("gold_answer", answer.gold or ""),
        "answer": fenced("answer", answer.answer),
    }
    reply = await judge.ask(_PROMPT, sections, Correctness, max_tokens=500)
    # Without the score that it gave, after which it would give the same for certain.
    before = reply.model_dump_json(exclude={"score"})
    expected = await judge.expected(
        _PROMPT, sections, range(_HIGHEST + 1), said=before, request=_SCORE_ALONE
    )
    wrong = [str(number) for number, step in enumerate(reply.steps, 1) if step == "incorrect"]
    failed = f"incorrect by {', '.join(wrong)}: " if wrong else ""
    score = reply.score if expected is None else expected
    return score / _HIGHEST, f"{failed}{reply.reason}"


def says_nothing(answer: str) -> bool:
    """Whether an answer is empty, or "I don't know" and no word more."""
    return not answer.strip() or _BARE_REFUSAL.fullmatch(answer) is not None
