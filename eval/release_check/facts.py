"""Facts of a release pair, each with what the newer release made of it; how a check did on them."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from chatbot.memory.questions import as_typed
from chatbot.release_check.reports import CheckReport
from chatbot.release_check.verdicts import Verdict
from eval.gold import GoldError, read_lines

LABELS = Path(__file__).parent
"""The folder of `documents.json`, and of `facts` with a file for each product."""
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
    failed: tuple[str, ...]


def read_facts(product: str, labels: Path = LABELS) -> tuple[Fact, ...]:
    """The facts of a product. Raises GoldError."""
    return tuple(read_lines(labels / "facts" / f"{product}.jsonl", Fact, unique="id"))


class FactVerdict(BaseModel):
    """What a check told of a fact: values and words of the newer release, and its calls."""

    id: str
    expect: Expected
    verdict: Verdict
    old_values: tuple[str, ...]
    new_values: tuple[str, ...]
    cited: tuple[str, ...]
    calls: int
    problem: str


def verdicts(facts: tuple[Fact, ...], report: CheckReport) -> tuple[FactVerdict, ...]:
    """What a check told of each fact. Raises GoldError for one that it did not look at."""
    findings = {finding.question: finding for finding in report.findings}
    told = []
    for fact in facts:
        finding = findings.get(fact.question) or findings.get(as_typed(fact.question))
        if finding is None:
            raise GoldError(f"{fact.id}: the check has not looked at it")
        told.append(
            FactVerdict(
                id=fact.id,
                expect=fact.expect,
                verdict=finding.verdict,
                old_values=finding.old_values,
                new_values=finding.new_values,
                cited=tuple(citation.quote for citation in finding.new_citations),
                calls=finding.calls,
                problem=finding.problem,
            )
        )
    return tuple(told)


def figures(told: tuple[FactVerdict, ...], report: CheckReport) -> Figures:
    """Count what a check made of the facts."""
    changed = [one for one in told if one.expect is not Expected.SAME]
    same = [one for one in told if one.expect is Expected.SAME]
    missed = tuple(one.id for one in changed if one.verdict not in _FOUND)
    alarmed = tuple(one.id for one in same if one.verdict in _FOUND)
    return Figures(
        len(changed),
        len(changed) - len(missed),
        len(same),
        len(alarmed),
        report.count(Verdict.HOLDS),
        report.calls,
        missed,
        alarmed,
        tuple(one.id for one in told if one.verdict is Verdict.FAILED),
    )
