import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.batch import BatchLine, BatchProgress, FailedLine, read_batch, run_batch
from chatbot.chatbot import Chatbot
from chatbot.errors import BatchError

MakeChatbot = Callable[[BaseChatModel | None], Chatbot]

LINES: list[dict[str, Any]] = [
    {"id": 1, "question": "What rate has port XF-1 in 17.20?", "product": "relay"},
    {"id": "long", "question": "x" * 50_000},
    {"id": "follow-up", "question": "and in 17.10?", "history": [["Rate of XF-1 in 17.20?", "10"]]},
]


def questions(folder: Path, lines: list[dict[str, Any]]) -> list[BatchLine | FailedLine]:
    path = folder / "in.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return read_batch(path)


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_a_failing_line_has_an_error_and_the_batch_goes_on(
    relay: MakeChatbot, tmp_path: Path
) -> None:
    heard: list[BatchProgress] = []
    output = tmp_path / "out.jsonl"
    done = run_batch(relay(None), questions(tmp_path, LINES), output, heard.append)
    first, second, third = read(output)
    assert first["id"] == 1
    assert first["release"] == "17.20"
    assert "50,000" in second["error"]
    assert third["release"] == "17.10"
    assert (done.total, done.failed, done.skipped) == (3, 1, 0)
    assert [p.done for p in heard] == [0, 1, 2, 3]


def test_an_interrupted_batch_is_taken_up_where_it_was(relay: MakeChatbot, tmp_path: Path) -> None:
    lines, output = questions(tmp_path, LINES), tmp_path / "out.jsonl"
    kept = {"id": 1, "answer": "kept from before"}
    output.write_text(json.dumps(kept) + '\n{"id": "long", "error": "x"}\n{"id": "fol', "utf-8")
    done = run_batch(relay(None), lines, output, lambda progress: None)
    rows = read(output)
    assert rows[0] == kept
    assert [row["id"] for row in rows] == [1, "long", "follow-up"]
    assert done.skipped == 1


def test_a_line_that_is_no_question_is_named(relay: MakeChatbot, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a"}\nno json\n', "utf-8")
    lines = read_batch(tmp_path / "in.jsonl")
    run_batch(relay(None), lines, tmp_path / "out.jsonl", lambda progress: None)
    first, second = read(tmp_path / "out.jsonl")
    assert "line 1: question" in first["error"]
    assert "line 2" in second["error"]
    with pytest.raises(BatchError, match=r"line 2.*twice"):
        questions(tmp_path, [LINES[0], LINES[0]])
