"""The page Evaluation: runs are listed, opened and started; that is a job of its own.

That nobody else sees it stands in test_doors.py, its second tab in test_questions_view.py.
"""

from datetime import timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.chatbot import Chatbot
from chatbot.review.ratings import Ratings
from chatbot.review.regression_set import RegressionSet
from chatbot.settings import Settings
from corpora.errors import JobError
from corpora.generations.processes import this_process
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import EVALUATIONS, Claims, JobKind, Jobs, JobState
from tests.eval.made_run import OTHER, REFUSED, RIGHT, STARTED, WRONG, made_run
from tests.ui.admin_pages import errors, open_admin_page, plain, press, shown
from tests.ui.conftest import MakeChatbot
from tests.ui.payloads import PAYLOADS
from tests.ui.valve_corpus import QUESTION


def rated(chatbot: Chatbot) -> None:
    """Put an answer into the regression set."""
    turn = chatbot.ask(QUESTION, conversation=chatbot.conversations.start("valve", "x")).kept_as
    assert turn is not None
    Ratings(chatbot.database).change(LOCAL, turn, rating="good")
    RegressionSet(chatbot.database).add(LOCAL, turn)


@pytest.fixture
def runs(chatbot: Chatbot) -> Path:
    """The folder of two runs on the valve."""
    folder = chatbot.settings.data_dir / "evaluation"
    made_run(folder / "first", {"embedded": (RIGHT, WRONG, REFUSED, OTHER)})
    later = STARTED + timedelta(days=3)
    outcomes = {"embedded": (RIGHT, RIGHT, RIGHT, OTHER), "naive": (WRONG,) * 4}
    made_run(folder / "second", outcomes, started=later)
    return folder


def test_without_documentation_there_is_nothing_to_measure(
    valve: MakeChatbot, tmp_path: Path
) -> None:
    valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    page = open_admin_page("evaluation")
    assert "no documentation yet" in page.info[0].value
    assert not page.button


def test_without_questions_nothing_can_be_run(chatbot: Chatbot) -> None:
    page = open_admin_page("evaluation")
    assert "The regression set is empty." in shown(page)
    assert "No run yet." in shown(page)
    assert [b.disabled for b in page.button if b.label == "Run now"] == [True]


@pytest.mark.usefixtures("runs")
def test_runs_are_listed_with_what_became_of_their_answers(chatbot: Chatbot) -> None:
    page = open_admin_page("evaluation")
    table = page.dataframe[0].value
    assert list(table["Open"]) == ["second", "first"]
    assert list(table["Right"]) == ["embedded 75 %, naive 0 %", "embedded 25 %"]
    assert list(table["Wrong release"]) == ["embedded 0 %, naive 100 %", "embedded 25 %"]
    assert "Right answers in percent: gold" in "".join(s.value for s in page.subheader)
    assert len(page.get("vega_lite_chart")) + len(page.get("arrow_vega_lite_chart")) == 1


def test_a_damaged_run_hides_no_other_and_says_what_is_wrong(chatbot: Chatbot, runs: Path) -> None:
    (runs / "first" / "scores.jsonl").write_text('{"id": 1}\n', "utf-8")
    (runs / "no-run").mkdir()
    (runs / "third").mkdir()
    (runs / "third" / "run.json").write_text("{", "utf-8")
    table = open_admin_page("evaluation").dataframe[0].value
    assert list(table["Open"]) == ["second", "first"]
    assert list(table["Right"]) == ["embedded 75 %, naive 0 %", ""]
    assert "scores.jsonl, line 1" in errors(open_admin_page("evaluation", run="first"))


def drawn(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


@pytest.mark.usefixtures("runs")
def test_a_run_opens_with_its_figures_and_failures(chatbot: Chatbot) -> None:
    page = open_admin_page("evaluation", run="second")
    assert page.title[0].value == "second"
    figures = drawn(page)
    assert 'title="wrong release: 4"' in figures
    assert "75% right" in figures
    assert [t.label for t in page.tabs] == ["Figures", "5 failures", "What was run"]
    page.session_state["run tab"] = "5 failures"
    page.run()
    assert drawn(page).count("<details><summary>") == 5 + 5 + 5 + 5
    press(page, "All runs")
    assert "run" not in page.query_params
    assert page.title[0].value == "Evaluation"


@pytest.mark.usefixtures("runs")
@pytest.mark.parametrize("name", ["../../etc", "first/../first", "/etc", "third", ""])
def test_an_address_opens_no_folder_but_a_run(chatbot: Chatbot, name: str) -> None:
    page = open_admin_page("evaluation", run=name)
    assert page.title[0].value == "Evaluation"


def test_what_a_run_holds_is_text(chatbot: Chatbot) -> None:
    folder = chatbot.settings.data_dir / "evaluation" / "hostile"
    made_run(folder, {"embedded": [WRONG] * len(PAYLOADS)}, texts=PAYLOADS)
    page = open_admin_page("evaluation", run="hostile")
    page.session_state["run tab"] = f"{len(PAYLOADS)} failures"
    page.run()
    assert not page.exception
    assert "<script" not in drawn(page)
    assert "<img" not in drawn(page)
    assert plain(page.title[0].value).startswith(PAYLOADS[0][:20])


def test_a_run_is_ordered_once_at_a_time_and_recorded(chatbot: Chatbot) -> None:
    rated(chatbot)
    page = press(open_admin_page("evaluation"), "Run now")
    jobs = Jobs(chatbot.database)
    (job,) = jobs.recent(kinds=EVALUATIONS)
    assert (job.kind, job.product, job.state) == (JobKind.EVALUATE, "valve", JobState.WAITING)
    assert "**Evaluation** · valve" in shown(page)
    assert [b.disabled for b in page.button if b.label == "Run now"] == [True]
    with pytest.raises(JobError, match="An evaluation is running"):
        Administration(chatbot.database, LOCAL).evaluate("valve")
    assert AuditLog(chatbot.database).page(LOCAL)[0][0].action == "evaluate"
    # It is no job on documents, and does not stand among those.
    assert "Evaluation" not in shown(open_admin_page("documents"))


def test_a_running_one_shows_how_far_it_is_and_is_stopped_and_gone_on_with(
    chatbot: Chatbot,
) -> None:
    jobs, claims = Jobs(chatbot.database), Claims(chatbot.database, this_process())
    job = Administration(chatbot.database, LOCAL).evaluate("valve")
    assert claims.claim(job)
    claims.progress(job, Progress(Stage.ASKING, 3, 12))
    page = open_admin_page("evaluation")
    assert "**asking …**" in shown(page).replace("\u00a0", " ")
    assert "3 of 12 questions" in plain(page.caption[0].value)
    assert page.progress[0].value == 23
    claims.progress(job, Progress(Stage.SCORING, 0, 12))
    page = open_admin_page("evaluation")
    assert "✓ asking" in shown(page).replace("\u00a0", " ")
    assert page.progress[0].value == 95
    press(page, "Cancel")
    assert jobs.get(job).cancelling
    claims.finish(job, JobState.CANCELLED, "Stopped.")
    page = open_admin_page("evaluation")
    assert "Stopped." in shown(page)
    assert not [b for b in page.button if b.label.startswith("Files")]
    press(page, "Try again")
    assert jobs.get(job).state is JobState.WAITING
    assert not errors(page)
