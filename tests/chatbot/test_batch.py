from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from pydantic import PrivateAttr

from chatbot.batch import BatchLine, BatchProgress, FailedLine, read_batch, run_batch
from chatbot.chatbot import Chatbot
from chatbot.errors import BatchError
from chatbot.models.scripted import ScriptedChatModel
from chatbot.models.streaming import Chunks

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


class Counting(ScriptedChatModel):
    """Replies when as many calls are there at once as are expected."""

    _here: int = PrivateAttr(0)
    _all: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    async def _chunks(
        self, messages: list[BaseMessage], stop: list[str] | None, options: dict[str, Any]
    ) -> Chunks:
        self._here += 1
        if self._here == 2:
            self._all.set()
        await asyncio.wait_for(self._all.wait(), 20)
        async for chunk in super()._chunks(messages, stop, options):
            yield chunk


def test_several_lines_are_asked_at_once_where_the_settings_let_them_in(
    relay: MakeChatbot, tmp_path: Path
) -> None:
    chatbot = relay(Counting(otherwise="The relay keeps its event log for 30 days [1]."))
    settings = chatbot.settings.model_copy(update={"questions_at_once": 2})
    asked = ("How long is the event log kept?", "Is the event log of the relay kept?")
    lines = [BatchLine(id=n, question=question) for n, question in enumerate(asked, 1)]
    output = tmp_path / "out.jsonl"
    done = run_batch(replace(chatbot, settings=settings), lines, output, lambda progress: None)
    assert done.failed == 0
    assert [row["id"] for row in read(output)] == [1, 2]
