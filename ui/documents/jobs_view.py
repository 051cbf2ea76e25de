"""Jobs: the open ones with their progress, the finished ones with their results."""

from collections.abc import Callable, Sequence

import streamlit as st

from chatbot.administration.administration import Administration
from chatbot.text.languages import figure, gettext, gettext_noop, in_words
from corpora.documents.uploads import kept_result
from corpora.errors import JobError
from corpora.jobs.jobs import ON_DOCUMENTS, PACKS, SYNCS, Job, JobFile, JobKind, Jobs
from ui.elements.frame import button, failures_shown, in_a_row, when
from ui.elements.table import download, list_in_pages
from ui.serving import services
from ui.wording.amounts import how_large, how_long, how_many
from ui.wording.escaping import as_label, as_text

PATIENCE = 15.0
"""Seconds after which a waiting job makes the page say that no worker runs."""

_LOOK_EVERY = 1.0
_OF_THE_PAGE = (*ON_DOCUMENTS, *PACKS, *SYNCS)
_SHOWN = 50
_REASON = 200
_KINDS = {
    "upload": gettext_noop("Upload"),
    "reread": gettext_noop("Reprocessing"),
    "embed": gettext_noop("Embedding"),
    "remove": gettext_noop("Removal of documents"),
    "delete": gettext_noop("Deletion"),
    "unpack": gettext_noop("Taking in a release pack"),
    "pack": gettext_noop("Making a release pack"),
    "evaluate": gettext_noop("Evaluation"),
    "draft": gettext_noop("Proposing questions"),
    "check": gettext_noop("Check of accepted answers"),
}
_STATES = {
    "waiting": ("gray", gettext_noop("waiting")),
    "done": ("green", gettext_noop("done")),
    "failed": ("red", gettext_noop("failed")),
    "cancelled": ("gray", gettext_noop("cancelled")),
}
"""The colour of the badge of each state, and its name; what runs shows how far it is."""
_STAGES = {
    "listing": gettext_noop("listing"),
    "fetching": gettext_noop("fetching"),
    "reading": gettext_noop("reading"),
    "telling languages": gettext_noop("telling languages"),
    "embedding": gettext_noop("embedding"),
    "indexing": gettext_noop("indexing"),
    "publishing": gettext_noop("publishing"),
    "deleting": gettext_noop("deleting"),
    "packing": gettext_noop("packing"),
    "asking": gettext_noop("asking"),
    "scoring": gettext_noop("scoring"),
    "proposing": gettext_noop("proposing"),
    "checking": gettext_noop("checking"),
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
            gettext(
                "No finished jobs yet. Uploads, removals, reprocessing and runs of sources are "
                "listed here with their results and any files that were skipped."
            )
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
                gettext(
                    "No worker is running, so jobs are waiting. Start one with `strata worker`, or "
                    "restart `strata serve`, which starts one with the page."
                ),
                icon=":material/hourglass_empty:",
            )


