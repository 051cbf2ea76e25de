"""Two servers and two workers, each with a data folder of its own, on one PostgreSQL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from strata_client import Strata, StrataFailure
from tests.browser.conftest import free_port
from tests.postgresql import cluster

ROOT = Path(__file__).parents[2]
PATIENCE = 120.0
FACTS = "# Winch\n\nThe cable of the winch is {metres} metres long.\n"

pytestmark = [pytest.mark.timeout(600), pytest.mark.enable_socket]


class Site:
    """Machines that have nothing in common but the URL of the database."""

    def __init__(self, url: str, folder: Path) -> None:
        self._url = url
        self._folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def serve(self, name: str) -> Strata:
        """Start a server on a machine and return a client of it."""
        port = free_port()
        self._start(name, "serve", "--no-worker", "--port", str(port))
        client = Strata(f"http://127.0.0.1:{port}")
        _until(lambda: _answers(client), f"{name} does not answer")
        return client

    def work(self, name: str) -> None:
        """Start a worker on a machine."""
        self._start(name, "worker")

    def kill(self, name: str) -> None:
        """End a machine as a power cut would."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait(20)

    def _start(self, name: str, *command: str) -> None:
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "STRATA_DATABASE_URL": self._url,
            "STRATA_DATA_DIR": str(self._folder / name),
            "STRATA_GENERATOR": "none",
        }
        self.processes[name] = subprocess.Popen(
            [sys.executable, "-m", "ui.cli.main", *command],
            env=environment,
            cwd="/",
            stderr=subprocess.DEVNULL,
        )


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with cluster() as server:
        site = Site(server.database_of(tmp_path), tmp_path)
        yield site
        for process in site.processes.values():
            process.kill()
            process.wait(20)


def _answers(client: Strata) -> bool:
    try:
        client.products()
    except StrataFailure:
        return False
    return True


def _until(condition: Callable[[], Any], told: str) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, told
        time.sleep(0.1)


def _much(folder: Path) -> list[Path]:
    """Files that take seconds to embed."""
    folder.mkdir()
    for number in range(3):
        sections = "\n\n".join(
            f"## Part {n}\n\n{' '.join(f'rope{number}x{n}x{i}' for i in range(150))}."
            for n in range(12)
        )
        (folder / f"ropes{number}.md").write_text(f"# Ropes {number}\n\n{sections}\n")
    (folder / "winch.md").write_text(FACTS.format(metres=30))
    return sorted(folder.iterdir())


def test_what_one_machine_takes_another_ingests_and_a_third_answers(
    site: Site, tmp_path: Path
) -> None:
    with ExitStack() as closing:
        first, second = (closing.enter_context(site.serve(name)) for name in ("web1", "web2"))
        site.work("worker1")
        given = tmp_path / "winch.md"
        given.write_text(FACTS.format(metres=20))
        done = first.wait(first.upload("winch", "1.0", [given])["id"], every=0.2)
        assert done["state"] == "done", done
        question = "How long is the cable of the winch?"
        for client in (first, second):
            reply = client.ask(question, product="winch", release="1.0")
            assert "20 metres" in reply.answer
            assert [c["release"] for c in reply.citations] == ["1.0"]

        job = second.upload("winch", "2.0", _much(tmp_path / "many"))["id"]
        _until(lambda: second.job(job)["stage"] == "embedding", "it does not embed")
        site.work("worker2")
        site.kill("worker1")
        assert second.wait(job, every=0.2)["state"] == "done"

        begun = first.ask(question, product="winch", release="2.0", conversation="new")
        assert "30 metres" in begun.answer
        site.kill("web1")
        second.ask("And in 1.0?", product="winch", conversation=begun.conversation)
        turns = second.turns(str(begun.conversation))
        before, after = (turn["reply"]["answer"] for turn in turns)
        assert "30 metres" in before
        assert "20 metres" in after
        assert {p.name for p in (tmp_path / "web2").iterdir()} <= {"generations", "answering.lock"}
