"""Processes that have something in hand, by names that no other ever has, and whether they live."""

import socket
from datetime import UTC, datetime, timedelta

import psutil

HEARTBEAT_SECONDS = 5.0
DEAD_AFTER_SECONDS = 60.0
_CLOCKS_DIFFER = 2.0


def this_process() -> str:
    """The name of this process: its machine, its number there, and when it began."""
    process = psutil.Process()
    return f"{socket.gethostname()}/{process.pid}/{process.create_time():.1f}"


def is_alive(name: str, beat: datetime) -> bool:
    """Say whether a process lives: it has been heard of lately, and is not known to have ended."""
    silent = datetime.now(UTC) - beat
    return silent <= timedelta(seconds=DEAD_AFTER_SECONDS) and not has_ended(name)


def has_ended(name: str) -> bool:
    """Whether the process of that name ran on this machine, as far as is known, and is gone."""
    host, *place = name.rsplit("/", 2)
    if host != socket.gethostname() or len(place) < 2:
        return False
    number, began = place
    try:
        process = psutil.Process(int(number))
        if process.status() == psutil.STATUS_ZOMBIE:
            return True
        return bool(abs(process.create_time() - float(began)) > _CLOCKS_DIFFER)
    except psutil.NoSuchProcess:
        return True
