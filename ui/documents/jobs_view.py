"""Jobs: the open ones with their progress, the finished ones with their results."""

import streamlit as st

from corpora.jobs.jobs import Job, Jobs
from ui.elements.frame import button, failures_shown, in_a_row
from ui.elements.moments import when
from ui.elements.table import show_table
from ui.serving import services
from ui.wording.amounts import how_large, how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.jobs import came_to, heading, how_far, share, steps

PATIENCE = 15.0
"""Seconds after which a waiting job makes the page say that no worker runs."""

_LOOK_EVERY = 1.0
_SHOWN = 50


def show_running() -> None:
    """The waiting and running jobs, refreshed every second while there are any."""
    # This container is always there, so that what is below keeps its state when a job ends.
    place = st.container()
    if running := _running():
        with place:
            _watch(tuple(job.id for job in running))


def show_jobs() -> None:
    """The jobs that have ended, the newest first."""
    ended = [job for job in _jobs().recent(_SHOWN) if not job.is_open]
    if not ended:
        st.markdown(
            "No finished jobs yet. Uploads, removals and reprocessing are listed here with their "
            "results and any files that were skipped."
        )
    for job in ended:
        _ended(job)


def _jobs() -> Jobs:
    return Jobs(services.chatbot().database)


def _running() -> list[Job]:
    """The open jobs in the order in which they are done."""
    return [job for job in reversed(_jobs().recent(_SHOWN)) if job.is_open]


@st.fragment(run_every=_LOOK_EVERY)
def _watch(shown: tuple[int, ...]) -> None:
    running = _running()
    if tuple(job.id for job in running) != shown:
        st.rerun()
    with st.container(gap="small", key="running-jobs"):
        for job in running:
            _card(job)
        # A worker that was just started would have begun by now.
        waits_long = any(
            (job.as_of - job.created).total_seconds() > PATIENCE
            for job in running
            if job.state == "waiting"
        )
        if waits_long and not _jobs().has_worker():
            st.info(
                "No worker is running, so jobs are waiting. Start one with `strata worker`, or "
                "restart `strata serve`, which starts one with the page.",
                icon=":material/hourglass_empty:",
            )


def _card(job: Job) -> None:
    with st.container(border=True):
        with in_a_row(wrap=False):
            st.markdown(f"{heading(job)}\\\n{steps(job)}", width="stretch")
            button(
                "Stopping …" if job.cancelling else "Cancel",
                _cancel,
                job.id,
                icon="stop_circle",
                key=f"cancel {job.id}",
                disabled=not job.can_be_cancelled,
            )
        st.progress(share(job))
        st.caption(as_label(how_far(job), 300) or "\u00a0")


def _ended(job: Job) -> None:
    with (
        st.container(border=True),
        in_a_row(gap="medium"),
    ):
        moment = when(job.finished or job.created)
        by = f" · by {as_label(job.person)}" if job.person else ""
        told = as_text(came_to(job))
        st.markdown(
            f"{heading(job)}\\\n" + (f"{told}\\\n" if told else "") + f":gray[{moment}{by}]",
            width="stretch",
        )
        if button("Files", icon="description", key=f"files of {job.id}"):
            _files(job.id)
        if job.state in ("failed", "cancelled"):
            button("Try again", _retry, job.id, icon="refresh", key=f"retry {job.id}")


@st.dialog("Files of this job", width="large", icon=":material/description:")
def _files(job_id: int) -> None:
    files = _jobs().files(job_id)
    if not files:
        st.markdown("This job has no files of its own and skipped none.")
        return
    left_out = sum(1 for file in files if file.reason)
    st.caption(f"{how_many(len(files), 'file')}, {left_out:,} skipped or read in part")
    rows = [
        {
            "File": file.file,
            "Problem": file.reason,
            "Size": how_large(file.size) if file.size else "",
        }
        for file in files
    ]
    show_table(rows, {"Problem": "large"}, name="Files of this job", height="auto")


def _cancel(job_id: int) -> None:
    with failures_shown(as_toast=True):
        services.administration().cancel(job_id)


def _retry(job_id: int) -> None:
    with failures_shown(as_toast=True):
        services.administration().retry(job_id)
