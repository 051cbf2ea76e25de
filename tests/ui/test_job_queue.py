from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fakeredis import TcpFakeServer

from chatbot.settings import BadSettings, Settings
from ui.serving.job_queue import JobQueue, QueueFailed
from ui.serving.worker import enqueue


@pytest.fixture
def redis() -> Iterator[TcpFakeServer]:
    """A server that speaks Redis' protocol."""
    server = TcpFakeServer(("127.0.0.1", 0))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def over_redis(server: TcpFakeServer, tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path, queue_url=f"redis://127.0.0.1:{server.server_address[1]}/0")


@pytest.mark.parametrize("over", ["sqlite", "redis"])
def test_ids_of_jobs_come_out_in_order(tmp_path: Path, redis: TcpFakeServer, over: str) -> None:
    settings = Settings(data_dir=tmp_path) if over == "sqlite" else over_redis(redis, tmp_path)
    for job_id in (41, 42):
        enqueue(job_id, settings)
    done: list[int] = []
    queue = JobQueue(settings, done.append)
    assert queue.waiting() == {41, 42}
    for _ in range(2):
        queue._huey.execute(queue._huey.dequeue())
    assert done == [41, 42]
    assert queue.waiting() == set()
    assert (tmp_path / "queue.db").exists() is (over == "sqlite")
    queue.close()


def test_what_lies_in_the_queue_is_data(tmp_path: Path) -> None:
    queue = JobQueue(Settings(data_dir=tmp_path))
    queue.put(41)
    (message,) = queue._huey.storage.enqueued_items()
    assert bytes(message).startswith(b"[")
    assert b'"ui.serving.job_queue.job"' in bytes(message)
    queue.close()


def test_a_queue_that_is_down_keeps_nobody_from_ordering_a_job(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = Settings(data_dir=tmp_path, queue_url="redis://127.0.0.1:1/0")
    with caplog.at_level(logging.WARNING):
        enqueue(41, settings)
    assert "job 41 cannot be queued" in caplog.text
    queue = JobQueue(settings)
    with pytest.raises(QueueFailed):
        queue.waiting()
    queue.close()


def test_without_the_client_of_redis_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huey.storage.Redis", None)
    with pytest.raises(BadSettings, match=r"pip install 'strata-docs\[redis\]'"):
        JobQueue(Settings(data_dir=tmp_path, queue_url="redis://127.0.0.1/0"))
