"""A check of accepted answers that an ingest or an admin ordered, done by the worker."""

from collections.abc import Callable
from contextlib import closing
from functools import partial

from chatbot.runtime.concurrency import Stopped
from chatbot.runtime.ingest_throttle import wait_for_answers
from chatbot.settings import Settings
from corpora.errors import IngestCancelled
from corpora.generations.progress import Progress
from corpora.jobs.jobs import Job
from ingestion.messages import sentences


def check(
    settings: Settings,
    job: Job,
    report: Callable[[Progress], None],
    is_to_stop: Callable[[], bool],
) -> str:
    """Hold accepted answers against the job's release, tell who is to know; say what it came to.

    A job that is done again goes on where it stopped. People's questions go first. Raises
    IngestCancelled.
    """
    from chatbot.assembly import open_chatbot
    from chatbot.release_check.checking import Check
    from chatbot.release_check.telling import counts, tell

    chatbot = open_chatbot(settings)
    with closing(chatbot.database), closing(chatbot.corpora):
        pause = partial(wait_for_answers, settings.data_dir, is_to_stop)
        try:
            checked = Check(chatbot, report, is_to_stop, pause).run(job.product, job.release)
        except Stopped as stopped:
            raise IngestCancelled from stopped
        page = f"{settings.public_url}/releases" if settings.public_url else ""
        told = tell(chatbot.database, settings, checked, page)
    return sentences([counts(checked), told])
