"""Hours of use, watched for what grows: `python -m tests.endurance.soak --minutes 120`.

People ask on the page of a real server with the default model, rate and delete; every few minutes
a release of the sample, changed a little, is uploaded and ingested by a worker, and an old one is
deleted. What the processes and the data folder take is written beside it.
"""

import csv
import json
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated

import psutil
import typer
from playwright.sync_api import Error, Page, expect, sync_playwright

from strata_client import Strata
from tests.browser import chat
from tests.browser.conftest import FLAGS
from tests.endurance.site import ROOT, Site

PRODUCT = "tessaline"
RELEASES = ("17.10", "17.20", "18.00")
UPLOADED = 3
"""Releases of the second product that are there at once."""
KEPT = 5
"""Conversations that a person keeps."""
VISIT = 12
"""Questions after which a person closes the window and comes back."""


@dataclass(frozen=True)
class Sample:
    """What is taken at a moment, summed over the processes of a kind and their children."""

    minute: float
    server_mb: float
    server_files: int
    server_threads: int
    worker_mb: float
    worker_files: int
    worker_threads: int
    database_mb: float
    indexes_mb: float
    questions: int
    ingests: int
    failures: int


class Soak:
    """One run: what has been done, and whether it is to end."""

    def __init__(self, site: Site, seed: int) -> None:
        self.site = site
        self.ended = threading.Event()
        self.questions = self.ingests = 0
        self.failures: list[str] = []
        self._random = random.Random(seed)
        lines = (ROOT / "examples" / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        self._asked = [json.loads(line)["question"] for line in lines]

    def person(self, address: str, pause: float) -> None:
        """Ask, rate, delete, look at other pages, until the run has ended."""
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=FLAGS
            )
            while not self.ended.is_set():
                page = browser.new_context().new_page()
                try:
                    self._visit(page, address, pause)
                except (Error, AssertionError) as error:
                    self.failures.append(f"a person: {str(error).splitlines()[0]}")
                page.context.close()
            browser.close()

    def _visit(self, page: Page, address: str, pause: float) -> None:
        page.set_default_timeout(120_000)
        page.goto(address)
        chat.choose_product(page, PRODUCT)
        for number in range(VISIT):
            if self.ended.wait(self._random.uniform(0.5, 1.5) * pause):
                return
            chat.ask(page, self._random.choice(self._asked))
            self.questions += 1
            thumb = self._random.choice(("Thumbs up", "Thumbs up", "Thumbs down", ""))
            if thumb and page.get_by_role("radio", name=thumb).count():
                page.get_by_role("radio", name=thumb).last.click()
                chat.settle(page)
            if number % 3 == 2:
                self._leave_few(page)
                page.get_by_role("button", name="New conversation").click()
                expect(page.get_by_test_id("stChatMessage")).to_have_count(0)

    def _leave_few(self, page: Page) -> None:
        """Delete the oldest conversations of this list."""
        rows = page.locator("[class*='st-key-change-'] button")
        while rows.count() > KEPT:
            before = rows.count()
            rows.last.click()
            page.get_by_role("menuitem", name="Delete").click()
            page.get_by_role("dialog").get_by_role("button", name="Delete").click()
            expect(rows).not_to_have_count(before)
            chat.settle(page)

    def admin(self, client: Strata, documents: Path, every: float) -> None:
        """Upload a changed release again and again; delete the oldest."""
        number = 0
        while not self.ended.wait(every if number else 5.0):
            number += 1
            folder = documents / str(number)
            source = documents / PRODUCT / RELEASES[number % len(RELEASES)]
            shutil.copytree(source, folder)
            for page in folder.rglob("*.html"):
                page.write_text(
                    page.read_text(encoding="utf-8").replace("<p>", f"<p>Edition {number}. "),
                    encoding="utf-8",
                )
            archive = Path(shutil.make_archive(str(folder), "zip", folder))
            job = client.wait(client.upload("soak", f"{number}.0", [archive])["id"])
            if job["state"] != "done":
                self.failures.append(f"ingest {number}: {job['message']}")
            self.ingests += 1
            if number > UPLOADED:
                delete = ("releases", "delete", "soak", f"{number - UPLOADED}.0", "--yes")
                if self.site.start("admin", *delete).wait(300):
                    self.failures.append(f"release {number - UPLOADED}.0 was not deleted")

    def look(self, began: float, data: Path) -> Sample:
        """What everything takes now."""
        server, worker = (_of_tree(self.site.processes[n].pid) for n in ("server", "worker"))
        return Sample(
            round((time.monotonic() - began) / 60, 2),
            *server,
            *worker,
            _megabytes(data.glob("strata.db*")),
            _megabytes((data / "generations").rglob("*")),
            self.questions,
            self.ingests,
            len(self.failures),
        )


