"""The commands of the benchmark, on a small one about the valve."""

import json
from pathlib import Path

import pytest

from corpora.errors import UnknownRelease
from eval.benchmark import loading
from tests.eval.benchmark.loopback import serving
from tests.eval.made_gold import gold
from tests.ui.conftest import Command


@pytest.fixture
def valve_benchmark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark about the valve, of which one release can be fetched."""
    folder = tmp_path / "benchmark"
    folder.mkdir()
    asked = (
        gold(id="o-1", product="piston", release="1.0", must_include=["20 mm"]),
        gold(id="o-2", product="piston", kind="unanswerable", gold_answer="-", release=None),
    )
    lines = (question.model_dump_json() for question in asked)
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


@pytest.mark.usefixtures("valve_benchmark")
def test_its_questions_are_put_to_a_system_whose_documents_are_elsewhere(
    strata: Command, tmp_path: Path
) -> None:
    gold = tmp_path / "gold.jsonl"
    assert "2 questions are in" in strata("eval", "benchmark", "questions", gold).stdout
    said = {"choices": [{"message": {"role": "assistant", "content": "20 mm"}}]}
    with serving(lambda path, sent: (200, json.dumps(said).encode())) as here:
        system = f"theirs={here.address}/v1#m"
        done = strata("eval", "run", gold, "--system", system, "--out", tmp_path / "run", "--json")
    assert done.exit_code == 0, done.output
    means = json.loads(done.stdout)["means"]["theirs"]
    assert (means["correct"]["value"], means["correct"]["of"]) == (0.5, 2)
    assert "right_older" not in means
    ours = strata("eval", "run", gold, "--system", "embedded", "--out", tmp_path / "ours")
    assert isinstance(ours.exception, UnknownRelease)


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
