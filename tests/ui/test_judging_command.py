"""`strata eval calibrate` and `validity`, with a model whose verdicts are written beforehand."""

import json
from pathlib import Path

import pytest

from chatbot.settings import read_settings
from eval.gold import GoldError
from eval.judging.opening import judge_settings, open_judge
from ingestion.errors import BadSettings
from tests.ui.conftest import Command

RIGHT = {"steps": ["correct"] * 8, "reason": "", "score": 5}
WRONG = {"steps": ["incorrect"] * 8, "reason": "another value", "score": 0}


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A judge that knows 45 s to be right, and no attribution."""
    script = {
        "rules": [
            {"contains": "score alone", "reply": "5"},
            {
                "step": "judge_correctness",
                "matches": r"<answer>[^<]*\b45 s",
                "reply": json.dumps(RIGHT),
            },
            {"step": "judge_correctness", "reply": json.dumps(WRONG)},
        ],
        "otherwise": "nothing that has a form",
    }
    file = tmp_path / "script.json"
    file.write_text(json.dumps(script), "utf-8")
    monkeypatch.setenv("STRATA_BACKEND", "scripted")
    monkeypatch.setenv("STRATA_SCRIPTED_REPLIES", str(file))
    monkeypatch.delenv("STRATA_GENERATOR", raising=False)
    return file


def label(answer: str, adequate: int, **more: object) -> str:
    said = {"answer": answer, "adequate": adequate}
    row = {"question": "How long is hold_time?", "gold_answer": "45 s.", "expert": said}
    return json.dumps({**row, **more})


FIELDS = ("--field", "answer=expert.answer", "--field", "human=expert.adequate")


def test_a_judge_is_held_against_people(strata: Command, judge: Path, tmp_path: Path) -> None:
    file, recording = tmp_path / "labels.jsonl", tmp_path / "calls.jsonl"
    rows = [label("It is 45 s.", 1), label("45 s", 1), label("54 s", 0), label("I don't know", 0)]
    file.write_text("\n".join(rows), "utf-8")
    told = strata("eval", "calibrate", file, *FIELDS, "--json", "--recording", recording)
    assert told.exit_code == 0, told.output
    assert "Asks scripted, which also writes the answers, 8 times at most" in told.stderr
    result = json.loads(told.stdout)
    assert result["calibration"]["pearson"] == pytest.approx(1)
    assert result["judge"]["itself"]
    # The refusal is computed, and one call shows that there are no probabilities.
    assert result["judge"]["spent"]["calls"] == 4
    judge.write_text("{}", "utf-8")
    again = strata("eval", "calibrate", file, *FIELDS, "--json", "--recording", recording)
    assert json.loads(again.stdout)["calibration"] == result["calibration"]


def test_scores_that_there_are_need_no_judge(strata: Command, tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    pairs = enumerate([0.2, 0.4, 0.8, 1.0])
    file.write_text("\n".join(label(f"a{i}", i > 1, mine=score) for i, score in pairs), "utf-8")
    told = strata("eval", "calibrate", file, *FIELDS, "--field", "judge=mine")
    assert told.exit_code == 0, told.output
    assert "4/4 (100%)" in told.stdout
    assert "0.60 or more" in told.stdout
    limits = {"pearson=0.9": 0, "agreement=1": 0, "spearman=1.1": 3}
    for limit, code in limits.items():
        more = ("--field", "judge=mine", "--at-least", limit)
        assert strata("eval", "calibrate", file, *FIELDS, *more).exit_code == code
    assert strata("eval", "calibrate", file, "--field", "human").exit_code == 2
    assert strata("eval", "calibrate", file, "--metric", "beauty").exit_code == 2
    missing = strata("eval", "calibrate", file, "--field", "human=expert.nothing")
    assert isinstance(missing.exception, GoldError)


@pytest.mark.usefixtures("judge")
def test_a_judge_that_does_not_see_damage_ends_with_1(strata: Command, tmp_path: Path) -> None:
    gold = tmp_path / "gold.jsonl"
    row = {
        "id": "hold",
        "product": "valve",
        "question": "How long is hold_time?",
        "kind": "same_in_all",
        "gold_answer": "45 s.",
        "must_include": [r"\b45\b"],
        "release": "2.0",
    }
    gold.write_text(json.dumps(row), "utf-8")
    told = strata("eval", "validity", gold, "--json")
    assert told.exit_code == 1, told.output
    result = json.loads(told.stdout)
    assert result["figures"]["unit"] == result["figures"]["figure"] == {"hits": 1, "of": 1}
    assert result["unseen"] == ["invented"]
    assert "an invented sentence" in told.stderr
    assert strata("eval", "validity", gold, "--at-least", "0").exit_code == 0


def test_a_key_goes_to_no_other_server() -> None:
    own = {"backend": "server", "model": "m", "server_url": "http://a/v1", "server_key": "secret"}

    def judged_by(**settings: str) -> tuple[str | None, str | None, str | None]:
        chosen = judge_settings(read_settings(**own, **settings))
        key = chosen.server_key
        return chosen.model, chosen.server_url, key and key.get_secret_value()

    assert judged_by() == ("m", "http://a/v1", "secret")
    assert judged_by(judge_model="n") == ("n", "http://a/v1", "secret")
    assert judged_by(judge_model="n", judge_server_url="http://b/v1") == ("n", "http://b/v1", None)
    assert judged_by(judge_model="mistralai:n") == ("mistralai:n", None, None)
    assert judged_by(judge_model="mistralai:n", judge_server_key="k")[2] == "k"


def test_a_judge_of_its_own_is_named_and_none_is_an_error() -> None:
    judge = open_judge(read_settings(judge_model="n", judge_server_url="http://b/v1"))
    assert (judge.name, judge.itself) == ("n", False)
    with pytest.raises(BadSettings, match="STRATA_JUDGE_MODEL"):
        open_judge(read_settings(backend="embedded", generator="none"))
    with pytest.raises(BadSettings, match="judge_server_url"):
        read_settings(judge_server_url="b")


def test_a_judge_may_be_a_file() -> None:
    chosen = judge_settings(read_settings(judge_model="./judge.gguf", backend="server"))
    assert (chosen.backend, chosen.model_name) == ("embedded", "judge")


@pytest.mark.parametrize(
    ("limit", "code"),
    [
        (("--at-least", "right=1", "--at-most", "silently_wrong=0"), 0),
        (("--at-most", "right=0.5"), 3),
        (("--at-least", "asked_back=0.5"), 3),
    ],
)
def test_releases_that_miss_a_limit_end_with_3(
    strata: Command, tmp_path: Path, limit: tuple[str, ...], code: int
) -> None:
    file = tmp_path / "releases.jsonl"
    row = {"id": "r", "product": "valve", "question": "The hold time in 2.0?"}
    file.write_text(json.dumps({**row, "releases": ["2.0"], "status": "stated"}), "utf-8")
    told = strata("eval", "releases", file, *limit)
    assert told.exit_code == code, told.output
    assert ("missed: releases: " in told.stderr) == bool(code)
