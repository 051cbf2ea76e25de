from __future__ import annotations

import json

import pytest

from eval.benchmarks import memory


def test_times_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    memory.main(pairs=30, asked=4, as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert len(told) == 4
    assert all(
        timing["n"] == 4 and 0 < timing["median"] <= timing["p95"] for timing in told.values()
    )
