"""What waits to be published, and the accepted answers held against it, on the page Releases."""

from collections.abc import Sequence

import streamlit as st

from chatbot.release_check.reports import (
    CheckReport,
    Finding,
    WaitingGeneration,
    checked_releases,
    read_report,
    waiting_generations,
)
from chatbot.release_check.verdicts import Verdict
from chatbot.text.languages import gettext, in_words
from chatbot.turn import Citation
from corpora.database.engine import Database
from corpora.jobs.jobs import CHECKS, Jobs
from ui.answers.citations import place, source_button
from ui.documents.jobs_view import show_running
from ui.elements.frame import button, done, failures_shown, in_a_row, when
from ui.elements.scope import any_of
from ui.elements.table import list_in_pages
from ui.serving import services
from ui.wording.checks import VERDICTS, counts_in_words, values_in_words
from ui.wording.escaping import as_label, as_text

_COLOURS = {
    Verdict.CHANGED: "orange",
    Verdict.GONE: "red",
    Verdict.FAILED: "red",
    Verdict.SAME: "gray",
    Verdict.HOLDS: "green",
}
_QUOTE = 600
"""Characters of cited words that are shown."""
_PAGE = 10
_DISCARDED = "what was discarded"


def waiting_products() -> tuple[str, ...]:
    """The products of which something waits to be published, be it their first release."""
    return tuple(dict.fromkeys(w.product for w in waiting_generations(_database())))


def show_checks(product: str) -> None:
    """What waits of a product, and the report on one of its releases; for admins."""
    show_running(CHECKS)
    waiting = {w.release: w for w in waiting_generations(_database(), product)}
    for one in waiting.values():
        _show_waiting(one)
    # A notice goes away by itself, and this stays until the next click.
    if told := st.session_state.pop(_DISCARDED, ""):
        st.markdown(as_text(told))
    checked = checked_releases(_database(), product)
    if not checked:
        return
    first = next((name for name in checked if name in waiting), checked[0])
    with st.expander(gettext("Accepted answers, held against a release"), expanded=bool(waiting)):
        release = st.selectbox(
            gettext("Release"), checked, index=checked.index(first), key=f"checked of {product}"
        )
        report = read_report(_database(), product, release)
        if report is None:
            st.markdown(gettext("It has not been checked yet."))
        else:
            _show_report(report)


def _show_waiting(one: WaitingGeneration) -> None:
    name = as_label(f"{one.product} {one.release}")
    built = gettext(
        "built {moment}; not served until an admin publishes it",
        moment=as_label(when(one.since)),
    )
    with st.container(border=True, key=f"waiting-{one.generation}"):
        st.markdown(
            f"**{name}** :orange-badge[{gettext('waits to be published')}]\\\n:gray[{built}]"
        )
        with in_a_row():
            key = f"publish {one.generation}"
            if button(gettext("Publish"), icon="publish", type="primary", key=key):
                _publish(one)
            if button(gettext("Discard"), icon="delete", key=f"discard {one.generation}"):
                _discard(one)
            if not _is_being_checked(one.product, one.release):
                key = f"check {one.generation}"
                button(
                    gettext("Check"), _check, one.product, one.release, icon="fact_check", key=key
                )


def _publish(one: WaitingGeneration) -> None:
    # One click: what was found stands below, and a rollback takes it back.
    with failures_shown():
        data_dir = services.administered().settings.data_dir
        of = one.product, one.release, data_dir, one.generation
        summary = in_words(services.administration().publish(*of))
        published = gettext("{name} is published.", name=f"{one.product} {one.release}")
        done(f"{published} {summary}".rstrip())


def _discard(one: WaitingGeneration) -> None:
    # One click: what was thrown away can be brought again.
    with failures_shown():
        data_dir = services.administered().settings.data_dir
        services.administration().discard(one.product, one.release, data_dir, one.generation)
        discarded = gettext(
            "The version of {name} that was built {moment} and waited was thrown away; what is "
            "served stays as it is. To bring it again, run its source, or upload its files again.",
            name=f"{one.product} {one.release}",
            moment=when(one.since),
        )
        st.session_state[_DISCARDED] = discarded
        done(discarded)


def _is_being_checked(product: str, release: str) -> bool:
    jobs = Jobs(_database()).recent(product=product, kinds=CHECKS)
    return any(job.is_open and job.release == release for job in jobs)


def _check(product: str, release: str) -> None:
    with failures_shown(as_toast=True):
        services.administration().check(product, release)


def _show_report(report: CheckReport) -> None:
    st.markdown(as_text(counts_in_words(report)))
    state = "" if report.finished else gettext("Not all answers have been checked yet.")
    checked = gettext("Checked {moment}.", moment=when(report.created))
    st.caption(as_label(" ".join(filter(None, (state, checked, report.told))), 400))
    if not (report.waits or _is_being_checked(report.product, report.release)):
        key = f"check {report.generation}"
        button(gettext("Check"), _check, report.product, report.release, icon="fact_check", key=key)
    there = [VERDICTS[verdict] for verdict in VERDICTS if report.count(verdict)]
    of = f"{report.product} {report.release}"
    chosen = any_of(st.container(), gettext("Outcome"), there, f"verdict of {of}", shown=gettext)
    shown = [f for f in report.findings if chosen in (None, VERDICTS[f.verdict])]
    list_in_pages(
        shown,
        f"findings {of} {chosen}",
        lambda number, finding: _show_finding(report, number, finding),
        of="answer",
        size=_PAGE,
    )


def _show_finding(report: CheckReport, number: int, finding: Finding) -> None:
    with st.container(border=True, key=f"finding-{number}", gap="xsmall"):
        badge = f":{_COLOURS[finding.verdict]}-badge[{gettext(VERDICTS[finding.verdict])}]"
        st.markdown(f"**{as_label(finding.question, 300)}** {badge}")
        if told := values_in_words(finding):
            st.markdown(as_label(told, 300))
        if finding.problem:
            st.markdown(as_text(finding.problem))
        if finding.verdict is Verdict.HOLDS:
            _show_side(report.product, report.against, finding.old_citations, f"{number}-old")
            return
        before, now = st.columns(2)
        with before:
            _show_side(report.product, report.against, finding.old_citations, f"{number}-old")
        with now:
            opens = not report.waits
            _show_side(
                report.product, report.release, finding.new_citations, f"{number}-new", opens=opens
            )


def _show_side(
    product: str, release: str, citations: Sequence[Citation], key: str, *, opens: bool = True
) -> None:
    """The cited words of one side; pages of a version that is not served cannot be opened."""
    st.markdown(f":small[:gray[{as_label(release)}]]")
    if not citations:
        st.markdown("–")
    for number, citation in enumerate(citations[:3]):
        words = "\\\n".join(f"> {as_label(line, _QUOTE)}" for line in _lines(citation.quote))
        st.markdown(words)
        if opens:
            source_button(place(citation), product, citation, f"{key}-{number}", icon="description")
        else:
            st.caption(place(citation))


def _lines(quote: str) -> list[str]:
    return [line for line in quote[:_QUOTE].split("\n") if line.strip()] or [quote]


def _database() -> Database:
    return services.administered().database
