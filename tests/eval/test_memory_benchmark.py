from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from eval.benchmarks import made_up_questions, memory, memory_latency
from eval.benchmarks.made_up_questions import MadeUpQuestions


def test_the_stream_is_the_same_every_time_and_asks_again() -> None:
    first, second = (list(islice(MadeUpQuestions().stream(), 2000)) for _ in range(2))
    assert first == second
    assert 1200 < len(set(first)) < 1500


def test_times_and_growth_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (made_up_questions, memory_latency):
        monkeypatch.setattr(module, "THINGS", ("the laser", "the fan tray", "the cache"))
    monkeypatch.setattr(memory, "REUSE_GOAL", 1e6)
    monkeypatch.setattr(memory, "LOOKUP_GOAL", 1e6)
    memory.main(20, 3, turns=60, limit=20, moments=3, folder=tmp_path, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [moment["turns"] for moment in told["growth"]] == [20, 40, 60]
    assert told["growth"][-1]["high"] <= 20
    by_name = {timing["name"]: timing for timing in told["times"]}
    assert by_name["reuse"]["n"] >= 3
    assert by_name["lookup without reuse"]["n"] >= 1
