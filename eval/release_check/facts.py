"""Facts of a release pair, each with what the newer release made of it; how a check did on them."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from chatbot.memory.questions import as_typed
from chatbot.release_check.reports import CheckReport
from chatbot.release_check.verdicts import Verdict
from eval.gold import GoldError, read_lines

FACTS = Path(__file__).parent / "facts"
_FOUND = (Verdict.CHANGED, Verdict.GONE)


class Expected(StrEnum):
    """What the newer release says of a fact."""

    SAME = "same"
    CHANGED = "changed"
    GONE = "gone"


class Fact(BaseModel):
    """A question with its answer in the older release, and `why` it is changed, gone or the same.

    The facts were written from the documentation of both releases, before any check of them.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    question: str
    answer: str
    expect: Expected
    why: str


@dataclass(frozen=True)
class Figures:
    """Of `changed` facts so many were found, of `unchanged` so many were taken for changed."""

    changed: int
    found: int
    unchanged: int
    alarms: int
    held: int
    calls: int
    missed: tuple[str, ...]
    alarmed: tuple[str, ...]


def read_facts(product: str) -> tuple[Fact, ...]:
    """The facts of a product. Raises GoldError."""
    return tuple(read_lines(FACTS / f"{product}.jsonl", Fact))


def figures(facts: tuple[Fact, ...], report: CheckReport) -> Figures:
    """Count what a check made of the facts. Raises GoldError for one that it did not look at."""
    verdicts = {finding.question: finding.verdict for finding in report.findings}
    of_fact = {}
    for fact in facts:
        verdict = verdicts.get(fact.question) or verdicts.get(as_typed(fact.question))
        if verdict is None:
            raise GoldError(f"{fact.id}: the check has not looked at it")
        of_fact[fact] = verdict
    changed = [fact for fact in facts if fact.expect is not Expected.SAME]
    same = [fact for fact in facts if fact.expect is Expected.SAME]
    missed = tuple(fact.id for fact in changed if of_fact[fact] not in _FOUND)
    alarmed = tuple(fact.id for fact in same if of_fact[fact] in _FOUND)
    return Figures(
        len(changed),
        len(changed) - len(missed),
        len(same),
        len(alarmed),
        report.count(Verdict.HOLDS),
        report.calls,
        missed,
        alarmed,
    )