def _card(job: Job) -> None:
    with st.container(border=True):
        with in_a_row(wrap=False):
            st.markdown(f"{_heading(job)}\\\n{_steps(job)}", width="stretch")
            if services.administration().may_change(job):
                button(
                    gettext("Stopping …") if job.cancelling else gettext("Cancel"),
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
        by = f" · {gettext('by {name}', name=as_label(job.person))}" if job.person else ""
        outcome = as_text(_came_to(job))
        st.markdown(
            f"{_heading(job)}\\\n" + (f"{outcome}\\\n" if outcome else "") + f":gray[{moment}{by}]",
            width="stretch",
        )
        if job.kind is JobKind.PACK and job.state == "done":
            _offer_pack(job)
        has_files = job.kind in ON_DOCUMENTS
        of, key = _named(job), f"files of {job.id}"
        if has_files and button(gettext("Files"), icon="description", of=of, key=key):
            title = gettext("Files of this job")
            st.dialog(title, width="large", icon=":material/description:")(_files)(job.id)
        is_undone = job.state in ("failed", "cancelled")
        if is_undone and services.administration().may_change(job):
            label, key = gettext("Try again"), f"retry {job.id}"
            retry = Administration.retry
            button(label, _change, retry, job.id, icon="refresh", of=of, key=key)


def _offer_pack(job: Job) -> None:
    try:
        name, *_ = kept_result(services.administered().database, job.id)
    except JobError:
        st.markdown(f":gray[{gettext('not kept any more')}]", width="content")
        return
    download(
        gettext("Download"),
        lambda: b"".join(kept_result(services.administered().database, job.id)[-1]),
        name,
        key=f"pack {job.id}",
    )


def _files(job_id: int) -> None:
    files = _jobs().files(job_id)
    if not files:
        st.markdown(gettext("This job has no files of its own and skipped none."))
        return
    left_out = sum(1 for file in files if file.reason)
    files_said, number = how_many(len(files), "file"), figure(left_out)
    st.caption(
        gettext("{files}, {number} skipped or read in part", files=files_said, number=number)
    )
    # A table would cut what long names and reasons end in, on a phone nearly all of them.
    list_in_pages(files, f"files of {job_id}", lambda _, file: _show_file(file), of="file")


def _show_file(file: JobFile) -> None:
    size = f" :small[:gray[{as_label(how_large(file.size))}]]" if file.size else ""
    problem = f"\\\n{as_label(in_words(file.reason), _REASON)}" if file.reason else ""
    st.markdown(f"**{as_label(file.file, 300)}**{size}{problem}")


def _change(change: Callable[[Administration, int], None], job: int) -> None:
    with failures_shown(as_toast=True):
        change(services.administration(), job)


def _named(job: Job) -> str:
    return gettext("{name}, job {number}", name=_subject(job), number=job.id)


def _subject(job: Job) -> str:
    return f"{job.product} {job.release}".strip()


def _heading(job: Job) -> str:
    of = as_label(_subject(job))
    kind = gettext("Source {number}", number=job.source_id)
    if job.kind is not JobKind.SYNC:
        kind = gettext(_KINDS[job.kind])
    badge = ""
    if job.state in _STATES:
        color, state = _STATES[job.state]
        badge = f" :{color}-badge[{gettext(state)}]"
    return f"**{kind}** · {of}{badge}"


def _steps(job: Job) -> str:
    if job.state == "waiting":
        return f":gray[{as_label(job.message, 300) or gettext('waiting for its turn')}]"
    if not job.stage:
        return f":gray[{gettext('starting')}]"
    # A sign of the text: before or behind an icon a line may end.
    done = [f":gray[✓ {_stage(name)}]" for name in _before(job)]
    now = f"**{as_label(_stage(job.stage))} …**"
    return "\u2002 ".join(step.replace(" ", "\u00a0") for step in (*done, now))


def _stage(name: str) -> str:
    return gettext(_STAGES.get(name, name))


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
    release = {"number": figure(done + 1), "all": figure(of)}
    parts = [gettext("release {number} of {all}", **release)] if of > 1 else []
    if not job.total:
        # How many pages a site has is not known while its links are followed.
        so_far = [how_many(job.done, _COUNTED.get(job.stage, "step"))] if job.done else []
        return " · ".join([*parts, *so_far, *filter(None, [job.item])])
    counted = how_many(job.total, _COUNTED.get(job.stage, "step"))
    parts.append(gettext("{number} of {all}", number=figure(job.done), all=counted))
    if job.stage_started and (job.as_of - job.stage_started).total_seconds() >= _SLOW:
        # Reading one large file takes minutes: the clock shows that it goes on.
        passed = how_long((job.as_of - job.stage_started).total_seconds())
        parts.append(gettext("{time} so far", time=passed))
    if job.rate and job.total > 1:
        rate = figure(job.rate, 1 if job.rate < 10 else 0)
        parts.append(gettext("{number} per second", number=rate))
    if job.seconds_left is not None and job.done < job.total:
        parts.append(gettext("about {time} left", time=how_long(job.seconds_left)))
    if job.item:
        parts.append(job.item)
    return " · ".join(parts)


def _came_to(job: Job) -> str:
    if job.state != "done" or not (job.started and job.finished):
        return job.message
    took = how_long((job.finished - job.started).total_seconds())
    return f"{in_words(job.message)} {gettext('It took {time}.', time=took)}"
