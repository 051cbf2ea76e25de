"""How quick the page stays while a worker ingests: `python -m eval.benchmarks.chat_during_ingest`.

A real server with its worker, a real Chromium, one person who asks, opens what an answer cites,
and goes back to an earlier conversation. In turns with nothing else to do and while the worker
ingests big documentation, so that what else the machine does meets both alike. The answers come
without a language model: what is measured is the page. The data folder should be a copy, since it
gets conversations and documents.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from chatbot.settings import Settings, read_settings
from corpora.database.engine import Database, open_database
from corpora.documents.uploads import UploadedFile, store
from corpora.jobs.jobs import Job, Jobs, JobState
from eval.gold import read_gold
from ingestion.loaders import LOADERS

if TYPE_CHECKING:
    from playwright.sync_api import Page

GOAL = 1.5
_PATIENCE = 120.0
_FLAGS = ("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")


@dataclass(frozen=True)
class Interaction:
    """What was done on the page, how long it took until all of it was there, and meanwhile what."""

    name: str
    seconds: float
    stage: str


def main(
    documents: Annotated[Path, typer.Argument(help="A folder of documentation to ingest.")],
    gold: Annotated[Path, typer.Option(help="Questions on what the data folder holds.")] = Path(
        "examples/questions.jsonl"
    ),
    product: Annotated[str, typer.Option(help="The product of the questions.")] = "tessaline",
    interactions: Annotated[int, typer.Option(help="How many of each kind, twice.")] = 36,
    turns: Annotated[int, typer.Option(help="How often idle and busy take turns.")] = 3,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the page with an idle and with a busy worker; exit code 1 if the goal is missed."""
    settings = read_settings(generator="none")
    questions = [g.question for g in read_gold(gold)]
    idle: list[Interaction] = []
    busy: list[Interaction] = []
    with _served(settings) as address, _browser(address) as page:
        visit = _Visit(page, questions, product)
        visit.run(3, lambda: "")
        database = open_database(settings.database)
        ingest = _Ingest(settings, database, documents)
        for _ in range(turns):
            idle += visit.run(interactions // turns, lambda: "")
            ingest.start()
            busy += visit.run(interactions // turns, ingest.stage)
            job = ingest.stop()
        database.close()
    ratio = _p95(busy) / _p95(idle)
    if as_json:
        told = {"idle": idle, "busy": busy}
        rows = {name: [asdict(i) for i in found] for name, found in told.items()}
        print(json.dumps({**rows, "ratio": ratio, "job": job.stage}))  # noqa: T201
    else:
        _print(idle, busy, job, ratio)
    raise typer.Exit(0 if ratio <= GOAL else 1)


class _Ingest:
    """An upload of big documentation that is cancelled and tried again, and continues then."""

    def __init__(self, settings: Settings, database: Database, documents: Path) -> None:
        files = [
            UploadedFile(path.relative_to(documents).as_posix(), path, path.stat().st_size)
            for path in sorted(documents.rglob("*"))
            if path.is_file() and path.suffix.lower() in LOADERS
        ]
        self._jobs = Jobs(database)
        self._id = store(
            database,
            settings.data_dir,
            files,
            product="ingested",
            release=f"at {time.time():.0f}",
            person_id="",
        )
        self._jobs.cancel(self._id)

    def start(self) -> None:
        """Let it run again; a worker finds it within a minute."""
        self._jobs.retry(self._id)
        self._wait(lambda job: job.state is JobState.RUNNING, "No worker takes the job.")

    def stage(self) -> str:
        """What it is doing."""
        job = self._jobs.get(self._id)
        if not job.is_open:
            raise SystemExit(f"The ingest ended too soon ({job.message}): give more documentation.")
        return job.stage

    def stop(self) -> Job:
        """Cancel it, and return how it stood."""
        job = self._jobs.get(self._id)
        self._jobs.cancel(self._id)
        self._wait(lambda job: not job.is_open, "The job does not stop.")
        return job

    def _wait(self, condition: Callable[[Job], bool], told: str) -> None:
        end = time.monotonic() + _PATIENCE
        while not condition(self._jobs.get(self._id)):
            if time.monotonic() > end:
                raise SystemExit(told)
            time.sleep(0.2)


class _Visit:
    """One person on the page."""

    def __init__(self, page: Page, questions: Sequence[str], product: str) -> None:
        self._page = page
        self._questions = questions
        self._asked = count()
        heading = re.compile("^Ask about")
        self._expect(page.get_by_role("heading", name=heading)).to_be_visible()
        if not page.get_by_role("heading", name=f"Ask about {product}").count():
            page.get_by_test_id("stSelectbox").get_by_role("combobox").click()
            page.get_by_role("option", name=product).click()
            self._expect(page.get_by_role("heading", name=f"Ask about {product}")).to_be_visible()

    def run(self, rounds: int, stage: Callable[[], str]) -> list[Interaction]:
        """Do everything so many times."""
        done = []
        for _ in range(rounds):
            self._page.get_by_role("button", name="New conversation").click()
            self._expect(self._messages).to_have_count(0)
            self._settled()
            for name, act in (
                ("ask a question", self._ask),
                ("open a citation", self._open_citation),
                ("open a conversation", self._open_conversation),
            ):
                meanwhile = stage()
                started = time.perf_counter()
                if act():
                    self._settled()
                    seconds = time.perf_counter() - started
                    done.append(Interaction(name, seconds, meanwhile))
                if name == "open a citation":
                    self._page.keyboard.press("Escape")
                    self._expect(self._page.get_by_role("dialog")).to_have_count(0)
        return done

    def _ask(self) -> bool:
        question = self._questions[next(self._asked) % len(self._questions)]
        self._page.get_by_test_id("stChatInputTextArea").fill(question)
        self._page.keyboard.press("Enter")
        self._expect(self._messages).to_have_count(2)
        self._expect(self._page.get_by_role("button", name="Stop")).to_have_count(0)
        return True

    def _open_citation(self) -> bool:
        """Open the first source of the answer; not every question has one."""
        sources = self._page.locator(".stMain").get_by_role("button", name=re.compile(r"^\[1\]"))
        if not sources.count():
            return False
        sources.first.click()
        self._expect(self._page.get_by_role("dialog")).to_be_visible()
        return True

    def _open_conversation(self) -> bool:
        other = self._page.locator("[class*='st-key-other-conversation']").first
        title = other.get_by_role("button").first.inner_text().splitlines()[0][:20]
        other.get_by_role("button").first.click()
        opened = self._page.locator("[class*='st-key-open-conversation']").filter(has_text=title)
        self._expect(opened).to_be_visible()
        self._expect(self._messages.first).to_be_visible()
        return True

    @property
    def _messages(self) -> Any:
        return self._page.get_by_test_id("stChatMessage")

    def _settled(self) -> None:
        self._expect(self._page.locator("[data-test-script-state=notRunning]")).to_be_attached()

    @staticmethod
    def _expect(locator: Any) -> Any:
        from playwright.sync_api import expect

        expect.set_options(timeout=_PATIENCE * 1000)
        return expect(locator)


@contextmanager
def _served(settings: Settings) -> Iterator[str]:
    """Run `strata serve` on a free port until the block ends."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {
        **os.environ,
        "STRATA_DATA_DIR": str(settings.data_dir.absolute()),
        "STRATA_GENERATOR": "none",
    }
    server = subprocess.Popen(
        [sys.executable, "-m", "ui.cli.main", "serve", "--port", str(port)], env=environment
    )
    try:
        end = time.monotonic() + _PATIENCE
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if server.poll() is not None or time.monotonic() > end:
                raise SystemExit("The server does not start.")
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


@contextmanager
def _browser(address: str) -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(_FLAGS))
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(address)
        yield page
        browser.close()


def _p95(found: Sequence[Interaction]) -> float:
    return quantiles([i.seconds for i in found], n=20)[-1]


def _print(
    idle: Sequence[Interaction], busy: Sequence[Interaction], job: Job, ratio: float
) -> None:
    table = Table("", "count", "median idle", "median busy", "p95 idle", "p95 busy", "ratio")
    kinds = sorted({i.name for i in idle})
    for name in [*kinds, ""]:
        before = [i for i in idle if name in ("", i.name)]
        during = [i for i in busy if name in ("", i.name)]
        table.add_row(
            name or "all",
            f"{len(before)} / {len(during)}",
            *(f"{median(i.seconds for i in found):.3f}" for found in (before, during)),
            *(f"{_p95(found):.3f}" for found in (before, during)),
            f"{_p95(during) / _p95(before):.2f}",
        )
    console = Console()
    console.print(table)
    stages: dict[str, list[Interaction]] = defaultdict(list)
    for interaction in busy:
        stages[interaction.stage].append(interaction)
    for stage, found in stages.items():
        p95 = f", p95 {_p95(found):.3f} s" if len(found) > 1 else ""
        console.print(f"while {stage or 'starting'}: {len(found)} interactions{p95}")
    console.print(f"the job at the end: {job.stage}, {job.done:,} of {job.total:,}")
    verdict = "met" if ratio <= GOAL else "missed"
    console.print(f"p95 busy / idle: {ratio:.2f}; the goal of {GOAL} is {verdict}")


if __name__ == "__main__":
    typer.run(main)
