"""The forms of a judge's replies: statements, and verdicts on numbered things."""

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict, Field, field_validator

from eval.judging.judge import Judge
from prompts import Fenced, fenced, fenced_list

_OF_A_VERDICT = 80
"""Tokens of a verdict with its reason."""


class Statements(BaseModel):
    """What a text states, each on its own."""

    statements: list[str] = Field(max_length=100)


class Verdict(BaseModel):
    """A word on one of the numbered things, and why."""

    model_config = ConfigDict(extra="forbid")
    number: int
    verdict: str = Field(max_length=40)
    reason: str = Field(max_length=1000)

    @field_validator("verdict")
    @classmethod
    def _as_asked_for(cls, verdict: str) -> str:
        return verdict.strip(" .").lower().replace(" ", "_")


class Verdicts(BaseModel):
    """A verdict on each of them."""

    verdicts: list[Verdict] = Field(max_length=300)


def numbered(tag: str, texts: Sequence[str]) -> Fenced:
    """Texts as sections with numbers from 1 on."""
    return fenced_list(fenced(tag, text, number=i) for i, text in enumerate(texts, 1))


async def statements_of(judge: Judge, question: str, answer: str) -> list[str]:
    """The statements of an answer, split once for whatever asks. Raises Unscored."""
    reply = await judge.ask(
        "judge_statements",
        {"question": fenced("question", question), "answer": fenced("answer", answer)},
        Statements,
        max_tokens=1500,
    )
    return [statement for statement in reply.statements if statement.strip()]


async def verdicts_on(
    judge: Judge, prompt: str, count: int, words: Sequence[str], **sections: str
) -> list[Verdict]:
    """A verdict of the `words` on each of `count` numbered things, in order. Raises Unscored."""

    def check(reply: Verdicts) -> None:
        numbers = sorted(verdict.number for verdict in reply.verdicts)
        if numbers != list(range(1, count + 1)):
            raise ValueError(f"there has to be one verdict on each number from 1 to {count}")
        if other := [v.verdict for v in reply.verdicts if v.verdict not in words]:
            raise ValueError(f"a verdict is one of {', '.join(words)}, not {other[0]!r}")

    tokens = 100 + _OF_A_VERDICT * count
    reply = await judge.ask(prompt, sections, Verdicts, max_tokens=tokens, check=check)
    return sorted(reply.verdicts, key=lambda verdict: verdict.number)


def why_not(verdicts: Sequence[Verdict], texts: Sequence[str], right: str) -> str:
    """What the judge said of those that are not `right`, a line each; texts of any origin."""
    pairs = zip(verdicts, texts, strict=True)
    return "\n".join(
        f"{verdict.verdict}: {text} ({verdict.reason})"
        if verdict.reason
        else f"{verdict.verdict}: {text}"
        for verdict, text in pairs
        if verdict.verdict != right
    )
