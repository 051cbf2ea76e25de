"""Pages, uploads and ingests beside a running answer: `python -m eval.speed.pages DATA`.

A copy of the data folder is served on a free port, with a worker, and with a model's server that
writes for a minute and keeps a core busy all the while. What a person does is timed with nothing
else to do and then while an answer is being written: to open Documents and Review, to have an
upload of two pages checked, and to have it ingested. With Chromium and Playwright (`make browser`)
pages are clicked in a browser on the same machine; without, programs alone ask for their data.
"""

import multiprocessing
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.synchronize import Event
from pathlib import Path
from statistics import median
from threading import Thread
from typing import Annotated, Any
from urllib.parse import urlencode

import httpx
import typer
from rich.console import Console
from rich.table import Table

from chatbot.models.embedded import NICE
from eval.speed.served import PATIENCE, copied, served, served_model, until
from ingestion.mupdf import pymupdf

_QUESTION = "Question {number}: what is the wait-to-restore time, and who may change it?"
_OVER = {"done", "failed", "cancelled"}
_WORDS_A_SECOND = 5
_SPAWN = multiprocessing.get_context("spawn")
Timed = dict[str, Callable[[int], float]]
"""What is done, given the number of the round, and how many seconds it takes."""


def main(
    data: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="A data folder.")],
    rounds: Annotated[int, typer.Option(min=1, help="How often each thing is done.")] = 5,
    seconds: Annotated[float, typer.Option(help="How long the model writes.")] = 60.0,
    threads: Annotated[int, typer.Option(help="How many cores it keeps busy.")] = 1,
) -> None:
    """Print the median and the longest time of each, in seconds, idle and beside an answer."""
    loads = ("idle", "beside an answer")
    found: dict[str, dict[str, list[float]]] = {}
    with (
        copied(data) as copy,
        _slow_model(seconds, threads) as (url, writing),
        served(copy, url) as (address, _),
        _browser() as page,
    ):
        timed = _by_programs(address)
        if page is not None:
            timed = _in_browser(address, page) | timed
        number = 0
        for load in loads:
            for _ in range(rounds):
                number += 1
                for name, done in timed.items():
                    if load != "idle":
                        _ask(address, writing, number)
                    found.setdefault(name, {}).setdefault(load, []).append(done(number))
    table = Table("", *(f"{load}, {of}" for load in loads for of in ("median", "longest")))
    for name, by_load in found.items():
        figures = (f(times) for times in by_load.values() for f in (median, max))
        table.add_row(name, *(f"{seconds:.2f}" for seconds in figures))
    Console().print(table)


@contextmanager
def _browser() -> Iterator[Any]:
    """A page of Chromium, or None where it or Playwright is not installed."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        yield None
        return
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        yield None
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        yield page
        browser.close()


def _by_programs(address: str) -> Timed:
    client = httpx.Client(base_url=f"{address}/api/v1", timeout=PATIENCE)
    release = _a_release(address)

    def ingest(number: int) -> float:
        files = {"files": (f"notice-{number}.pdf", _two_pages(number))}
        began = time.monotonic()
        job = client.post("/jobs", params=release, files=files).raise_for_status().json()["id"]
        until(lambda: client.get(f"/jobs/{job}").json()["state"] in _OVER)
        return time.monotonic() - began

    def listed(path: str) -> float:
        return client.get(path).raise_for_status().elapsed.total_seconds()

    return {
        "list of jobs": lambda _: listed("/jobs"),
        "list of conversations": lambda _: listed("/conversations"),
        "ingest of two pages": ingest,
    }


def _in_browser(address: str, page: Any) -> Timed:
    def opened(path: str, title: str) -> float:
        page.get_by_role("button", name="Admin").click()
        link = page.locator(f"a[href$='/{path}']")
        link.wait_for()
        began = time.monotonic()
        link.click()
        page.get_by_role("heading", name=title, exact=True).wait_for()
        page.locator("[data-test-script-state='notRunning']").wait_for()
        return time.monotonic() - began

    def checked(number: int) -> float:
        page.goto(f"{address}/documents?{urlencode(_a_release(address))}")
        page.get_by_role("button", name="Upload documents").click()
        chooser = page.locator("input[type=file]")
        chooser.wait_for(state="attached")
        file = {"name": f"check-{number}.pdf", "mimeType": "application/pdf"}
        began = time.monotonic()
        chooser.set_input_files([{**file, "buffer": _two_pages(-number)}])
        page.get_by_text("Ready to upload").wait_for()
        return time.monotonic() - began

    return {
        "check of an upload": checked,
        "open Review": lambda _: opened("history", "Review"),
        # From another page: on the one with the form, the file in it would be checked once more.
        "open Documents": lambda _: opened("documents", "Documents"),
    }


def _a_release(address: str) -> dict[str, str]:
    product = httpx.get(f"{address}/api/v1/products").json()[0]
    return {"product": product["name"], "release": product["releases"][-1]["name"]}


def _ask(address: str, writing: Event, number: int) -> None:
    """Let an answer be written for as long as it takes, if none is."""
    if writing.is_set():
        return

    def asked() -> None:
        with suppress(httpx.HTTPError):
            body = {"question": _QUESTION.format(number=number + time.time() % 1)}
            httpx.post(f"{address}/api/v1/ask", json=body, timeout=PATIENCE)

    Thread(target=asked, daemon=True).start()
    if not writing.wait(PATIENCE):
        raise TimeoutError("no answer was begun: is there documentation in the data folder?")


def _two_pages(number: int) -> bytes:
    document = pymupdf().open()
    for page in (1, 2):
        lines = "\n".join(f"Unit {number}.{page}.{n} restarts after {n} s." for n in range(1, 40))
        document.new_page().insert_text((72, 72), f"Notice {number}, page {page}\n{lines}")
    return bytes(document.tobytes())


@contextmanager
def _slow_model(seconds: float, threads: int) -> Iterator[tuple[str, Event]]:
    """A model's server as slow as a small machine, and whether it is writing now.

    It streams the same word however it is asked. While it does, as many processes compute as
    llama.cpp would have threads, at the priority that the embedded model has.
    """
    writing = _SPAWN.Event()
    burners = [_SPAWN.Process(target=_burn, args=(writing,), daemon=True) for _ in range(threads)]
    for burner in burners:
        burner.start()

    def write(asked: dict[str, Any]) -> Generator[str, None, None]:
        writing.set()
        try:
            for _ in range(int(seconds * _WORDS_A_SECOND)):
                time.sleep(1 / _WORDS_A_SECOND)
                yield "word "
        finally:
            writing.clear()

    try:
        with served_model(write) as url:
            yield url, writing
    finally:
        for burner in burners:
            burner.terminate()


def _burn(writing: Event) -> None:
    os.nice(NICE)
    while writing.wait():
        until = time.monotonic() + 0.05
        while time.monotonic() < until:
            pass


if __name__ == "__main__":
    typer.run(main)
