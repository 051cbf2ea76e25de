"""The text about a job: what it does, how far it is, its result."""

from corpora.jobs.jobs import Job
from ui.wording.amounts import how_long, how_many
from ui.wording.escaping import as_label

_KINDS = {
    "upload": "Upload",
    "reread": "Reprocessing",
    "remove": "Removal of documents",
    "delete": "Deletion",
}
_STATES = {
    "waiting": ":gray-badge[waiting]",
    "running": "",
    "done": ":green-badge[:material/check: done]",
    "failed": ":red-badge[failed]",
    "cancelled": ":gray-badge[cancelled]",
}
_INGEST = ("listing", "reading", "embedding", "indexing", "publishing")
_SHARES = (0.05, 0.35, 0.45, 0.1, 0.05)
"""The share of an ingest that each of its stages takes, roughly."""

_SLOW = 5.0
_COUNTED = {"reading": "file", "embedding": "passage", "indexing": "passage", "deleting": "page"}


def heading(job: Job) -> str:
    """What a job does to which release, and its state, as a line of Markdown."""
    of = as_label(f"{job.product} {job.release}".strip())
    return f"**{_KINDS[job.kind]}** · {of} {_STATES[job.state]}".rstrip()


def steps(job: Job) -> str:
    """The finished stages of a job and the current one, as a line of Markdown."""
    if job.state == "waiting":
        return f":gray[{as_label(job.message, 300) or 'waiting for its turn'}]"
    if job.stage not in _INGEST:
        return f"**{as_label(job.stage)} …**" if job.stage else ":gray[starting]"
    at = _INGEST.index(job.stage)
    done = [f":gray[:material/check: {name}]".replace(" ", "\u00a0") for name in _INGEST[:at]]
    return "\u2002 ".join([*done, f"**{job.stage} …**"])


def share(job: Job) -> float:
    """The share of the whole job that is done, 0 to 1; it never falls when a stage begins."""
    within = min(1.0, job.done / job.total) if job.total else 0.0
    if job.stage not in _INGEST:
        return within
    at = _INGEST.index(job.stage)
    return sum(_SHARES[:at]) + within * _SHARES[at]


def how_far(job: Job) -> str:
    """How much of the stage is done, how fast, and the time left; plain text."""
    if not job.total:
        return ""
    parts = [f"{job.done:,} of {how_many(job.total, _COUNTED.get(job.stage, 'step'))}"]
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


def came_to(job: Job) -> str:
    """The result of a finished job, as a line of plain text."""
    if job.state != "done" or not (job.started and job.finished):
        return job.message
    took = how_long((job.finished - job.started).total_seconds())
    return f"{job.message} It took {took}."
