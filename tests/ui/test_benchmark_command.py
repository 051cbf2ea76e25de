"""The commands of the benchmark, on a small one about the valve."""

import json
from pathlib import Path

import pytest

from chatbot.chatbot import Chatbot
from eval.benchmark import loading
from tests.ui.api.conftest import serving
from tests.ui.api.test_benchmark import ASKED
from tests.ui.conftest import Command


@pytest.fixture
def valve_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark about the valve, of which one release can be fetched."""
    folder = tmp_path / "benchmark"
    folder.mkdir()
    lines = (question.model_dump_json() for question in ASKED)
    (folder / "valve.jsonl").write_text("\n".join(lines), "utf-8")
    archive = {"file": "valve-3.0.tar.gz", "sha256": "0" * 64, "documents": 1}
    product = {"package": "valve", "roots": [""], "suffixes": [".md"], "releases": {"3.0": archive}}
    (folder / "documents.json").write_text(
        json.dumps({"version": "0.1", "products": {"valve": product}}), "utf-8"
    )
    read = loading.read_documents
    monkeypatch.setattr(loading, "QUESTIONS", folder)
    monkeypatch.setattr(loading, "read_documents", lambda: read(folder / "documents.json"))
    return folder


def test_a_system_is_asked_by_a_command(
    strata: Command, chatbot: Chatbot, valve_benchmark: Path, tmp_path: Path
) -> None:
    ask = ("eval", "benchmark", "ask", tmp_path / "replies.jsonl")
    with serving(chatbot) as address:
        told = strata(*ask, "--system", f"mcp+{address}/mcp", "--json")
        assert told.exit_code == 0, told.output
        assert json.loads(told.stdout)["figures"]["correct"] == {"hits": 2, "of": 2}
        assert "1 follow-ups were not asked" in told.stderr
        told = strata(*ask, "--system", f"{address}/v1#strata/{{product}}")
    assert "3/3" in told.stdout
    again = strata(*ask, "--json")
    assert json.loads(again.stdout)["figures"]["correct"] == {"hits": 3, "of": 3}
    for limit, code in {"correct=1": 0, "correct=1.01": 3, "says_elsewhere=0.1": 3}.items():
        gated = strata(*ask, "--at-least", limit)
        assert gated.exit_code == code, gated.output
        assert ("missed: benchmark: " in gated.stderr) == bool(code)
    keyed = strata(*ask, "--system", "http://user:secret@127.0.0.1:9/v1")
    assert "name the environment variable" in str(keyed.exception)
    assert "secret" not in str(keyed.exception)
    none = strata(*ask, "--system", "http://127.0.0.1:9/v1", "--key", "NO_SUCH_KEY")
    assert "NO_SUCH_KEY holds no key" in str(none.exception)


def test_documents_are_fetched_and_ingested_by_commands(
    strata: Command, valve_benchmark: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "fetched"
    missing = strata("eval", "benchmark", "fetch", folder, "--from", tmp_path)
    assert missing.exit_code == 1
    assert "valve 3.0: there is no file" in missing.stderr
    early = strata("eval", "benchmark", "ingest", folder)
    assert early.exit_code == 2
    assert "fetch them first" in early.stderr

    release = folder / "documents/valve/3.0"
    release.mkdir(parents=True)
    (release / "notes.md").write_text("# Notes\n\nThe gasket of the valve is green.\n")
    there = strata("eval", "benchmark", "fetch", folder, "--from", tmp_path)
    assert "1 releases are in" in there.stdout
    ingested = strata("eval", "benchmark", "ingest", folder)
    assert "valve 3.0 is ready: 1 document" in ingested.stdout
    assert "no changes" in strata("eval", "benchmark", "ingest", folder).stdout
