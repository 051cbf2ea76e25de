"""The folder of a run: what is written is read again, also after a kill."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError

from chatbot.reply import Reply
from eval.gold import GoldError
from eval.records import append_record, read_records, write_records
from eval.runs.folder import (
    AnswerRecord,
    Manifest,
    RunFolder,
    RunState,
    ScoreRecord,
    read_run,
    write_manifest,
)
from tests.eval.made_gold import gold_row


def manifest(**changes: object) -> Manifest:
    fields = {
        "name": "first",
        "started": datetime(2026, 11, 28, tzinfo=UTC),
        "strata": "0.2.0",
        "questions_file": "gold.jsonl",
        "questions_sha256": "00",
        "questions": 1,
        "systems": ("embedded", "+rewriting", "rag+bm25"),
        **changes,
    }
    return Manifest.model_validate(fields)


def made_run(folder: Path) -> RunFolder:
    files = RunFolder(folder)
    write_manifest(folder, manifest())
    files.questions.write_text(json.dumps(gold_row()) + "\n")
    return files


def test_a_run_is_read_as_it_was_written(tmp_path: Path) -> None:
    files = made_run(tmp_path)
    record = AnswerRecord(id="q-1", reply=Reply(answer="60 s\u2028 [1]"), steps={"retrieval": 0.5})
    append_record(files.answers("rag+bm25"), record)
    score = ScoreRecord(id="q-1", system="rag+bm25", values={"correct": 1.0, "facts": None})
    append_record(files.scores, score)
    run = read_run(tmp_path)
    assert run.manifest.state is RunState.PLANNED
    assert [question.id for question in run.questions] == ["q-1"]
    assert run.answers == {"embedded": (), "+rewriting": (), "rag+bm25": (record,)}
    assert run.scores == (score,)


def test_a_line_that_a_kill_has_torn_is_left_out_and_written_over(tmp_path: Path) -> None:
    path = tmp_path / "answers" / "embedded.jsonl"
    append_record(path, AnswerRecord(id="q-1"))
    with path.open("a") as file:
        file.write('{"id": "q-2", "rep')
    whole = read_records(path, AnswerRecord)
    assert [record.id for record in whole] == ["q-1"]
    write_records(path, whole)
    append_record(path, AnswerRecord(id="q-3"))
    assert [record.id for record in read_records(path, AnswerRecord)] == ["q-1", "q-3"]


def test_another_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text('{"id": "q-1", "system": "embedded"}\n{"id": 5}\n')
    with pytest.raises(GoldError, match=r"scores\.jsonl, line 2"):
        read_records(path, ScoreRecord)


def test_a_folder_without_a_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(GoldError, match="is no run"):
        read_run(tmp_path)


@pytest.mark.parametrize("system", ["../outside", "/etc/passwd", ".hidden", "a/b", ""])
def test_no_system_leads_out_of_the_folder(system: str) -> None:
    with pytest.raises(ValidationError):
        manifest(systems=(system,))
