"""A worker beside the server: restarted when it dies, ended when the server is gone."""

import os
import subprocess
import sys
import threading
import time

_HEALTHY_SECONDS = 60.0
_SHORTEST_PAUSE, _LONGEST_PAUSE = 1.0, 60.0


def start_keeper() -> None:
    """Keep a worker running; it ends by itself when this process is gone."""
    threading.Thread(target=_keep, name="worker", daemon=True).start()


def _keep() -> None:
    command = [sys.executable, "-m", "ui.cli.main", "worker", "--parent", str(os.getpid())]
    pause = _SHORTEST_PAUSE
    while True:
        started = time.monotonic()
        subprocess.run(command, stdin=subprocess.DEVNULL, check=False)
        # A worker that cannot start, for lack of disk for instance, is not restarted at once.
        if time.monotonic() - started > _HEALTHY_SECONDS:
            pause = _SHORTEST_PAUSE
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
