"""`strata eval run`: limits, costs, and a kill in the middle."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chatbot.settings import Settings
from eval.runs.folder import RunFolder, RunState, read_run
from tests.chatbot.conftest import ingested
from tests.eval.runs.lamp_run import FILES, gold_file, questions, scripted
from ui.cli.main import app

Prepared = Callable[..., tuple[list[str], dict[str, str]]]


@pytest.fixture(scope="module")
def lamp_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return ingested(tmp_path_factory.mktemp("lamp-command"), "lamp", FILES)


@pytest.fixture
def prepared(lamp_settings: Settings, tmp_path: Path) -> Prepared:
    """The arguments of a run, and the environment that it is made in."""

    def make(*options: str, **script: Any) -> tuple[list[str], dict[str, str]]:
        settings = scripted(lamp_settings, tmp_path, **script)
        gold = gold_file(tmp_path)
        environment = {
            "STRATA_DATA_DIR": str(settings.data_dir),
            "STRATA_BACKEND": "scripted",
            "STRATA_SCRIPTED_REPLIES": str(settings.scripted_replies),
            "STRATA_PROFILE": "embedded",
            "STRATA_MEMORY": "off",
        }
        command = ["eval", "run", str(gold), "--out", str(tmp_path / "run"), *options]
        return command, environment

    return make


def invoked(prepared: tuple[Sequence[str], dict[str, str]]) -> Any:
    command, environment = prepared
    return CliRunner().invoke(app, list(command), env=environment, catch_exceptions=False)


def test_a_run_is_asked_scored_and_told(prepared: Prepared, tmp_path: Path) -> None:
    names = ("embedded", "naive", "embedded-fall_back")
    systems = (*(f"--system={name}" for name in names), "--repeats", "2")
    result = invoked(prepared(*systems))
    assert result.exit_code == 0
    assert "right, own words" in result.stdout
    assert "Still to come" in result.stderr
    run = read_run(tmp_path / "run")
    assert run.manifest.state is RunState.DONE
    assert len(run.scores) == len(names) * 2 * len(questions())
    # No answer is another one without that step, for which nothing is asked of the model.
    told = [[answer.reply for answer in run.answers[name]] for name in names]
    assert [reply and reply.answer for reply in told[0]] == [r and r.answer for r in told[2]]
    rows = map(json.loads, (tmp_path / "run/calls.jsonl").read_text("utf-8").splitlines())
    whole = [row["prompt"] for row in rows if row["whole"]]
    assert len(set(whole)) == len(whole)
    again = invoked(prepared(*systems, "--json"))
    assert "Still to come" not in again.stderr
    means = json.loads(again.stdout)["means"]
    assert means["embedded"]["correct"]["value"] == 1
    assert means["naive"]["wrong_release"]["value"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (("--at-least", "correct=1"), 0),
        (("--at-least", "correct=1.01"), 3),
        (("--at-most", "wrong_release=0", "--at-least", "release_right=1"), 0),
        (("--at-most", "silently_wrong_release=-1"), 3),
    ],
)
def test_a_missed_limit_is_exit_code_3(
    prepared: Prepared, limit: tuple[str, ...], code: int
) -> None:
    result = invoked(prepared(*limit))
    assert result.exit_code == code
    assert ("missed:" in result.stderr) == bool(code)


def test_what_is_not_there_is_refused_before_anything_is_asked(
    prepared: Prepared, tmp_path: Path
) -> None:
    command, environment = prepared("--metric", "beauty")
    result = CliRunner().invoke(app, command, env=environment)
    assert result.exit_code == 2
    assert not (tmp_path / "run").exists()


@pytest.mark.slow
def test_a_kill_loses_at_most_the_question_in_work(prepared: Prepared, tmp_path: Path) -> None:
    # A word takes a moment, so that the kill comes in the middle of an answer.
    options = ("--system", "naive", "--repeats", "3", "--yes")
    command, environment = prepared(*options, delay=0.15)
    answers = RunFolder(tmp_path / "run").answers("naive")
    process = subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", *command],
        env={**os.environ, **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 120
    while not answers.exists() or answers.read_bytes().count(b"\n") < 4:
        assert time.monotonic() < end
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    # What a kill in the middle of a line would leave.
    kept = answers.read_bytes().rpartition(b"\n")[0] + b"\n"
    answers.write_bytes(kept + b'{"id": "lumen')
    assert read_run(tmp_path / "run").manifest.state is RunState.ASKING

    assert invoked(prepared(*options)).exit_code == 0
    assert answers.read_bytes().startswith(kept)
    assert answers.read_bytes().count(b"\n") == 3 * len(questions())
    run = read_run(tmp_path / "run")
    assert run.manifest.state is RunState.DONE
    assert len(run.scores) == 3 * len(questions())
