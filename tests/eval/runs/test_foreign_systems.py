"""Systems of others in a run: Strata itself at its two addresses, and a server that tells nothing.

What they do not show is unscored and counted; their keys are kept nowhere.
"""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import ProgramKeys, Scope
from chatbot.chatbot import Chatbot
from chatbot.models.scripted import ScriptedChatModel
from chatbot.settings import Settings
from eval.foreign import open_address, read_address
from eval.gold import GoldError, read_gold
from eval.judging.judge import NOT_SHOWN, Judge
from eval.reports.markdown import markdown_report
from eval.reports.summary import summarize
from eval.reports.wording import manifest_rows
from eval.runs.folder import Run, ScoreRecord, read_run
from eval.runs.manifest import Plan
from eval.runs.running import open_run
from ingestion.errors import BadSettings
from tests.chatbot.conftest import ingested, opened
from tests.eval.benchmark.loopback import Loopback
from tests.eval.benchmark.loopback import serving as loopback
from tests.eval.runs.lamp_run import FILES, gold_file, questions, scripted
from tests.ui.api.conftest import serving
from ui.cli.main import app

FOLLOW_UP = {**questions()[1], "id": "follow-up", "history": [["Is there a lamp?", "Yes."]]}
Finish = Callable[..., Run]


@pytest.fixture(scope="module")
def lamp_settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return ingested(tmp_path_factory.mktemp("lamp-foreign"), "lamp", FILES)


@pytest.fixture
def chatbot(lamp_settings: Settings, tmp_path: Path) -> Iterator[Chatbot]:
    with opened(scripted(lamp_settings, tmp_path)) as chatbot:
        yield chatbot


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = gold_file(tmp_path)
    path.write_text(path.read_text() + json.dumps(FOLLOW_UP) + "\n")
    return path


@pytest.fixture
def finish(chatbot: Chatbot, gold: Path, tmp_path: Path) -> Finish:
    """Runs systems at addresses, and ours, on the questions about the lamp."""

    def finish(
        *ours: str, keys: dict[str, str] | None = None, judge: Judge | None = None, **theirs: str
    ) -> Run:
        addresses = {name: read_address(text) for name, text in theirs.items()}
        plan = Plan(gold, read_gold(gold), (*ours, *theirs), addresses=addresses, keys=keys or {})
        if judge:
            plan = replace(plan, metrics=("faithfulness", "contextual_recall"), judge="scripted")
        running = open_run(plan, chatbot, tmp_path / "run", judge)
        running.pilot()
        running.finish()
        return read_run(running.folder)

    return finish


@pytest.fixture
def plain_server() -> Iterator[Loopback]:
    """A server that has only words, for whoever has the key."""

    def replies(path: str, sent: bytes) -> tuple[int, bytes]:
        asked = json.loads(sent)["messages"][-1]["content"]
        said = "I couldn't find that." if "heavy" in asked else "It gives 800 lumen."
        return 200, json.dumps({"choices": [{"message": {"content": said}}]}).encode()

    with loopback(replies) as server:
        yield server


def scores(run: Run, system: str) -> dict[str, ScoreRecord]:
    return {score.id: score for score in run.scores if score.system == system}


def test_strata_at_its_addresses_answers_as_the_profile_that_it_serves(
    chatbot: Chatbot, finish: Finish
) -> None:
    _, key = ProgramKeys(chatbot.database).make(LOCAL, "run", (Scope.ASK,), 0, usual=0)
    with serving(chatbot) as address:
        chat, tool = f"{address}/v1#strata/{{product}}", f"mcp+{address}/mcp#ask"
        run = finish("embedded", chat=chat, tool=tool, keys={"chat": key, "tool": key})
    ours = scores(run, "embedded")
    assert scores(run, "chat").keys() == ours.keys()
    assert scores(run, "tool").keys() == ours.keys() - {"follow-up"}
    told = ("correct", "wrong_release", "release_right", "gold_page", "cited_wrong_release")
    for name in ("chat", "tool"):
        for question, score in scores(run, name).items():
            assert {m: score.values[m] for m in told} == {m: ours[question].values[m] for m in told}
            assert score.values["recall@1"] is None
            assert score.values["seconds"]
    assert ours["lumen-1.0"].values["recall@1"] == 1
    assert run.manifest.addresses == {"chat": chat, "tool": tool}
    written = [path.read_text() for path in run.folder.rglob("*") if path.is_file()]
    assert not any(key in text for text in written)


