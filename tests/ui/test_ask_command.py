from __future__ import annotations

import json
import sys
from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

import chatbot.assembly
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.settings import Settings
from tests.ui.conftest import MakeChatbot
from tests.ui.scripted import Dead
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.cli.main import main

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(
    valve: MakeChatbot,
    valve_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    """Runs `strata ask` with a model: the exit code, standard output and standard error."""

    def run(
        model: BaseChatModel | None, *arguments: str, profile: str = "embedded"
    ) -> tuple[int, str, str]:
        opened = valve(model, valve_settings.model_copy(update={"profile": profile}))
        monkeypatch.setattr(chatbot.assembly, "open_chatbot", lambda settings: opened)
        monkeypatch.setattr(sys, "argv", ["strata", "ask", "--product", "valve", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def test_an_answer_comes_with_release_and_source(ask: Ask) -> None:
    code, answer, _ = ask(None, QUESTION)
    assert code == 0
    assert "valve 2.0" in answer
    assert "[1] 2.0 · Valve reference" in answer


def test_what_was_done_without_the_model_is_told(ask: Ask) -> None:
    model = ScriptedChatModel(
        rules=(Rule(contains="Documentation of valve", reply="It is kept for 90 days [1]."),),
        otherwise="I cannot",
    )
    code, answer, _ = ask(model, LATEST, profile="qamr")
    assert code == 0
    assert "It is kept for 90 days [1]." in answer
    assert "Without the language model: reading what was found (" in answer


def test_a_dead_model_is_told_and_the_conversation_stays(ask: Ask) -> None:
    code, answer, told = ask(Dead(), LATEST, "--conversation", "new")
    assert (code, answer) == (1, "")
    assert "strata: the model does not answer: run `strata models pull`" in told
    conversation = told.split()[told.split().index("conversation") + 1]
    _, again, _ = ask(None, QUESTION, "--conversation", conversation, "--json")
    assert json.loads(again)["conversation"] == conversation


def test_an_answer_that_was_given_before_says_so_and_can_be_had_afresh(ask: Ask) -> None:
    model = ScriptedChatModel(otherwise="The default of hold_time is 45 s.")
    _, first, _ = ask(model, QUESTION, "--conversation", "new")
    _, again, _ = ask(model, QUESTION)
    _, afresh, _ = ask(model, QUESTION, "--afresh")
    assert "Saved answer · score " in again
    assert "Saved answer" not in first + afresh
    assert "45" in again
