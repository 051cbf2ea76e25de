"""Questions that an admin has ordered are proposed by the worker."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

from chatbot.accounts.people import LOCAL
from chatbot.runtime.concurrency import Stopped
from chatbot.settings import Settings
from corpora.errors import IngestCancelled
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import Job
from ingestion.messages import counted, message


def draft(
    settings: Settings,
    job: Job,
    report: Callable[[Progress], None],
    is_to_stop: Callable[[], bool],
) -> str:
    """Propose what a job has ordered, and say how much that came to.

    A job that is done again proposes what is still missing. Raises the errors of `propose`, and
    IngestCancelled.
    """
    from chatbot.assembly import open_chatbot
    from eval.sets.drafting import propose, proposed_since

    wanted, progress = job.order["number"], Progress(Stage.PROPOSING, 0, job.order["number"])
    chatbot = open_chatbot(settings)
    with closing(chatbot.database), closing(chatbot.corpora):
        before = proposed_since(chatbot.database, job.product, job.created)

        def on_progress(done: int, total: int) -> None:
            nonlocal progress
            progress = Progress(Stage.PROPOSING, before + done, wanted)
            report(progress)

        def stopped() -> bool:
            # Whether it is cancelled is learned in reporting, and a model's reply takes a while.
            report(progress)
            return is_to_stop()

        try:
            added = propose(
                chatbot,
                replace(LOCAL, id=job.person, name=job.person or LOCAL.name),
                job.product,
                job.release,
                job.order["since"] or None,
                max(0, wanted - before),
                with_model=job.order["with_model"],
                on_progress=on_progress,
                stopped=stopped,
            )
        except Stopped as end:
            raise IngestCancelled from end
    if not before + added:
        return message("Nothing new to propose: all of it is there already.")
    return counted("{number} question proposed.", "{number} questions proposed.", before + added)
