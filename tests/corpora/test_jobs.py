from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, update

from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.database.engine import Database
from corpora.database.job_tables import WorkerRow
from corpora.database.tables import EmbeddingModelRow, GenerationRow
from corpora.errors import JobError, JobTaken
from corpora.generations import generations
from corpora.generations.processes import DEAD_AFTER_SECONDS, this_process
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import ATTEMPTS, EVALUATIONS, Claims, JobFile, JobKind, Jobs, JobState

pytestmark = pytest.mark.database

OTHER = "another-machine/1/0.0"
SILENT = "a-third-machine/2/0.0"
DEAD = this_process().rpartition("/")[0] + "/1.0"


@pytest.fixture
def jobs(database: Database) -> Jobs:
    return Jobs(database)


@pytest.fixture
def claims(database: Database) -> Claims:
    """The claims of this process."""
    return Claims(database, this_process())


def add(jobs: Jobs, kind: JobKind = JobKind.UPLOAD) -> int:
    files = [JobFile("b.md", 3, "beef"), JobFile("a.md", 2, "cafe")]
    return jobs.add(kind, "Beacon", "17.20", "ann@example.org", files)


def test_a_job_waits_with_its_files_under_the_names_of_the_catalog(
    jobs: Jobs, database: Database
) -> None:
    Catalog(database).add_release("Beacon", "17.20-RC1")
    ReleaseAdministration(database).change_product("Beacon", ProductSettings(("lighthouse",)))
    named = jobs.get(jobs.add(JobKind.REREAD, " LIGHTHOUSE", "17.20-rc1 ", ""))
    assert (named.product, named.release) == ("Beacon", "17.20-RC1")
    job = jobs.get(add(jobs))
    other = jobs.add(JobKind.DELETE, "Lamp", "", "")
    assert [j.id for j in jobs.recent()] == [other, job.id, named.id]
    assert [j.id for j in jobs.recent(product="Beacon")] == [job.id, named.id]
    assert (job.kind, job.state, job.person) == (
        JobKind.UPLOAD,
        JobState.WAITING,
        "ann@example.org",
    )
    assert job.is_open
    assert job.can_be_cancelled
    assert [file.file for file in jobs.files(job.id)] == ["a.md", "b.md"]
    with pytest.raises(JobError, match="no job 77"):
        jobs.get(77)


def test_only_one_worker_gets_a_job(jobs: Jobs, claims: Claims, database: Database) -> None:
    job_id = add(jobs)
    claimed = claims.claim(job_id)
    assert claimed is not None
    assert claimed.state is JobState.RUNNING
    assert Claims(database, OTHER).claim(job_id) is None


def test_a_job_keeps_what_it_ended_with_until_it_is_tried_again(jobs: Jobs, claims: Claims) -> None:
    job_id = add(jobs)
    claims.claim(job_id)
    problems = [JobFile("b.md", reason="empty"), JobFile("zipped/c.md", reason="damaged")]
    claims.finish(job_id, JobState.FAILED, "No file.", {"pages": 3}, problems)
    job = jobs.get(job_id)
    assert (job.state, job.message, job.report) == (JobState.FAILED, "No file.", {"pages": 3})
    assert job.finished is not None
    assert not job.is_open
    kept = [(file.file, file.size, file.reason) for file in jobs.files(job_id)]
    assert kept == [("b.md", 3, "empty"), ("zipped/c.md", 0, "damaged"), ("a.md", 2, "")]
    jobs.retry(job_id)
    job = jobs.get(job_id)
    assert (job.state, job.message, job.finished) == (JobState.WAITING, "", None)
    assert not any(file.reason for file in jobs.files(job_id))


def test_a_waiting_job_is_cancelled_at_once_and_may_be_tried_again(
    jobs: Jobs, claims: Claims
) -> None:
    job_id = add(jobs)
    with pytest.raises(JobError, match="is waiting"):
        jobs.retry(job_id)
    jobs.cancel(job_id)
    assert jobs.get(job_id).state is JobState.CANCELLED
    assert claims.claim(job_id) is None
    jobs.retry(job_id)
    assert claims.claim(job_id) is not None


