"""A job is cancelled around the moment at which its release changes: it changes whole, or not."""

from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import delete, select

from chatbot.memory import suspending
from corpora.building import building
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.job_tables import WorkerRow
from corpora.database.tables import GenerationRow
from corpora.documents.uploads import UploadedFile, store
from corpora.errors import JobError
from corpora.generations import generations
from corpora.indexing.corpus import open_corpus
from corpora.jobs.jobs import Jobs, JobState
from tests.job_work import worker
from tests.ui.attacks.conftest import each

pytestmark = pytest.mark.database

PUBLISHING = {
    "cancel-while-indexing": ("building.build_indexes", "after", JobState.CANCELLED),
    "cancel-before-the-row": ("generations.publish", "before", JobState.DONE),
    "cancel-within-the-row": ("suspending._absent_pages", "beside", JobState.DONE),
    "cancel-after-the-row": ("generations.publish", "after", JobState.DONE),
    "cancel-while-pruning": ("generations.prune", "before", JobState.DONE),
    "cancel-of-a-worker-that-seems-dead": ("generations.publish", "dead", JobState.DONE),
    "failure-within-the-row": ("suspending._absent_pages", "fails", JobState.FAILED),
}
"""The step that is attacked, how, and what becomes of the job."""


def _upload(database: Database, data_dir: Path, height: str) -> int:
    files = [UploadedFile("guide.md", f"# Guide\n\nThe mast is {height}.\n".encode())]
    return store(database, data_dir, files, product="Beacon", release="1.0", person_id="ann")


def _serves(database: Database, data_dir: Path) -> str:
    corpus = open_corpus(database, data_dir, "Beacon", "1.0")
    (chunk_id, _), *_ = corpus.lexical(["mast"], 1)
    text = corpus.chunk(chunk_id).text
    corpus.close()
    return text


@each(PUBLISHING)
def test_a_release_changes_whole_or_not_at_all(
    database: Database,
    data_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[str, str, JobState],
) -> None:
    place, how, ends = case
    jobs, work = Jobs(database), worker(database, data_dir)
    work.do(_upload(database, data_dir, "12 m"))
    first = Catalog(database).serving("Beacon", "1.0").generation
    job_id = _upload(database, data_dir, "14 m")
    refused: list[str] = []

    def cancel() -> None:
        try:
            jobs.cancel(job_id)
        except JobError as error:
            refused.append(str(error))

    beside = Thread(target=cancel)
    module, _, name = place.partition(".")
    where = {"building": building, "generations": generations, "suspending": suspending}[module]
    step: Callable[..., object] = getattr(where, name)

    def attacked(*arguments: object) -> object:
        match how:
            case "before":
                cancel()
            case "beside":
                beside.start()
            case "dead":
                with database.writing() as session:
                    session.execute(delete(WorkerRow))
                cancel()
            case "fails":
                step(*arguments)
                raise OSError("the machine is gone")
        result = step(*arguments)
        if how == "after":
            cancel()
        return result

    monkeypatch.setattr(where, name, attacked)
    work.do(job_id)
    monkeypatch.undo()
    if how == "beside":
        beside.join()
    job = jobs.get(job_id)
    assert job.state is ends, job.message
    has_published = job.state is JobState.DONE
    assert ("14 m" if has_published else "12 m") in _serves(database, data_dir)
    assert [told for told in refused if "cannot be stopped" in told] == refused
    # What publishes already is not stopped, and who wants to is told so.
    assert refused or how in ("beside", "fails") or not has_published
    assert not job.cancelling
    with database.reading() as session:
        kept = set(session.scalars(select(GenerationRow.id)))
        unfinished = select(GenerationRow.id).where(GenerationRow.published.is_(None))
        assert session.scalars(unfinished).all() == []
    assert {folder.name for folder in (data_dir / "generations").iterdir()} <= {*map(str, kept)}
    assert (Catalog(database).serving("Beacon", "1.0").generation == first) != has_published
