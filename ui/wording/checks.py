"""What a check of accepted answers found, in words."""

from chatbot.release_check.reports import CheckReport, Finding
from chatbot.release_check.telling import counts
from chatbot.release_check.verdicts import Verdict
from chatbot.text.languages import gettext, gettext_noop, in_words, ngettext

VERDICTS = {
    Verdict.CHANGED: gettext_noop("changed"),
    Verdict.GONE: gettext_noop("no longer documented"),
    Verdict.FAILED: gettext_noop("not asked"),
    Verdict.SAME: gettext_noop("same"),
    Verdict.HOLDS: gettext_noop("still holds"),
}


def counts_in_words(report: CheckReport) -> str:
    """The counts of a report, and what it took."""
    calls = gettext("It took no call of a model.")
    if report.calls:
        calls = ngettext(
            "It took {number} call of a model.", "It took {number} calls of a model.", report.calls
        )
    return f"{in_words(counts(report))} {calls}"


def values_in_words(finding: Finding) -> str:
    """The values that differ: "new value: 16384 → 500000"; empty where none does."""
    before, now = ", ".join(finding.old_values), ", ".join(finding.new_values)
    if before and now:
        return gettext("new value: {before} → {now}", before=before, now=now)
    if before:
        return gettext("no longer there: {values}", values=before)
    return gettext("new: {values}", values=now) if now else ""
