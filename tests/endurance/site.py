"""Processes of Strata as an operator starts them, which can be killed and started again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from strata_client import Strata, StrataFailure
from tests.browser.conftest import free_port
from tests.chatbot.small_server import Request, SmallServer, words

ROOT = Path(__file__).parents[2]
PATIENCE = 280.0
MODEL_SECONDS = 1.0
"""What the model takes to reply."""

QUESTION = "How long is the cable of the winch?"


def write_winch(folder: Path, metres: int, parts: int, words: int = 60) -> list[Path]:
    """Write a fact in a small file, and a file of so many parts that takes a while to embed."""
    folder.mkdir(exist_ok=True)
    fact = f"# Winch\n\nThe cable of the winch is {metres} metres long.\n"
    (folder / "winch.md").write_text(fact)
    sections = (
        f"## Part {n}\n\n{' '.join(f'rope{metres}x{n}x{i}' for i in range(words))}."
        for n in range(parts)
    )
    (folder / "ropes.md").write_text("# Ropes\n\n" + "\n\n".join(sections) + "\n")
    return sorted(folder.iterdir())


def lost_answers(client: Strata, conversation: str, said: list[str]) -> list[str]:
    """Return as a fault what a conversation does not hold of what was said in it.

    A turn may be kept whose answer was not heard any more, never the other way.
    """
    kept = [turn["reply"]["answer"] for turn in client.turns(conversation)]
    lost = (Counter(said) - Counter(kept)).total()
    return [f"conversation {conversation} lost {lost}"] if lost else []


def _reply(request: Request) -> None:
    """Say what the passages in the prompt say of the cable."""
    time.sleep(MODEL_SECONDS)
    prompt = request.body["messages"][-1]["content"]
    said = re.search(r"The cable of the winch is \d+ metres long\.", prompt)
    words(said[0] if said else "I don't know")(request)


def _serve_model(told: Connection) -> None:
    server = SmallServer([_reply])
    told.send(server.url)
    server.serve_forever()


@contextmanager
def model() -> Iterator[str]:
    """A model server in a process of its own, by its address."""
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=_serve_model, args=(there,), daemon=True)
    process.start()
    try:
        yield here.recv()
    finally:
        process.kill()
        process.join()


class Site:
    """Named processes with one environment; each may have a data folder of its own."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.addresses: dict[str, str] = {}
        self.environment = environment

    def __enter__(self) -> Site:
        """Use it as a context manager, which ends all processes."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all processes."""
        for name in self.processes:
            self.kill(name)
            self._close(name)

    def serve(self, name: str, *options: str) -> Strata:
        """Start a server on a machine; return a client of it once it answers."""
        port = free_port()
        self.start(name, "serve", "--no-worker", "--port", str(port), *options)
        self.addresses[name] = f"http://127.0.0.1:{port}"
        client = Strata(self.addresses[name])
        until(lambda: answers(client), f"{name} does not answer")
        return client

    def work(self, name: str) -> None:
        """Start a worker on a machine."""
        self.start(name, "worker")

    def start(self, name: str, *command: str, keep: bool = False) -> subprocess.Popen[bytes]:
        """Start a command of Strata on a machine, in a session of its own; `keep` what it says."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "STRATA_DATA_DIR": str(self.folder / name),
            **self.environment,
        }
        self._close(name)
        log = self.folder / f"{name}.log"
        with log.open("ab") as errors:
            self.processes[name] = subprocess.Popen(
                [sys.executable, "-m", "ui.cli.main", *command],
                env=environment,
                cwd="/",
                stdout=subprocess.PIPE if keep else subprocess.DEVNULL,
                stderr=errors,
                start_new_session=True,
            )
        return self.processes[name]

    def kill(self, name: str) -> None:
        """End a process as a power cut would."""
        self.processes[name].send_signal(signal.SIGKILL)
        self.processes[name].wait(20)

    def _close(self, name: str) -> None:
        process = self.processes.get(name)
        if process is not None and process.stdout is not None:
            process.stdout.close()


def until(condition: Callable[[], Any], told: str) -> None:
    """Wait for what has to come."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, told
        time.sleep(0.1)


def answers(client: Strata) -> bool:
    """Whether the server answers."""
    try:
        client.products()
    except StrataFailure:
        return False
    return True