def test_what_a_system_does_not_show_is_unscored_and_counted(
    finish: Finish, plain_server: Loopback
) -> None:
    judge = Judge(ScriptedChatModel(otherwise="no JSON"))
    run = finish("naive", plain=f"{plain_server.address}/v1#lamp-1", judge=judge)
    found = scores(run, "plain")
    assert [found[q].values["correct"] for q in ("lumen-1.0", "lumen-2.0", "weight")] == [0, 1, 1]
    assert found["weight"].values["rightly_refused"] == 1
    newest = found["lumen-2.0"]
    for measure in ("recall@1", "mrr", "gold_page", "release_right", "wrong_release"):
        assert newest.values[measure] is None
        assert newest.unscored[measure] == NOT_SHOWN
    assert newest.unscored["faithfulness"] == newest.unscored["contextual_recall"] == NOT_SHOWN
    assert newest.values["model_calls"] is None
    assert "model_calls" not in newest.unscored
    assert "recall@1" not in found["weight"].unscored
    report = markdown_report(summarize(run))
    assert (
        f"plain at {plain_server.address}/v1#lamp-1" in dict(manifest_rows(run.manifest))["systems"]
    )
    assert "3 unscored" in next(line for line in report.splitlines() if "gold page" in line)


def test_a_tool_is_not_asked_follow_ups_and_the_report_says_so(
    chatbot: Chatbot, finish: Finish
) -> None:
    with serving(chatbot) as address:
        run = finish(tool=f"mcp+{address}/mcp")
        for path, tool, why in (
            ("mcp", "answer", "no tool answer; it has releases, ask"),
            ("mcp", "releases", "takes no question"),
            ("other", "ask", "cannot be used"),
        ):
            with pytest.raises(GoldError, match=why):
                open_address(read_address(f"mcp+{address}/{path}#{tool}"))
    remarks = summarize(run).remarks
    assert "Not asked of tool: 1 follow-ups, since a tool has no conversation." in remarks
    assert not any("Not finished" in remark for remark in remarks)


def test_a_system_that_cannot_be_asked_is_told_and_asked_again(
    finish: Finish, plain_server: Loopback
) -> None:
    with pytest.raises(GoldError, match="does not list its models"):
        finish(gone="http://127.0.0.1:9/v1")
    run = finish(gone="http://127.0.0.1:9/v1#lamp-1")
    assert {record.error for record in run.answers["gone"]} == {
        "GoldError: http://127.0.0.1:9/v1 cannot be used: All connection attempts failed"
    }
    assert {score.values["failed"] for score in run.scores} == {1}
    with pytest.raises(GoldError, match="other addresses of a system"):
        finish(gone=f"{plain_server.address}/v1#lamp-1")


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("ftp://here/v1", "no address of a system"),
        ("here/v1", "no address of a system"),
        ("http://here:port/v1", "no address of a system"),
        ("http://me:sk-1@here/v1", "--key"),
        ("http://here/v1?api_key=sk-1#m", "--key"),
    ],
)
def test_an_address_holds_no_key(address: str, why: str) -> None:
    with pytest.raises(BadSettings, match=why) as refused:
        read_address(address)
    assert "sk-1" not in str(refused.value)


def test_a_name_of_ours_is_not_another_s(finish: Finish) -> None:
    with pytest.raises(BadSettings, match="'naive' is a system of Strata"):
        finish(naive="http://127.0.0.1:9/v1#m")


def test_a_run_of_a_foreign_system_is_one_command(
    lamp_settings: Settings, gold: Path, plain_server: Loopback, tmp_path: Path
) -> None:
    settings = scripted(lamp_settings, tmp_path)
    environment = {
        **os.environ,
        "STRATA_DATA_DIR": str(settings.data_dir),
        "STRATA_BACKEND": "scripted",
        "STRATA_SCRIPTED_REPLIES": str(settings.scripted_replies),
        "PLAIN_KEY": "sk-plain",
    }
    run = ["eval", "run", str(gold), "--out", str(tmp_path / "run"), "--json"]
    named = ["--system", f"plain={plain_server.address}/v1#m", "--system", "embedded"]

    def invoked(*options: str) -> Any:
        return CliRunner().invoke(app, [*run, *named, *options], env=environment)

    unknown = invoked("--key", "other=PLAIN_KEY")
    assert "no --system has the address of other" in unknown.stderr
    done = invoked("--key", "plain=PLAIN_KEY")
    assert done.exit_code == 0, done.output
    means = json.loads(done.stdout)["means"]
    assert means["plain"]["correct"]["of"] == 4
    assert "recall@1" not in means["plain"]
    assert "recall@1" in means["embedded"]