def _of_tree(pid: int) -> tuple[float, int, int]:
    """Megabytes that are resident, open files and threads of a process and its children."""
    taken = 0.0
    files = threads = 0
    parent = psutil.Process(pid)
    for process in (parent, *parent.children(recursive=True)):
        try:
            with process.oneshot():
                taken += process.memory_info().rss / 1e6
                files += process.num_fds()
                threads += process.num_threads()
        except psutil.NoSuchProcess:
            continue
    return round(taken, 1), files, threads


def _megabytes(files: Iterator[Path]) -> float:
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except FileNotFoundError:
            continue
    return round(total / 1e6, 2)


def run(
    folder: Path, *, minutes: float, people: int, pause: float, every: float, seed: int = 1
) -> tuple[list[Sample], list[str]]:
    """Let people and an admin use a server for so many minutes; return samples and failures."""
    data = folder / "data"
    build = [sys.executable, str(ROOT / "examples" / "build.py"), "--output", str(folder)]
    subprocess.run(build, check=True, capture_output=True)
    with Site(folder, STRATA_DATA_DIR=str(data)) as site:
        for release in RELEASES:
            command = ("ingest", str(folder / PRODUCT / release), "--product", PRODUCT)
            if site.start("ingest", *command, "--release", release).wait(600):
                raise SystemExit(f"The sample's release {release} cannot be ingested.")
        client = site.serve("server")
        site.work("worker")
        soak = Soak(site, seed)
        address = site.addresses["server"]
        threads = [
            threading.Thread(target=soak.person, args=(address, pause)) for _ in range(people)
        ]
        threads.append(threading.Thread(target=soak.admin, args=(client, folder, every)))
        for thread in threads:
            thread.start()
        began, samples = time.monotonic(), list[Sample]()
        try:
            while (time.monotonic() - began) / 60 < minutes:
                time.sleep(min(30.0, minutes * 6))
                samples.append(soak.look(began, data))
        finally:
            soak.ended.set()
            for thread in threads:
                thread.join(300)
        return samples, soak.failures


def main(
    minutes: Annotated[float, typer.Option(help="How long.")] = 120.0,
    people: Annotated[int, typer.Option(help="Who ask, each in a browser.")] = 4,
    pause: Annotated[float, typer.Option(help="Mean seconds between questions of one.")] = 60.0,
    every: Annotated[float, typer.Option(help="Seconds between uploads.")] = 300.0,
    output: Annotated[Path, typer.Option(help="For soak.csv.")] = Path("build"),
) -> None:
    """Use a server for a long time and print what grew."""
    # Questions of several people wait for one another on a small machine.
    chat.SLOW = 900_000
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="strata-soak-") as folder:
        samples, failures = run(
            Path(folder), minutes=minutes, people=people, pause=pause, every=every
        )
    with (output / "soak.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, [f.name for f in fields(Sample)])
        table.writeheader()
        table.writerows(asdict(sample) for sample in samples)
    for name, quarter in asdict(samples[len(samples) // 4]).items():
        last = asdict(samples[-1])[name]
        typer.echo(f"{name}: {quarter:,.1f} after a quarter, {last:,.1f} at the end")
    for failure in failures:
        typer.echo(failure)


if __name__ == "__main__":
    typer.run(main)
