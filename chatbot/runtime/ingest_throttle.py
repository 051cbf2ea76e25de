"""Questions go before other work: it pauses while an answer is being made on its machine.

A model's threads wait for each other, so that one core less makes it many times slower
(docs/decisions/0019).
"""

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

LONGEST_PAUSE = 20.0
"""Seconds after which an ingest does its next step though answers are still being made."""
SHORT = 15.0
"""Seconds for which an ingest works without a pause: most uploads are ingested by then."""
_LOCK = "answering.lock"
_POLL_SECONDS = 0.1


@contextmanager
def ingests_paused(data_dir: Path) -> Iterator[None]:
    """Let ingests into this data folder pause; the system takes the lock from a killed process."""
    try:
        file = (data_dir / _LOCK).open("ab")
    except OSError:
        # A folder that cannot be written to has no ingest either.
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def pauses_for_answers(data_dir: Path) -> Callable[[], None]:
    """The pause that an ingest makes between two steps while answers are being made.

    It takes `LONGEST_PAUSE` at most, and all of them as long as the ingest has worked since its
    first `SHORT` seconds: whoever uploads two pages sees them soon.
    """
    began, paused = time.monotonic(), 0.0

    def pause() -> None:
        nonlocal paused
        now = time.monotonic()
        until = now + min(LONGEST_PAUSE, now - began - SHORT - 2 * paused)
        wait_for_answers(data_dir, lambda: time.monotonic() >= until)
        paused += time.monotonic() - now

    return pause


def wait_for_answers(data_dir: Path, stopped: Callable[[], bool]) -> None:
    """Wait until no answer is being made on this machine, or until `stopped`."""
    with (data_dir / _LOCK).open("ab") as file:
        while not stopped():
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_POLL_SECONDS)
            else:
                return
