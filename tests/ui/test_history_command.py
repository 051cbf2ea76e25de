from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import delete
from typer.testing import CliRunner, Result

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.chatbot import Chatbot
from chatbot.review.ratings import Ratings
from chatbot.review.regression_set import RegressionSet
from chatbot.settings import Settings
from corpora.database.history_tables import ConversationRow
from tests.data_folders import copy_data
from tests.ui.conftest import MakeChatbot
from tests.ui.valve_corpus import QUESTION, TORQUE
from ui.cli.main import app


@pytest.fixture
def chatbot(
    valve: MakeChatbot, valve_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Chatbot:
    """The valve's chatbot, with a history of its own that the commands read."""
    data = copy_data(valve_settings.data_dir, tmp_path / "data")
    monkeypatch.setenv("STRATA_DATA_DIR", str(data))
    monkeypatch.setenv("STRATA_GENERATOR", "none")
    made = valve(None, valve_settings.model_copy(update={"data_dir": data}))
    with made.database.writing() as session:
        session.execute(delete(ConversationRow))
    return made


def asked(chatbot: Chatbot, question: str) -> int:
    conversation = chatbot.conversations.start("valve", question)
    turn = chatbot.ask(question, conversation=conversation).kept_as
    assert turn is not None
    return turn


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_the_regression_set_is_a_file_that_the_evaluation_runs(
    chatbot: Chatbot, tmp_path: Path
) -> None:
    for question in (QUESTION, TORQUE):
        turn = asked(chatbot, question)
        Ratings(chatbot.database).change(LOCAL, turn, rating="good")
        RegressionSet(chatbot.database).add(LOCAL, turn)
    file = tmp_path / "set.jsonl"
    assert run("history", "regression-set", "--output", str(file)).exit_code == 0
    evaluated = run("eval", "answers", str(file), "--json")
    assert evaluated.exit_code == 0, evaluated.output
    overall = json.loads(evaluated.stdout)["answers"]["overall"]
    assert overall["shares"]["correct"] == {"hits": 2, "of": 2}
    assert overall["shares"]["gold_page"] == {"hits": 2, "of": 2}
    assert run("history", "regression-set").stdout == file.read_text("utf-8")


def test_what_is_left_out_is_told(chatbot: Chatbot) -> None:
    turn = asked(chatbot, QUESTION)
    Ratings(chatbot.database).change(LOCAL, turn, rating="bad", in_regression_set=True)
    result = run("history", "regression-set")
    assert result.exit_code == 1
    assert f"skipped answer {turn}: The answer is not good" in result.stderr
    assert "The regression set is empty" in result.stderr


def test_the_history_is_written_to_a_file_and_that_is_recorded(
    chatbot: Chatbot, tmp_path: Path
) -> None:
    asked(chatbot, QUESTION)
    file = tmp_path / "history.csv"
    assert run("history", "export", "--format", "csv", "--output", str(file)).exit_code == 0
    assert QUESTION in file.read_text("utf-8")
    entry = AuditLog(chatbot.database).page(LOCAL)[0][0]
    assert (entry.person, entry.action, entry.subject) == ("local", "export", "turns")
    assert run("history", "export", "--release", "1.0").stdout == ""
    assert run("history", "export", "--format", "xml").exit_code == 2
