"""The history over many turns: `python -m eval.benchmarks.history --help`.

Told is, in milliseconds, how long a page of the list takes under every filter, and whatever else
the pages of the history ask of the database; each is asked many times, the cache being warm.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from math import ceil
from pathlib import Path
from statistics import median
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from chatbot.accounts.people import LOCAL
from chatbot.review.filters import ANY, NOT_RATED, TurnFilter
from chatbot.review.turns import AllTurns, Position
from corpora.database.engine import Database, open_database, sqlite_url
from eval.benchmarks.made_up_history import BEGIN, YEARS, fill, word


@dataclass(frozen=True)
class Timing:
    """How long something takes, in milliseconds; `p95` is the nearest-rank percentile."""

    name: str
    median: float
    p95: float
    most: float


def filters() -> dict[str, TurnFilter]:
    """Every filter alone, those that are used together, and some that find next to nothing."""
    half = BEGIN + YEARS / 2
    return {
        "no filter": ANY,
        "product": TurnFilter(product="tessaline"),
        "product and release": TurnFilter(product="tessaline", release="17.20"),
        "a week": TurnFilter(since=half, until=half + timedelta(days=7)),
        "before a date": TurnFilter(until=half),
        "person": TurnFilter(owner="person31@example.org"),
        "thumbs down": TurnFilter(thumbs=-1),
        "abstained": TurnFilter(abstained=True, clarified=False),
        "asked back": TurnFilter(clarified=True),
        "route": TurnFilter(route="compare"),
        "slow": TurnFilter(seconds=20),
        "slower than any": TurnFilter(seconds=10_000),
        "cited document, often": TurnFilter(document="tessaline/part-1.html"),
        "cited document, seldom": TurnFilter(document="tessaline/part-397.html"),
        "rating": TurnFilter(rating="wrong release"),
        "not rated": TurnFilter(rating=NOT_RATED),
        "status open": TurnFilter(status="open"),
        "status done": TurnFilter(status="done"),
        "assignee": TurnFilter(assignee="grace@example.org"),
        "regression set": TurnFilter(in_regression_set=True),
        "asked anew": TurnFilter(superseded=True),
        "words, in most turns": TurnFilter(words=word(2)),
        "words, in a few turns": TurnFilter(words=f"{word(5200)} {word(31)}"),
        "words, in no turn": TurnFilter(words="nowhere"),
        "beginning of a word": TurnFilter(words=word(40)[:2]),
        "a queue": TurnFilter(product="tessaline", thumbs=-1, status="open", since=half),
        "words in a release": TurnFilter(words=word(60), product="beacon", release="3.1"),
    }


def main(
    turns: Annotated[int, typer.Option(help="How many turns there are.")] = 100_000,
    rounds: Annotated[int, typer.Option(help="How often everything is asked.")] = 40,
    folder: Annotated[
        Path | None, typer.Option(help="Keeps the database here, and takes the one there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fill a database with made-up turns, and measure the history over it."""
    with tempfile.TemporaryDirectory() as temporary:
        where = folder or Path(temporary)
        is_there = (where / "strata.db").is_file()
        database = open_database(sqlite_url(where))
        if not is_there:
            _fill(database, turns)
        timings = measure(database, rounds)
        size = (where / "strata.db").stat().st_size
        database.close()
    if as_json:
        told = {"turns": turns, "bytes": size, "timings": [asdict(timing) for timing in timings]}
        print(json.dumps(told))  # noqa: T201
        return
    table = Table("milliseconds", "median", "p95", "most", box=None)
    for timing in timings:
        table.add_row(timing.name, *(f"{v:,.1f}" for v in (timing.median, timing.p95, timing.most)))
    console = Console()
    console.print(f"{turns:,} turns, {size / 1e6:,.0f} MB, each asked {rounds} times")
    console.print(table)


def measure(database: Database, rounds: int) -> list[Timing]:
    """Time everything, one after the other."""
    return [_timed(name, asked, rounds) for name, asked in _asked(AllTurns(database))]


def _asked(turns: AllTurns) -> Iterator[tuple[str, Callable[[], object]]]:
    """What the pages ask, by name."""
    for name, wanted in filters().items():
        yield f"first page: {name}", partial(turns.page, LOCAL, wanted)
    first = turns.page(LOCAL)[0][-1].position
    deep = Position(BEGIN + YEARS / 20, 0)
    yield "next page", lambda: turns.page(LOCAL, older_than=first)
    yield "deep page", lambda: turns.page(LOCAL, older_than=deep)
    rare = TurnFilter(product="tessaline", thumbs=-1)
    yield "deep page: product, thumbs", lambda: turns.page(LOCAL, rare, older_than=deep)
    for name, wanted in filters().items():
        yield f"count: {name}", partial(turns.count, LOCAL, wanted)
    some = turns.page(LOCAL, older_than=deep)[0][0].id
    yield "turn opened", lambda: turns.open(LOCAL, some)
    yield "next and previous", lambda: turns.neighbours(LOCAL, some)
    yield "next and previous: a queue", lambda: turns.neighbours(LOCAL, some, rare)
    for what in ("product", "release", "owner", "assignee", "document"):
        yield f"choices of the filter: {what}", partial(turns.choices, LOCAL, what)


def _timed(name: str, asked: Callable[[], object], rounds: int) -> Timing:
    asked()
    took = []
    for _ in range(rounds):
        started = time.perf_counter()
        asked()
        took.append((time.perf_counter() - started) * 1000)
    took.sort()
    return Timing(name, median(took), took[ceil(0.95 * len(took)) - 1], took[-1])


def _fill(database: Database, turns: int) -> None:
    with Progress(console=Console(stderr=True)) as bar:
        task = bar.add_task("writing", total=turns)
        fill(database, turns, on_progress=lambda done: bar.update(task, completed=done))


if __name__ == "__main__":
    typer.run(main)
