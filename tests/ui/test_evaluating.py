"""An evaluation as the worker does it: with the real search, and no model that writes."""

import threading
import time
from dataclasses import replace
from functools import partial

import pytest

from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.chatbot import Chatbot
from chatbot.runtime.ingest_throttle import ingests_paused, wait_for_answers
from chatbot.settings import Settings
from corpora.building.building import Builder
from corpora.catalog.rights import Rights
from corpora.errors import IngestCancelled
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import Job, JobKind, Jobs, JobState
from eval.gold import GoldError
from eval.runs.folder import RunState, list_runs, read_run
from tests.job_work import worker_of
from tests.ui.test_evaluation_page import rated
from ui.serving.evaluating import evaluate


@pytest.fixture
def settings(chatbot: Chatbot) -> Settings:
    rated(chatbot)
    rated(chatbot)
    return chatbot.settings


@pytest.fixture
def job(chatbot: Chatbot) -> Job:
    jobs = Jobs(chatbot.database)
    return jobs.get(Administration(chatbot.database, LOCAL).evaluate("valve"))


def test_the_regression_set_is_asked_scored_and_reported(
    chatbot: Chatbot, settings: Settings, job: Job
) -> None:
    reported: list[Progress] = []
    told = evaluate(settings, job, reported.append, lambda: False)
    ((folder, manifest),) = list_runs(settings.data_dir)
    assert folder.name == f"{job.created:%Y%m%d-%H%M%S}-{job.id}-valve"
    assert manifest.state is RunState.DONE
    assert manifest.systems == ("embedded",)
    assert manifest.name.startswith("Regression set of valve")
    run = read_run(folder)
    assert told == f"1 of {len(run.questions)} answers are right."
    assert {p.stage for p in reported} == {Stage.ASKING, Stage.SCORING}
    assert (reported[-1].done, reported[-1].total) == (1, 1)
    assert (folder / "report.html").exists()
    assert (folder / "report.md").exists()


def test_a_stopped_one_goes_on_unless_something_has_changed(
    chatbot: Chatbot, settings: Settings, job: Job, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with pytest.raises(IngestCancelled):
        evaluate(settings, job, lambda progress: None, lambda: True)
    ((_, manifest),) = list_runs(settings.data_dir)
    assert manifest.state is RunState.STOPPED
    assert "are right" in evaluate(settings, job, lambda progress: None, lambda: False)
    changed = tmp_path_factory.mktemp("changed") / "more.md"
    changed.write_text("# More\n\nThe valve is blue.\n", "utf-8")
    Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
        [changed], product="valve", release="2.0"
    )
    with pytest.raises(GoldError, match="have changed since this run began"):
        evaluate(settings, job, lambda progress: None, lambda: False)


def test_a_run_alone_knows_no_other_product(
    chatbot: Chatbot, settings: Settings, job: Job, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "relay.md"
    other.write_text("# Relay\n\nThe relay latches.\n", "utf-8")
    Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
        [other], product="relay", release="1.0"
    )
    alone = chatbot.limited(Rights(chatbot.database).alone("valve"))
    assert [product.name for product in alone.products()] == ["valve"]
    assert "relay" not in alone.ask("Which products do you know?").content.answer
    assert "relay" in chatbot.ask("Which products do you know?").content.answer
    job.report = {"order": {"alone": True}}
    evaluate(settings, job, lambda progress: None, lambda: False)
    ((_, manifest),) = list_runs(settings.data_dir)
    assert manifest.alone


def test_without_questions_it_says_so(chatbot: Chatbot, job: Job) -> None:
    with pytest.raises(GoldError, match="no question on valve"):
        evaluate(chatbot.settings, job, lambda progress: None, lambda: False)


def test_it_is_a_job_that_the_worker_does_beside_those_on_documents(
    chatbot: Chatbot, settings: Settings, job: Job
) -> None:
    work = worker_of(chatbot)
    assert not work.do_next()
    assert replace(work, tasks={JobKind.EVALUATE: partial(evaluate, settings)}).do_next()
    ended = Jobs(chatbot.database).get(job.id)
    assert (ended.state, ended.message) == (JobState.DONE, "1 of 1 answers are right.")


def test_people_s_questions_go_first(settings: Settings) -> None:
    waited = threading.Event()

    def wait() -> None:
        wait_for_answers(settings.data_dir, lambda: False)
        waited.set()

    with ingests_paused(settings.data_dir):
        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        time.sleep(0.3)
        assert not waited.is_set()
        wait_for_answers(settings.data_dir, lambda: True)
    assert waited.wait(20)
