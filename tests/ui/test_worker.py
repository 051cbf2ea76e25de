"""A real worker process: it publishes, survives being killed, and stops when it is told to."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from chatbot.settings import Settings
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database
from corpora.documents.uploads import UploadedFile, store, upload_dir
from corpora.jobs.jobs import Job, JobKind, Jobs, JobState
from tests.chatbot.made_memory import remember, suspended
from tests.endurance.site import ROOT, Site, until, write_winch

# A worker lets everything else go first, so that on a busy machine it takes its time.
pytestmark = [pytest.mark.timeout(900), pytest.mark.database]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(data_dir=tmp_path_factory.mktemp("worked") / "data", generator="none")


@pytest.fixture(scope="module")
def database(settings: Settings) -> Iterator[Database]:
    database = open_database(settings.database)
    yield database
    database.close()


@pytest.fixture
def jobs(database: Database) -> Jobs:
    return Jobs(database)


@pytest.fixture
def site(settings: Settings, tmp_path: Path) -> Iterator[Site]:
    with Site(
        tmp_path,
        STRATA_DATA_DIR=str(settings.data_dir),
        STRATA_DATABASE_URL=settings.database,
        STRATA_MODELS_DIR=str(settings.models_dir),
    ) as site:
        yield site


def ended(jobs: Jobs, job_id: int) -> Job:
    until(lambda: not jobs.get(job_id).is_open, f"{jobs.get(job_id)} does not end")
    return jobs.get(job_id)


def upload(database: Database, settings: Settings, release: str, files: dict[str, bytes]) -> int:
    given = [UploadedFile(name, data) for name, data in files.items()]
    return store(
        database, settings.data_dir, given, product="Beacon", release=release, person_id=""
    )


def much(folder: Path, parts: int) -> dict[str, bytes]:
    """Files that take seconds to embed."""
    files = write_winch(folder, parts, parts, words=150)
    return {file.name: file.read_bytes() for file in files}


def is_embedding(jobs: Jobs, job_id: int) -> bool:
    job = jobs.get(job_id)
    assert job.is_open, job
    return job.stage == "embedding" and job.done > 0


@pytest.mark.slow
def test_what_is_uploaded_is_published_whatever_happens_to_the_worker(
    settings: Settings, database: Database, jobs: Jobs, site: Site, tmp_path: Path
) -> None:
    assert not jobs.has_worker()
    files = {"guide.md": b"# Guide\n\nBlue.\n", "bad.html": b"\x89PNG"}
    waiting = upload(database, settings, "1.0", files)
    assert jobs.get(waiting).state is JobState.WAITING
    worker = site.start("worker", "worker")
    job = ended(jobs, waiting)
    assert (job.state, job.report["read"], job.report["failed"]) == (JobState.DONE, 1, 1)
    assert [f.file for f in jobs.files(waiting) if f.reason] == ["bad.html"]
    until(lambda: not upload_dir(settings.data_dir, waiting).exists(), "its files stay")
    pair = remember(database, "1.0", "Blue")
    changed = upload(database, settings, "1.0", {"guide.md": b"# Guide\n\nRed.\n"})
    assert ended(jobs, changed).message.endswith("1 saved answer is suspended.")
    assert suspended(database, pair) == ["the page 1 of guide.md has changed"]
    assert jobs.has_worker()
    assert worker.pid in {p.pid for p in psutil.process_iter()}
    assert psutil.Process(worker.pid).nice() > psutil.Process().nice()

    killed = upload(database, settings, "2.0", much(tmp_path / "killed", 40))
    until(lambda: is_embedding(jobs, killed), "it does not embed")
    worker.send_signal(signal.SIGKILL)
    worker.wait(20)
    assert not jobs.has_worker()
    assert jobs.get(killed).state is JobState.RUNNING

    worker = site.start("worker", "worker")
    job = ended(jobs, killed)
    assert job.state is JobState.DONE
    assert (job.report["read"], job.report["unchanged"]) == (0, 2)
    assert 0 < job.report["embedded"] < job.report["chunks"]

    stopped = upload(database, settings, "3.0", much(tmp_path / "stopped", 9))
    until(lambda: jobs.get(stopped).state is JobState.RUNNING, "it is not begun")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(60) == 0
    assert jobs.get(stopped).state is JobState.WAITING
    assert not jobs.has_worker()

    worker = site.start("worker", "worker")
    until(lambda: jobs.get(stopped).state is JobState.RUNNING, "it is not continued")
    jobs.cancel(stopped)
    assert ended(jobs, stopped).state is JobState.CANCELLED
    jobs.retry(stopped)
    assert ended(jobs, stopped).state is JobState.DONE
    deleted = jobs.add(JobKind.DELETE, "Beacon", "2.0", "")
    assert ended(jobs, deleted).state is JobState.DONE
    worker.send_signal(signal.SIGINT)
    assert worker.wait(60) == 0
    offered = [release.name for release in Catalog(database).product("Beacon").releases]
    assert offered == ["1.0", "3.0"]


@pytest.mark.slow
def test_a_worker_ends_with_its_parent_and_is_started_again_when_it_dies(
    site: Site, jobs: Jobs
) -> None:
    script = "from ui.serving.worker import start_keeper; start_keeper(); input()"
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **site.environment}
    command = [sys.executable, "-c", script]
    server = subprocess.Popen(command, env=environment, cwd="/", stdin=subprocess.PIPE)
    try:
        until(jobs.has_worker, "no worker starts")
        (first,) = psutil.Process(server.pid).children()
        first.kill()
        until(lambda: not first.is_running(), "the worker is not reaped")
        until(jobs.has_worker, "no worker starts again")
        (second,) = psutil.Process(server.pid).children()
        assert second.pid != first.pid
    finally:
        server.kill()
        server.communicate()
    until(lambda: not second.is_running(), "it outlives the server")
    assert not jobs.has_worker()
