"""What a rule earns, and a model's replies that are recorded to find it out."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chatbot.models import scripted
from chatbot.settings import Settings
from eval import ablate as ablation
from eval import own_words, retrieval
from eval.ablate import NEVER, PACKAGES, Rule, first_run, left_out, rules_of
from eval.cases import Case, Result, spent_cases
from eval.recording import PromptChanged, recorded
from tests.chatbot import lamp
from tests.chatbot.conftest import lamp_settings as lamp_settings
from tests.chatbot.conftest import opened
from tests.eval.made_gold import gold_row
from ui.cli.main import app

QUESTION = gold_row(
    id="cover",
    product="lamp",
    question="How do I take the cover off in 2.0?",
    gold_answer="Turn it to the left.",
    must_include=["to the left"],
    must_not_include=[],
    sources=[{"release": "2.0", "file": "cover.md"}],
)
PHRASING: dict[str, Any] = {
    "id": "r",
    "product": "lamp",
    "question": "the fuse in 2.0?",
    "releases": ["2.0"],
    "status": "stated",
}
LEFT = "Turn the cover of the lamp to the left to take it off."


@pytest.fixture
def spent(tmp_path: Path) -> Path:
    """A folder of spent questions, one of them about a product that nobody has."""
    for name, rows in {
        "lamp.jsonl": [QUESTION, {**QUESTION, "id": "other", "product": "nowhere"}],
        "lamp.releases.jsonl": [PHRASING],
    }.items():
        (tmp_path / name).write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return tmp_path


def test_a_reply_is_given_again_without_the_model_to_the_same_prompt_only(tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    model = scripted.ScriptedChatModel(
        rules=[scripted.Rule(contains="cover", reply="To the left.", probabilities={"To": 0.9})],
        otherwise="No.",
    )
    options: dict[str, Any] = {"logprobs": True, "max_tokens": 9}
    first = recorded(file, model).invoke("the cover?", **options)
    recorded(file, model).invoke("the cover?", **options)
    assert len(model.calls) == 1
    again = recorded(file)
    same = again.invoke("the cover?", **options)
    assert (same.content, same.usage_metadata) == (first.content, first.usage_metadata)
    assert same.response_metadata["logprobs"] == first.response_metadata["logprobs"]
    for prompt, told in (("the lamp?", options), ("the cover?", {})):
        with pytest.raises(PromptChanged):
            again.invoke(prompt, **told)
    assert again.changed == 2


def test_spent_questions_are_asked_again_from_what_was_recorded(
    lamp_settings: Settings,
    spent: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    script = spent / "script.json"
    script.write_text(json.dumps({lamp.ANSWER: [LEFT]}), "utf-8")
    monkeypatch.setenv("STRATA_DATA_DIR", str(lamp_settings.data_dir))
    monkeypatch.setenv("STRATA_BACKEND", "scripted")
    monkeypatch.setenv("STRATA_SCRIPTED_REPLIES", str(script))
    monkeypatch.setenv("STRATA_PROFILE", "embedded")
    replies = spent / "lamp.replies.jsonl"
    (spent / "lamp.jsonl").write_text(json.dumps(QUESTION), "utf-8")
    command = ["eval", "answers", str(spent / "lamp.jsonl"), "--recording", str(replies), "--json"]
    result = CliRunner().invoke(app, command)
    assert json.loads(result.stdout)["answers"]["overall"]["shares"]["correct"]["hits"] == 1
    with opened(lamp_settings) as chatbot:
        question, phrasing = spent_cases(spent, replace(chatbot, settings=lamp_settings))
        assert (question.ask(), phrasing.ask()) == (Result.RIGHT, Result.RIGHT)
        # Only with the same settings is the prompt the same.
        ablation.main(spent, lamp_settings.data_dir, only="no module")
        assert "2 cases: 2 right, 0 wrong, 0 changed; 0 rules." in capsys.readouterr().out
        replies.write_text(json.dumps({"prompt": "another", "reply": LEFT}), "utf-8")
        (changed, _) = spent_cases(spent, chatbot)
        assert changed.ask() is Result.CHANGED


def test_a_rule_is_left_out_wherever_it_is_used_and_comes_back() -> None:
    rule = Rule("eval.own_words", "_ITEM", own_words._ITEM)
    number = Rule("eval.retrieval", "CUTOFFS", retrieval.CUTOFFS)
    steps = Case("steps", "", lambda: own_words.sentences("1. Stop.")[0].text == "Stop.")
    gone = Case("gone", "", lambda: 1 // 0 == 1)
    touched, before = first_run([steps, gone], [rule, number])
    assert before == {"steps": Result.RIGHT, "gone": Result.WRONG}
    assert touched == {(rule.module, rule.name): {"steps"}, (number.module, number.name): set()}
    with left_out(rule), left_out(number):
        without = (steps.ask(), own_words._ITEM, vars(retrieval)["CUTOFFS"])
    assert without == (Result.WRONG, NEVER, ())
    assert steps.ask() is Result.RIGHT
    assert any(isinstance(rule.value, re.Pattern) for rule in rules_of(PACKAGES))
