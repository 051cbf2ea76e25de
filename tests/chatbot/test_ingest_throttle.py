from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from chatbot.runtime import ingest_throttle
from chatbot.runtime.ingest_throttle import ingests_paused, pause_for_answers

HOLDER = """
import sys, time
from pathlib import Path
from chatbot.runtime.ingest_throttle import ingests_paused
with ingests_paused(Path(sys.argv[1])):
    print("answering", flush=True)
    time.sleep(60)
"""


def test_an_ingest_goes_on_at_once_where_nothing_is_answered(tmp_path: Path) -> None:
    with ingests_paused(tmp_path):
        pass
    began = time.monotonic()
    pause_for_answers(tmp_path)
    assert time.monotonic() - began < ingest_throttle.LONGEST_PAUSE / 2


def test_an_ingest_goes_on_when_the_last_answer_is_made(tmp_path: Path) -> None:
    over = []
    pausing = threading.Thread(target=lambda: (pause_for_answers(tmp_path), over.append(True)))
    with ingests_paused(tmp_path):
        with ingests_paused(tmp_path):
            pausing.start()
            time.sleep(0.3)
        time.sleep(0.3)
        assert not over
    pausing.join(ingest_throttle.LONGEST_PAUSE)
    assert over


def test_a_killed_server_holds_no_ingest_back(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "answering\n"
        pausing = threading.Thread(target=pause_for_answers, args=(tmp_path,))
        pausing.start()
        time.sleep(0.3)
        assert pausing.is_alive()
        server.kill()
        pausing.join(ingest_throttle.LONGEST_PAUSE / 2)
        assert not pausing.is_alive()


def test_an_ingest_gets_on_where_answers_never_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_throttle, "LONGEST_PAUSE", 0.2)
    with ingests_paused(tmp_path):
        pause_for_answers(tmp_path)


def test_a_folder_that_is_not_there_stops_no_answer(tmp_path: Path) -> None:
    with ingests_paused(tmp_path / "missing"):
        pass
