"""What a check of accepted answers found, in words."""

from chatbot.release_check.reports import CheckReport, Finding
from chatbot.release_check.telling import in_words
from chatbot.release_check.verdicts import Verdict
from ui.wording.amounts import how_many

VERDICTS = {
    Verdict.CHANGED: "changed",
    Verdict.GONE: "no longer documented",
    Verdict.FAILED: "not asked",
    Verdict.SAME: "same",
    Verdict.HOLDS: "still holds",
}


def counts_in_words(report: CheckReport) -> str:
    """The counts of a report, and what it took."""
    calls = how_many(report.calls, "call") if report.calls else "no call"
    return f"{in_words(report)} It took {calls} of a model."


def values_in_words(finding: Finding) -> str:
    """The values that differ: "new value: 16384 → 500000"; empty where none does."""
    before, now = ", ".join(finding.old_values), ", ".join(finding.new_values)
    if before and now:
        return f"new value: {before} → {now}"
    if before:
        return f"no longer there: {before}"
    return f"new: {now}" if now else ""
