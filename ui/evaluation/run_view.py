"""One run: the pictures and tables of its report, and every failure with its evidence."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.text.languages import gettext, language, spoken
from eval.reports.history import PastRun
from eval.reports.html import html_failures, html_figures, html_report
from eval.reports.markdown import markdown_report
from eval.reports.summary import RunSummary, summarize
from eval.reports.wording import manifest_rows
from eval.runs.folder import RunFolder, read_run
from ingestion.messages import message
from ui.elements.address import go
from ui.elements.frame import button, in_a_row, show_facts, show_tabs, when
from ui.elements.table import download, list_in_pages
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

_FAILURES = 20
_LONGEST_FACT = 1000


def show_run(person: Person, run: PastRun) -> None:
    """Show a run as far as it has come."""
    files = RunFolder(run.folder)
    changed = (f.stat().st_mtime_ns for f in (files.manifest, files.scores) if f.exists())
    with st.spinner(gettext("Reading the run …")):
        summary = _summary(run.folder, tuple(changed))
    manifest, failures = summary.manifest, how_many(len(summary.failures), "failure")
    with st.container(gap="small", key="release-heading"):
        button(gettext("All runs"), partial(go, run=None), icon="arrow_back", type="tertiary")
        st.title(as_label(manifest.name, 120), anchor=False)
        asked = how_many(manifest.questions, "question")
        model = manifest.model or gettext("no language model")
        made = f"{asked} · {when(manifest.started)} · {model}"
        st.markdown(f":gray[{as_label(made, 200)}]")
        for remark in summary.remarks:
            st.markdown(f":material/info: {as_text(remark)}")
    _downloads(person, run.folder.name, summary)
    show_tabs(
        "run tab",
        {
            gettext("Figures"): lambda: _show(html_figures(summary)),
            failures: lambda: _failures(summary),
            gettext("What was run"): lambda: show_facts(
                dict(manifest_rows(manifest)), _LONGEST_FACT
            ),
        },
    )


# Intervals of many measures take seconds; a folder changes only while its run goes on.
@st.cache_resource(max_entries=4, show_spinner=False)
def _summary(folder: Path, changed: tuple[int, ...]) -> RunSummary:
    return summarize(read_run(folder))


def _show(html: str) -> None:
    """Show what a report's templates made, in which every text is escaped."""
    st.html(html)


def _downloads(person: Person, name: str, summary: RunSummary) -> None:
    log = AuditLog(services.administered().database)

    # A download is made outside of the page, which has no language there.
    def written(make: Callable[[RunSummary], str], code: str) -> str:
        log.record(person, "export", message("evaluation"), run=name)
        with spoken(code):
            return make(summary)

    with in_a_row():
        for label, make, suffix in (
            (gettext("Report (HTML)"), html_report, "html"),
            (gettext("Report (Markdown)"), markdown_report, "md"),
        ):
            download(
                label,
                partial(written, make, language()),
                f"{name}.{suffix}",
                key=f"run as {suffix}",
            )


def _failures(summary: RunSummary) -> None:
    if not summary.failures:
        st.markdown(gettext("No answer was wrong."))
    list_in_pages(
        summary.failures,
        f"failures of {summary.manifest.name}",
        lambda _, case: _show(html_failures([case])),
        of="failure" if summary.failures else "",
        size=_FAILURES,
    )
