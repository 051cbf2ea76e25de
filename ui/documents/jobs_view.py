"""Jobs: the open ones with their progress, the finished ones with their results."""

from collections.abc import Callable, Sequence

import streamlit as st

from chatbot.administration.administration import Administration
from corpora.documents.uploads import kept_result
from corpora.jobs.jobs import ON_DOCUMENTS, PACKS, SYNCS, Job, JobKind, Jobs
from ui.elements.frame import button, failures_shown, in_a_row, when
from ui.elements.table import download, show_table
from ui.serving import services
from ui.wording.amounts import how_large, how_long, how_many
from ui.wording.escaping import as_label, as_text

PATIENCE = 15.0
"""Seconds after which a waiting job makes the page say that no worker runs."""

_LOOK_EVERY = 1.0
_OF_THE_PAGE = (*ON_DOCUMENTS, *PACKS, *SYNCS)
_SHOWN = 50
_KINDS = {
    "upload": "Upload",
    "reread": "Reprocessing",
    "embed": "Embedding",
    "remove": "Removal of documents",
    "delete": "Deletion",
    "unpack": "Taking in a release pack",
    "pack": "Making a release pack",
    "evaluate": "Evaluation",
    "draft": "Proposing questions",
    "check": "Check of accepted answers",
    "sync": "Source",
}
_STATES = {
    "waiting": ":gray-badge[waiting]",
    "running": "",
    "done": ":green-badge[:material/check: done]",
    "failed": ":red-badge[failed]",
    "cancelled": ":gray-badge[cancelled]",
}
_INGEST = {
    "listing": 0.05,
    "reading": 0.32,
    "telling languages": 0.03,
    "embedding": 0.45,
    "indexing": 0.1,
    "publishing": 0.05,
}
_OTHERS = {
    JobKind.EVALUATE: {"asking": 0.95, "scoring": 0.05},
    JobKind.DRAFT: {"proposing": 1.0},
    JobKind.CHECK: {"checking": 1.0},
    JobKind.PACK: {"packing": 1.0},
    JobKind.SYNC: {"fetching": 0.5, **{stage: share / 2 for stage, share in _INGEST.items()}},
}
"""The share of a job that each of its stages takes, roughly; of a source's, for each release."""

_SLOW = 5.0
_COUNTED = {
    "fetching": "file",
    "reading": "file",
    "telling languages": "document",
    "embedding": "passage",
    "indexing": "passage",
    "deleting": "page",
    "packing": "document",
    "asking": "question",
    "scoring": "answer",
    "proposing": "question",
    "checking": "answer",
}


def show_running(kinds: Sequence[JobKind] = _OF_THE_PAGE) -> None:
    """The waiting and running jobs, refreshed every second while there are any."""
    # This container is always there, so that what is below keeps its state when a job ends.
    place = st.container()
    if running := _running(kinds):
        with place:
            _watch(kinds, tuple(job.id for job in running))


def show_jobs() -> None:
    """The jobs that have ended, the newest first."""
    ended = [job for job in _jobs().recent(_SHOWN, kinds=_OF_THE_PAGE) if not job.is_open]
    if not ended:
        st.markdown(
            "No finished jobs yet. Uploads, removals, reprocessing and runs of sources are listed "
            "here with their results and any files that were skipped."
        )
    for job in ended:
        show_ended(job)


def _jobs() -> Jobs:
    return Jobs(services.administered().database)


def _running(kinds: Sequence[JobKind]) -> list[Job]:
    return [job for job in reversed(_jobs().recent(_SHOWN, kinds=kinds)) if job.is_open]


@st.fragment(run_every=_LOOK_EVERY)
def _watch(kinds: Sequence[JobKind], shown: tuple[int, ...]) -> None:
    running = _running(kinds)
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
            st.markdown(f"{_heading(job)}\\\n{_steps(job)}", width="stretch")
            button(
                "Stopping …" if job.cancelling else "Cancel",
                _change,
                Administration.cancel,
                job.id,
                icon="stop_circle",
                of=_named(job),
                key=f"cancel {job.id}",
                disabled=not job.can_be_cancelled,
            )
        st.progress(_share(job))
        st.caption(as_label(_how_far(job), 300) or "\u00a0")


