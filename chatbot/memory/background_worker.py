"""A thread for the work that is done once an answer has been delivered, in order."""

import atexit
import logging
import threading
from collections.abc import Callable
from queue import Queue

_log = logging.getLogger(__name__)

AT_EXIT_SECONDS = 10.0
"""Seconds that the process waits at its end for the work that is left."""


class BackgroundWorker:
    """Runs tasks in one thread, in order; a failure is logged, and the task dropped."""

    def __init__(self) -> None:
        self._waiting: Queue[Callable[[], object]] = Queue()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def do(self, work: Callable[[], object]) -> None:
        """Queue some work."""
        self._waiting.put(work)
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="memory", daemon=True)
                self._thread.start()

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until all work is done, at most `seconds`; return whether it is."""
        done = self._waiting.all_tasks_done
        with done:
            return done.wait_for(lambda: not self._waiting.unfinished_tasks, seconds)

    def _work(self) -> None:
        while True:
            work = self._waiting.get()
            try:
                work()
            except Exception:  # noqa: BLE001
                # The edge of the thread: the answer is given, and others wait to be remembered.
                _log.exception("an answer could not be remembered")
            finally:
                self._waiting.task_done()


BACKGROUND = BackgroundWorker()
"""The background thread of this process."""
atexit.register(BACKGROUND.flush, AT_EXIT_SECONDS)
