"""`strata models check` as a person runs it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest


def run(folder: Path, *options: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "HOME": str(folder),
        **{f"STRATA_{name.upper()}": value for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "ui.cli.main", "models", "check", *options]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"otherwise": "[bold]ninety days", "delay": 0.001}))
    return str(path)


def test_it_prints_what_it_found(tmp_path: Path, script: str) -> None:
    done = run(tmp_path, backend="scripted", scripted_replies=script)
    assert done.returncode == 0, done.stderr
    assert "[bold]ninety days" in done.stdout
    assert "tells probabilities" in done.stdout


def test_it_prints_json(tmp_path: Path, script: str) -> None:
    done = run(tmp_path, "--json", backend="scripted", scripted_replies=script)
    found = json.loads(done.stdout)
    assert found["backend"] == "scripted"
    assert found["streams"] is True
    assert found["tells_probabilities"] is False


def test_a_dead_server_is_one_sentence_and_exit_code_1(tmp_path: Path) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        done = run(tmp_path, backend="server", server_url=url, server_key="sk-secret", model="m")
    assert done.returncode == 1
    assert f"strata: {url} does not answer" in done.stderr
    assert "Traceback" not in done.stderr
    assert "sk-secret" not in done.stderr
    assert done.stdout == ""


def test_no_model_says_what_to_do(tmp_path: Path) -> None:
    done = run(tmp_path, generator="none")
    assert done.returncode == 1
    assert "strata models pull" in done.stderr