def show_ended(job: Job) -> None:
    """A job that is over, with what it came to."""
    with in_a_row(border=True, gap="medium"):
        moment = when(job.finished or job.created)
        by = f" · by {as_label(job.person)}" if job.person else ""
        outcome = as_text(_came_to(job))
        st.markdown(
            f"{_heading(job)}\\\n" + (f"{outcome}\\\n" if outcome else "") + f":gray[{moment}{by}]",
            width="stretch",
        )
        if job.kind is JobKind.PACK and job.state == "done":
            _offer_pack(job)
        has_files = job.kind in ON_DOCUMENTS
        of = _named(job)
        if has_files and button("Files", icon="description", of=of, key=f"files of {job.id}"):
            _files(job.id)
        if job.state in ("failed", "cancelled"):
            key = f"retry {job.id}"
            retry = Administration.retry
            button("Try again", _change, retry, job.id, icon="refresh", of=of, key=key)


def _offer_pack(job: Job) -> None:
    files = [file for file in _jobs().files(job.id) if file.content_hash]
    if not files:
        st.markdown(":gray[not kept any more]", width="content")
        return
    download(
        "Download",
        lambda: kept_result(services.administered().database, job.id)[1],
        files[0].file,
        key=f"pack {job.id}",
    )


@st.dialog("Files of this job", width="large", icon=":material/description:")
def _files(job_id: int) -> None:
    files = _jobs().files(job_id)
    if not files:
        st.markdown("This job has no files of its own and skipped none.")
        return
    left_out = sum(1 for file in files if file.reason)
    st.caption(f"{how_many(len(files), 'file')}, {left_out:,} skipped or read in part")
    show_table(
        files,
        {
            "File": lambda file: file.file,
            "Problem": ("large", lambda file: file.reason),
            "Size": lambda file: how_large(file.size) if file.size else "",
        },
        name="Files of this job",
        height="auto",
    )


def _change(change: Callable[[Administration, int], None], job: int) -> None:
    with failures_shown(as_toast=True):
        change(services.administration(), job)


def _named(job: Job) -> str:
    return f"{job.product} {job.release}, job {job.id}".lstrip()


def _heading(job: Job) -> str:
    of = as_label(f"{job.product} {job.release}".strip())
    number = f" {job.source_id}" if job.kind is JobKind.SYNC else ""
    return f"**{_KINDS[job.kind]}{number}** · {of} {_STATES[job.state]}".rstrip()


def _steps(job: Job) -> str:
    if job.state == "waiting":
        return f":gray[{as_label(job.message, 300) or 'waiting for its turn'}]"
    if not job.stage:
        return ":gray[starting]"
    done = [f":gray[:material/check: {name}]".replace(" ", "\u00a0") for name in _before(job)]
    return "\u2002 ".join([*done, f"**{as_label(job.stage)} …**"])


def _before(job: Job) -> dict[str, float]:
    """The stages that a job has behind it, with their shares."""
    stages = _OTHERS.get(job.kind, _INGEST)
    at = list(stages).index(job.stage) if job.stage in stages else 0
    return dict(list(stages.items())[:at])


def _share(job: Job) -> float:
    """The share of the whole job that is done, 0 to 1; it never falls when a stage begins."""
    within = min(1.0, job.done / job.total) if job.total else 0.0
    share = _OTHERS.get(job.kind, _INGEST).get(job.stage, 1.0)
    done, of = job.part
    return min(1.0, (done + sum(_before(job).values()) + within * share) / of)


def _how_far(job: Job) -> str:
    done, of = job.part
    parts = [f"release {done + 1:,} of {of:,}"] if of > 1 else []
    if not job.total:
        # How many pages a site has is not known while its links are followed.
        counted = [how_many(job.done, _COUNTED.get(job.stage, "step"))] if job.done else []
        return " · ".join([*parts, *counted, *filter(None, [job.item])])
    parts.append(f"{job.done:,} of {how_many(job.total, _COUNTED.get(job.stage, 'step'))}")
    if job.stage_started and (job.as_of - job.stage_started).total_seconds() >= _SLOW:
        # Reading one large file takes minutes: the clock shows that it goes on.
        parts.append(f"{how_long((job.as_of - job.stage_started).total_seconds())} so far")
    if job.rate and job.total > 1:
        parts.append(
            f"{job.rate:,.1f} per second" if job.rate < 10 else f"{job.rate:,.0f} per second"
        )
    if job.seconds_left is not None and job.done < job.total:
        parts.append(f"about {how_long(job.seconds_left)} left")
    if job.item:
        parts.append(job.item)
    return " · ".join(parts)


def _came_to(job: Job) -> str:
    if job.state != "done" or not (job.started and job.finished):
        return job.message
    took = how_long((job.finished - job.started).total_seconds())
    return f"{job.message} It took {took}."
