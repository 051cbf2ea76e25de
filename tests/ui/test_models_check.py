"""`strata models check` as a person runs it."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from ui.cli.main import main

Check = Callable[..., tuple[int, str, str]]


@pytest.fixture
def check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Check:
    """Runs the command with settings: the exit code, standard output and standard error."""

    def run(*options: str, **settings: str) -> tuple[int, str, str]:
        for name in [name for name in os.environ if name.startswith("STRATA_")]:
            monkeypatch.delenv(name)
        for name, value in {"HOME": str(tmp_path), **_as_variables(settings)}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["strata", "models", "check", *options])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


def _as_variables(settings: dict[str, str]) -> dict[str, str]:
    return {f"STRATA_{name.upper()}": value for name, value in settings.items()}


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"otherwise": "[bold]ninety days", "delay": 0.001}))
    return str(path)


def test_it_prints_what_it_found(check: Check, script: str) -> None:
    code, told, errors = check(backend="scripted", scripted_replies=script)
    assert code == 0, errors
    assert "[bold]ninety days" in told
    assert "tells probabilities" in told


def test_it_prints_json(check: Check, script: str) -> None:
    _, told, _ = check("--json", backend="scripted", scripted_replies=script)
    found = json.loads(told)
    assert found["backend"] == "scripted"
    assert found["streams"] is True
    assert found["tells_probabilities"] is False


def test_a_dead_server_is_one_sentence_and_exit_code_1(check: Check) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        code, told, errors = check(
            backend="server", server_url=url, server_key="sk-secret", model="m"
        )
    assert code == 1
    assert f"strata: {url} does not answer" in errors
    assert "Traceback" not in errors
    assert "sk-secret" not in errors
    assert told == ""


def test_no_model_says_what_to_do(check: Check) -> None:
    code, _, errors = check(generator="none")
    assert code == 1
    assert "strata models pull" in errors
