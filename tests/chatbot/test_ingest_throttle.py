import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from chatbot.runtime import ingest_throttle
from chatbot.runtime.ingest_throttle import ingests_paused, pauses_for_answers


class Clock:
    """Seconds that also pass faster, for an ingest that has worked for a while."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(ingest_throttle, "time", made)
    return made


def pausing(data_dir: Path, clock: Clock) -> Callable[[], None]:
    """The pause of an ingest that has worked for long."""
    pause = pauses_for_answers(data_dir)
    clock.ahead += 3600
    return pause


HOLDER = """
import sys, time
from pathlib import Path
from chatbot.runtime.ingest_throttle import ingests_paused
with ingests_paused(Path(sys.argv[1])):
    print("answering", flush=True)
    time.sleep(60)
"""


def test_an_ingest_goes_on_at_once_where_nothing_is_answered(tmp_path: Path, clock: Clock) -> None:
    with ingests_paused(tmp_path):
        pass
    pause = pausing(tmp_path, clock)
    began = time.monotonic()
    pause()
    assert time.monotonic() - began < ingest_throttle.LONGEST_PAUSE / 2


def test_an_ingest_goes_on_when_the_last_answer_is_made(tmp_path: Path, clock: Clock) -> None:
    over = []
    pause = pausing(tmp_path, clock)
    waiting = threading.Thread(target=lambda: (pause(), over.append(True)))
    with ingests_paused(tmp_path):
        with ingests_paused(tmp_path):
            waiting.start()
            time.sleep(0.3)
        time.sleep(0.3)
        assert not over
    waiting.join(ingest_throttle.LONGEST_PAUSE)
    assert over


def test_a_killed_server_holds_no_ingest_back(tmp_path: Path, clock: Clock) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == "answering\n"
        waiting = threading.Thread(target=pausing(tmp_path, clock))
        waiting.start()
        time.sleep(0.3)
        assert waiting.is_alive()
        server.kill()
        waiting.join(ingest_throttle.LONGEST_PAUSE / 2)
        assert not waiting.is_alive()


def test_an_ingest_gets_on_where_answers_never_end(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_throttle, "LONGEST_PAUSE", 0.2)
    with ingests_paused(tmp_path):
        pausing(tmp_path, clock)()


def test_a_short_ingest_does_not_pause(tmp_path: Path, clock: Clock) -> None:
    with ingests_paused(tmp_path):
        pause = pauses_for_answers(tmp_path)
        clock.ahead += ingest_throttle.SHORT / 2
        began = clock.monotonic()
        pause()
        assert clock.monotonic() - began < 1


def test_a_longer_ingest_pauses_as_long_as_it_has_worked_since(
    tmp_path: Path, clock: Clock
) -> None:
    with ingests_paused(tmp_path):
        pause = pauses_for_answers(tmp_path)
        clock.ahead += ingest_throttle.SHORT + 0.5
        began = clock.monotonic()
        for _ in range(5):
            pause()
        assert 0.3 < clock.monotonic() - began < 3


def test_a_folder_that_is_not_there_stops_no_answer(tmp_path: Path) -> None:
    with ingests_paused(tmp_path / "missing"):
        pass
