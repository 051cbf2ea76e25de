"""What the memory costs: `python -m eval.benchmarks.memory --help`.

First its size: many thousand turns one after the other, a third of which ask again. Then its
time: questions that were answered before, and others, asked of a chatbot without a language model
whose memory is full. All questions are made up, their embeddings real.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from eval.benchmarks.memory_growth import Moment, grow
from eval.benchmarks.memory_latency import Timing, fill, measure

REUSE_GOAL, LOOKUP_GOAL = 150.0, 30.0
"""Milliseconds that 95 of 100 reuses, and lookups that find nothing to reuse, take at most."""


def main(
    pairs: Annotated[int, typer.Option(help="Good pairs of the release; 0: no times.")] = 20_000,
    asked: Annotated[int, typer.Option(help="How many questions of each kind are asked.")] = 300,
    turns: Annotated[int, typer.Option(help="Turns that the memory grows by; 0: none.")] = 100_000,
    limit: Annotated[int, typer.Option(help="Pairs that a store holds while it grows.")] = 20_000,
    moments: Annotated[int, typer.Option(help="How often its size is told.")] = 20,
    folder: Annotated[
        Path | None, typer.Option(help="Keeps the full memory here, and takes the one there.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure the memory; exit code 1 if it is too slow."""
    told: dict[str, object] = {}
    times: list[Timing] = []
    console = Console(stderr=as_json)
    if turns:
        console.print(_row(*Moment.__dataclass_fields__), soft_wrap=True)
        with tempfile.TemporaryDirectory() as temporary:
            found = grow(
                Path(temporary),
                turns,
                moments,
                lambda moment: console.print(_told(moment), soft_wrap=True),
                limit,
            )
        told["growth"] = [asdict(moment) for moment in found]
    if pairs:
        with tempfile.TemporaryDirectory() as temporary:
            where = folder or Path(temporary)
            with Progress(console=console, transient=True) as bar:
                task = bar.add_task("filling the memory", total=pairs)
                fill(where, pairs, lambda done: bar.update(task, completed=done))
                task = bar.add_task("asking", total=2 * asked)
                times = measure(where, pairs, asked, lambda: bar.advance(task))
        console.print(_times(times))
        told["times"] = [asdict(timing) for timing in times]
    if as_json:
        print(json.dumps(told))  # noqa: T201
    goals = {"reuse": REUSE_GOAL, "lookup without reuse": LOOKUP_GOAL}
    if any(timing.p95 > goals.get(timing.name, timing.p95) for timing in times):
        raise typer.Exit(1)


def _times(times: list[Timing]) -> Table:
    table = Table("milliseconds", "n", "median", "p95", "most", box=None)
    for timing in times:
        values = (f"{v:,.1f}" for v in (timing.median, timing.p95, timing.most))
        table.add_row(timing.name, str(timing.n), *values)
    return table


def _told(moment: Moment) -> str:
    return _row(
        *(
            f"{value:.0%}" if name == "reused" else f"{value:,.0f}"
            for name, value in asdict(moment).items()
        )
    )


def _row(*cells: str) -> str:
    return "".join(f"{cell:>10}" for cell in cells)


if __name__ == "__main__":
    typer.run(main)
