"""A worker beside the server: started again when it dies, gone when the server is gone.

The server becomes another program once it has started this, so it cannot look after a worker
itself. What runs here is small enough that nothing takes it down but the end of the server.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType

_LOOK_SECONDS = 0.5
_HEALTHY_SECONDS = 60.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_END_SECONDS = 30.0


def start_keeper() -> None:
    """Start a process that keeps a worker running as long as this process lives."""
    subprocess.Popen(
        [sys.executable, "-m", "ui.serving.worker_keeper", str(os.getpid())],
        stdin=subprocess.DEVNULL,
    )


def keep(parent: int) -> None:
    """Run a worker until the process `parent` ends or this one is told to."""
    told = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        told.set()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    pause = _SHORTEST_PAUSE
    while not told.is_set() and os.getppid() == parent:
        started = time.monotonic()
        worker = subprocess.Popen(
            [sys.executable, "-m", "ui.cli.main", "worker", "--parent", str(os.getpid())]
        )
        while worker.poll() is None and os.getppid() == parent and not told.wait(_LOOK_SECONDS):
            pass
        if worker.poll() is None:
            _end(worker)
            return
        # One that cannot start, for want of disk for instance, is not started in a tight loop.
        if time.monotonic() - started > _HEALTHY_SECONDS:
            pause = _SHORTEST_PAUSE
        told.wait(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def _end(worker: subprocess.Popen[bytes]) -> None:
    worker.terminate()
    try:
        worker.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


if __name__ == "__main__":
    keep(int(sys.argv[1]))
