"""The reports that lie in the folder of a run."""

from pathlib import Path

from eval.reports.html import html_report
from eval.reports.markdown import markdown_report
from eval.reports.summary import RunSummary, summarize
from eval.runs.folder import read_run

PAGE, TEXT = "report.html", "report.md"


def write_reports(folder: Path) -> RunSummary:
    """Write the reports on a run into its folder; return what they show.

    Raises GoldError where the folder holds no run.
    """
    summary = summarize(read_run(folder))
    (folder / PAGE).write_text(html_report(summary), "utf-8")
    (folder / TEXT).write_text(markdown_report(summary), "utf-8")
    return summary
