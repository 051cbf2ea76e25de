"""Release packs that an admin has ordered: made, and taken in, by the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from chatbot.accounts.people import LOCAL, Person
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.documents.uploads import keep_result
from corpora.errors import IngestCancelled
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import Job
from ingestion.messages import counted, message, sentences

SUFFIX = ".strata"


def pack_name(product: str, release: str) -> str:
    """What the file of a release pack is called."""
    return f"{product}-{release}{SUFFIX}".replace("/", "_")


def make_pack(
    settings: Settings,
    job: Job,
    report: Callable[[Progress], None],
    is_to_stop: Callable[[], bool],
) -> str:
    """Make the pack that a job has ordered, keep it to be fetched, and say what it is."""
    from chatbot.administration.release_packs import ReleasePacks

    def on_progress(_stage: str, done: int, total: int) -> None:
        report(Progress(Stage.PACKING, done, total))
        if is_to_stop():
            raise IngestCancelled

    with _chatbot(settings) as chatbot, TemporaryDirectory(dir=settings.data_dir) as folder:
        path = Path(folder, pack_name(job.product, job.release).replace("\\", "_"))
        packed = ReleasePacks(chatbot, _person(job)).make(
            job.product,
            job.release,
            path,
            originals=job.order["originals"],
            on_progress=on_progress,
        )
        with path.open("rb") as file:
            keep_result(chatbot.database, job.id, path.name, file)
    return message(
        "Ready to download for a week: {documents}, {answers}, {size:,.1f} MB. Signed by {signer}: "
        "tell its receivers this fingerprint by another way.",
        documents=counted("{number} document", "{number} documents", packed.documents),
        answers=counted("{number} curated answer", "{number} curated answers", packed.answers),
        size=packed.size / 1e6,
        signer=packed.signer,
    )


def take_pack(settings: Settings, job: Job, path: Path, builder: Builder) -> str:
    """Take in the pack that a job brought, whose signer was trusted when it was ordered."""
    from chatbot.administration.release_packs import ReleasePacks

    def on_progress(_stage: str, done: int, total: int) -> None:
        builder.on_progress(Progress(Stage.LISTING, done, total))

    with _chatbot(settings) as chatbot:
        # The worker may be on another machine, which does not know whom that one trusts.
        came = ReleasePacks(chatbot, _person(job)).take(
            path, builder, trust=job.order["signer"], on_progress=on_progress
        )
    documents = came.ingest.read + came.ingest.unchanged
    parts: list[str] = [
        counted(
            "Taken in: {number} document, made {moment}.",
            "Taken in: {number} documents, made {moment}.",
            documents,
            moment=came.made,
        )
    ]
    if came.embedded_anew:
        parts.append(
            counted(
                "{number} text embedded anew: {why}.",
                "{number} texts embedded anew: {why}.",
                came.ingest.embedded,
                why=came.embedded_anew,
            )
        )
    if came.terms:
        parts.append(
            counted(
                "{number} term added to the glossary.",
                "{number} terms added to the glossary.",
                came.terms,
            )
        )
    if came.answers:
        parts.append(
            counted(
                "{number} curated answer added.",
                "{number} curated answers added.",
                came.answers.added,
            )
        )
    return sentences([*parts, *came.left_out[:3]])


@contextmanager
def _chatbot(settings: Settings) -> Iterator[Chatbot]:
    from chatbot.assembly import open_chatbot

    chatbot = open_chatbot(settings)
    with closing(chatbot.database), closing(chatbot.corpora):
        yield chatbot


def _person(job: Job) -> Person:
    return replace(LOCAL, id=job.person, name=job.person or LOCAL.name)
