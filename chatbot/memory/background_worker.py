"""Work that waits until an answer is delivered: one thread of the process does it, in order."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_log = logging.getLogger(__name__)

MOST_WAITING = 500
"""Works that wait at most; what comes then is not done."""
AT_EXIT_SECONDS = 10.0
"""How long the process waits for them at its end."""


class Later:
    """Does what it is given after one another in a thread; what fails is logged and gone."""

    def __init__(self, most: int = MOST_WAITING) -> None:
        self._most = most
        self._changed = threading.Condition()
        self._waiting: deque[Callable[[], object]] = deque()
        self._working = False

    def do(self, work: Callable[[], object]) -> bool:
        """Take in work; False where too much waits already."""
        with self._changed:
            if len(self._waiting) >= self._most:
                _log.warning("%d works wait already; this one is left out", self._most)
                return False
            self._waiting.append(work)
            if not self._working:
                self._working = True
                threading.Thread(target=self._work, name="memory", daemon=True).start()
        return True

    @contextmanager
    def held(self) -> Iterator[None]:
        """Take in work but begin none."""
        with self._changed:
            yield

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until nothing is left to do, at most so long; say whether nothing is."""
        until = None if seconds is None else time.monotonic() + seconds
        with self._changed:
            while self._working:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._changed.wait(left)
        return True

    def _work(self) -> None:
        while True:
            with self._changed:
                if not self._waiting:
                    self._working = False
                    self._changed.notify_all()
                    return
                work = self._waiting.popleft()
            try:
                work()
            except Exception:  # noqa: BLE001
                # The edge of the thread: the answer is given, and others wait to be remembered.
                _log.exception("an answer could not be remembered")


LATER = Later()
"""That of this process."""
atexit.register(LATER.flush, AT_EXIT_SECONDS)
