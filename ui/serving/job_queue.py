"""The queue between the page and the worker: huey over a SQLite file, or over Redis."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from huey import Huey, RedisHuey, SqliteHuey
from huey.consumer import Consumer
from huey.exceptions import ConfigurationError
from huey.registry import Message
from huey.serializer import Serializer

if TYPE_CHECKING:
    from chatbot.settings import Settings

_NAME = "strata"
_LONGEST_PAUSE = 1.0


class QueueFailed(Exception):
    """The queue cannot be reached; what should have gone into it stands in the database."""


class JobQueue:
    """Brings the ids of jobs to a worker; `do` is what a worker does with one.

    Raises BadSettings where Redis is wanted and its client is not installed.
    """

    def __init__(self, settings: Settings, do: Callable[[int], None] | None = None) -> None:
        self._huey = _open(settings)
        self._failures = _failures(settings)

        def job(job_id: int) -> None:
            assert do is not None
            do(job_id)

        self._put = self._huey.task(name="job")(job)

    def put(self, job_id: int) -> None:
        """Bring a job to the next worker that is free; raise QueueFailed."""
        try:
            self._put(job_id)
        except self._failures as error:
            raise QueueFailed(f"job {job_id} cannot be queued: {error}") from error

    def waiting(self) -> set[int]:
        """Return the ids of the jobs in the queue; raise QueueFailed."""
        try:
            return {task.args[0] for task in self._huey.pending()}
        except self._failures as error:
            raise QueueFailed(f"the queue cannot be read: {error}") from error

    def consumer(self, shutdown_seconds: float) -> Consumer:
        """Return what takes one job after another out of the queue and does it in a thread."""
        return self._huey.create_consumer(
            workers=1, periodic=False, max_delay=_LONGEST_PAUSE, shutdown_timeout=shutdown_seconds
        )

    def close(self) -> None:
        """Close the connection."""
        self._huey.storage.close()


class _Json(Serializer):  # type: ignore[misc]
    """Writes messages as JSON: what others may have put into a queue is data and never code."""

    def _serialize(self, data: Any) -> bytes:
        return json.dumps(data).encode()

    def _deserialize(self, data: bytes) -> Any:
        return Message(*json.loads(data))


def _open(settings: Settings) -> Huey:
    if settings.queue_url is None:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
        file = settings.data_dir / "queue.db"
        return SqliteHuey(_NAME, filename=str(file), results=False, serializer=_Json())
    from chatbot.settings import BadSettings

    try:
        return RedisHuey(_NAME, url=settings.queue_url, results=False, serializer=_Json())
    except ConfigurationError as error:
        raise BadSettings(
            "setting queue_url (STRATA_QUEUE_URL): the client of Redis is not installed; run "
            "`pip install 'strata-docs[redis]'`"
        ) from error


def _failures(settings: Settings) -> tuple[type[Exception], ...]:
    if settings.queue_url is None:
        return (sqlite3.Error,)
    from redis import RedisError

    return (RedisError,)