def test_a_running_job_is_told_to_stop_and_that_of_a_dead_worker_is_cancelled(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    job_id = add(jobs)
    claims.claim(job_id)
    assert not claims.progress(job_id, Progress(Stage.READING, 1, 2))
    jobs.cancel(job_id)
    assert jobs.get(job_id).state is JobState.RUNNING
    assert jobs.get(job_id).cancelling
    assert not jobs.get(job_id).can_be_cancelled
    assert claims.progress(job_id, Progress(Stage.READING, 1, 2))
    claims.finish(job_id, JobState.DONE)
    jobs.cancel(job_id)
    assert jobs.get(job_id).state is JobState.DONE
    of_dead = add(jobs)
    Claims(database, DEAD).claim(of_dead)
    jobs.cancel(of_dead)
    assert jobs.get(of_dead).state is JobState.CANCELLED


def test_a_deletion_that_has_begun_cannot_be_stopped(jobs: Jobs, claims: Claims) -> None:
    job_id = add(jobs, JobKind.DELETE)
    assert jobs.get(job_id).can_be_cancelled
    claims.claim(job_id)
    assert not jobs.get(job_id).can_be_cancelled
    with pytest.raises(JobError, match="has started deleting and cannot be stopped"):
        jobs.cancel(job_id)


def test_jobs_of_dead_workers_wait_again_and_those_of_living_ones_go_on(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    of_dead, of_silent, of_far, own, waiting = (add(jobs) for _ in range(5))
    Claims(database, DEAD).claim(of_dead)
    Claims(database, SILENT).claim(of_silent)
    Claims(database, OTHER).claim(of_far)
    claims.claim(own)
    with database.writing() as session:
        long_ago = datetime.now(UTC) - timedelta(seconds=DEAD_AFTER_SECONDS + 1)
        session.execute(
            update(WorkerRow).where(WorkerRow.name == SILENT).values(heartbeat=long_ago)
        )
    claims.recover()
    states = [jobs.get(job_id).state for job_id in (of_dead, of_silent, waiting)]
    assert states == [JobState.WAITING] * 3
    assert claims.next_waiting() == of_dead
    assert claims.next_waiting([of_dead]) is None
    assert jobs.get(of_far).state is JobState.RUNNING
    assert jobs.get(own).state is JobState.RUNNING


def test_a_worker_that_comes_back_to_life_has_lost_its_job(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    job_id = add(jobs)
    back = Claims(database, DEAD)
    back.claim(job_id)
    claims.recover()
    claims.claim(job_id)
    with pytest.raises(JobTaken):
        back.progress(job_id, Progress(Stage.READING, 1, 2))
    with pytest.raises(JobTaken):
        back.finish(job_id, JobState.DONE)
    with pytest.raises(JobTaken):
        back.put_back(job_id)
    assert jobs.get(job_id).state is JobState.RUNNING


def test_a_job_that_kills_every_worker_is_given_up(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    job_id = add(jobs)
    for _ in range(ATTEMPTS):
        assert jobs.get(job_id).state is JobState.WAITING
        Claims(database, DEAD).claim(job_id)
        claims.recover()
    job = jobs.get(job_id)
    assert job.state is JobState.FAILED
    assert f"The worker crashed {ATTEMPTS} times on this job" in job.message
    jobs.retry(job_id)
    assert claims.claim(job_id) is not None


def test_jobs_of_a_release_are_done_in_order_whatever_dies(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    first, second = add(jobs), add(jobs)
    assert claims.next_waiting([first]) is None
    Claims(database, DEAD).claim(first)
    assert claims.next_waiting() is None
    elsewhere = jobs.add(JobKind.UPLOAD, "Beacon", "18.00", "")
    assert claims.next_waiting() == elsewhere
    product = jobs.add(JobKind.DELETE, "Beacon", "", "")
    jobs.add(JobKind.UPLOAD, "Beacon", "19.00", "")
    assert claims.next_waiting([elsewhere]) is None
    jobs.cancel(product)
    claims.recover()
    assert claims.next_waiting() == first
    claims.claim(first)
    claims.finish(first, JobState.FAILED)
    assert claims.next_waiting() == second


def test_documents_and_evaluations_do_not_wait_for_each_other(jobs: Jobs, claims: Claims) -> None:
    first = jobs.add(JobKind.EVALUATE, "Beacon", "", "")
    second = jobs.add(JobKind.EVALUATE, "Lantern", "", "")
    upload = add(jobs)
    assert claims.next_waiting() == upload
    assert claims.next_waiting(kinds=EVALUATIONS) == first
    assert claims.next_waiting([first], EVALUATIONS) is None
    for job_id in (first, upload):
        claims.claim(job_id)
    assert claims.next_waiting(kinds=EVALUATIONS) is None
    claims.let_go(EVALUATIONS)
    assert jobs.get(first).state is JobState.WAITING
    assert jobs.get(upload).state is JobState.RUNNING
    jobs.cancel(first)
    assert claims.next_waiting(kinds=EVALUATIONS) == second
    assert [job.id for job in jobs.recent()] == [upload]
    assert [job.id for job in jobs.recent(kinds=EVALUATIONS)] == [second, first]


def test_nothing_stays_of_a_builder_that_died(claims: Claims, database: Database) -> None:
    dead, living = (Catalog(database).add_release("Beacon", name) for name in ("17.20", "18.00"))
    with database.writing() as session:
        session.add(EmbeddingModelRow(name="model", dimension=3))
    of_dead = generations.claim(database, dead, 1, "chunking")
    of_living = generations.claim(database, living, 1, "chunking")
    with database.writing() as session:
        session.get_one(GenerationRow, of_dead).builder = DEAD
    claims.recover()
    with database.reading() as session:
        assert session.scalars(select(GenerationRow.id)).all() == [of_living]


def test_a_job_that_is_put_back_was_no_attempt(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    job_id = add(jobs)
    for _ in range(ATTEMPTS + 1):
        claims.claim(job_id)
        claims.put_back(job_id, "somebody else ingests into this release")
    Claims(database, DEAD).claim(job_id)
    claims.recover()
    assert jobs.get(job_id).state is JobState.WAITING


def test_what_is_a_workers_by_its_row_alone_waits_again(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    lost, cancelled, of_other = add(jobs), add(jobs), add(jobs)
    Claims(database, OTHER).claim(of_other)
    claims.claim(lost)
    claims.claim(cancelled)
    jobs.cancel(cancelled)
    claims.let_go()
    states = [jobs.get(job_id).state for job_id in (lost, cancelled, of_other)]
    assert states == [JobState.WAITING, JobState.CANCELLED, JobState.RUNNING]


def test_a_cancelled_job_of_a_worker_that_died_is_not_done_again(
    jobs: Jobs, claims: Claims, database: Database
) -> None:
    job_id = add(jobs)
    Claims(database, OTHER).claim(job_id)
    jobs.cancel(job_id)
    with database.writing() as session:
        session.execute(update(WorkerRow).values(heartbeat=datetime(2020, 1, 1, tzinfo=UTC)))
    claims.recover()
    assert jobs.get(job_id).state is JobState.CANCELLED
