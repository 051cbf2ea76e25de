"""What a step of `embedded` earns is told by the answers without it."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chatbot.chain.profile import Profile, named
from chatbot.settings import Settings
from chatbot.turn import Turn
from eval.runs.folder import read_run
from eval.runs.steps import what_steps_earn
from eval.runs.systems.names import WITHOUT
from tests.chatbot.conftest import ingested
from tests.eval.made_run import OTHER, REFUSED, RIGHT, WRONG, made_run
from tests.eval.runs.lamp_run import FILES, gold_file, questions, scripted
from ui.cli.main import app


def test_right_answers_lost_and_wrong_ones_shown_are_counted_with_their_intervals(
    tmp_path: Path,
) -> None:
    outcomes = {
        "embedded": (RIGHT, RIGHT, REFUSED, OTHER),
        "embedded-spelling": (RIGHT, RIGHT, REFUSED, OTHER),
        "embedded-undocumented_gate": (RIGHT, OTHER, WRONG, RIGHT),
    }
    gate, spelling = what_steps_earn(read_run(made_run(tmp_path / "run", outcomes)))
    assert (gate.step, spelling.step) == ("undocumented_gate", "spelling")
    assert (gate.right.change, gate.wrong_shown.change) == (0, 0.25)
    assert gate.wrong_shown.interval is not None
    assert gate.wrong_shown.interval[0] < 0.25 < gate.wrong_shown.interval[1]
    assert (len(gate.right_lost), len(gate.right_won)) == (1, 1)
    assert (spelling.right.interval, spelling.differ) == ((0, 0), 0)
    assert str(gate.wrong_shown).startswith("+25.0 (")


def test_a_profile_lacks_the_steps_that_are_left_out() -> None:
    def step(turn: Turn) -> Turn:
        return turn

    async def last(turn: Turn) -> Turn:
        return turn

    whole = Profile(phrase=named(spelling=step, rewriting=step), fall_back=last)
    assert whole.without(("spelling",)).phrase == named(rewriting=step)
    assert whole.without(("spelling",)).fall_back is last
    assert whole.without(("fall_back",)).fall_back is None


@pytest.fixture(scope="module")
def lamp_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return ingested(tmp_path_factory.mktemp("lamp-steps"), "lamp", FILES)


def test_every_step_is_left_out_by_one_command(lamp_settings: Settings, tmp_path: Path) -> None:
    settings = scripted(lamp_settings, tmp_path)
    environment = {
        "STRATA_DATA_DIR": str(settings.data_dir),
        "STRATA_BACKEND": "scripted",
        "STRATA_SCRIPTED_REPLIES": str(settings.scripted_replies),
        "STRATA_MEMORY": "off",
    }
    command = ["eval", "steps", str(gold_file(tmp_path)), "--out", str(tmp_path / "run")]
    done = CliRunner().invoke(app, [*command, "--json"], env=environment, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    found = {step["step"]: step for step in json.loads(done.stdout)["steps"]}
    assert found.keys() == set(WITHOUT.values())
    assert {step["questions"] for step in found.values()} == {len(questions())}
    # Each question is asked of the model once: no prompt is another without these steps.
    calls = (tmp_path / "run/calls.jsonl").read_text("utf-8")
    prompts = {json.loads(row)["prompt"] for row in calls.splitlines()}
    assert len(prompts) <= len(questions())
    for limit, code in {"right=0": 0, "differ=-1": 3}.items():
        gated = CliRunner().invoke(app, [*command, "--at-most", limit], env=environment)
        assert gated.exit_code == code, gated.output
        assert gated.stderr.count("missed: ") == len(found) * bool(code)
    unknown = CliRunner().invoke(app, [*command, "--step", "beauty"], env=environment)
    assert unknown.exit_code == 2
    assert "is none of" in unknown.stderr
