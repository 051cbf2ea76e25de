"""The figures of `strata eval stream` as tables and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from statistics import mean
from typing import Any

from rich.console import Group as Rows
from rich.table import Table

from eval.figures import figures_table, share
from eval.stream import Iteration, Outcome

Runs = Mapping[str, Sequence[Iteration]]
"""The iterations of each variant, by its name."""

_COLUMNS: Mapping[str, Callable[[Iteration], str]] = {
    "questions": lambda i: str(len(i.outcomes)),
    "mean s": lambda i: f"{i.seconds:.2f}",
    "median s": lambda i: f"{i.median:.2f}",
    "reused": lambda i: str(share(o.reused for o in i.outcomes)),
    "right": lambda i: str(share(o.correct for o in i.outcomes)),
    "refused": lambda i: str(share(o.refused for o in i.outcomes)),
    "BERTScore": lambda i: f"{i.bert_score:.3f}",
    "wrong reuse": lambda i: str(sum(o.wrong_reuse for o in i.outcomes)),
    "error repeated": lambda i: str(sum(o.repeats_error for o in i.outcomes)),
    "other release": lambda i: str(sum(o.wrong_release for o in i.outcomes)),
    "high": lambda i: str(i.high),
    "low": lambda i: str(i.low),
    "growth": lambda i: "" if i.growth is None else f"{i.growth:.1%}",
}


def stream_tables(runs: Runs) -> Rows:
    """A table for each variant, a row an iteration; with several variants one to compare them."""
    tables = [_of_variant(name, iterations) for name, iterations in runs.items()]
    return Rows(*tables, _compared(runs)) if len(runs) > 1 else Rows(*tables)


def _of_variant(name: str, iterations: Sequence[Iteration]) -> Table:
    table = figures_table(name, "iteration", *_COLUMNS)
    for number, iteration in enumerate(iterations, 1):
        table.add_row(str(number), *(column(iteration) for column in _COLUMNS.values()))
    return table


def _compared(runs: Runs) -> Table:
    columns = ("s, first", "s, last", "ratio", "reused, last", "right", "BERTScore", "wrong reuse")
    others = ("error repeated", "other release", "pairs", "growth, last")
    table = figures_table("Compared", "variant", *columns, *others)
    for name, iterations in runs.items():
        first, last = iterations[0], iterations[-1]
        outcomes = list(_outcomes(iterations))
        table.add_row(
            name,
            f"{first.seconds:.2f}",
            f"{last.seconds:.2f}",
            f"{last.seconds / first.seconds:.2f}" if first.seconds else "",
            str(share(o.reused for o in last.outcomes)),
            str(share(o.correct for o in outcomes)),
            f"{mean(o.bert_score for o in outcomes):.3f}",
            str(sum(o.wrong_reuse for o in outcomes)),
            str(sum(o.repeats_error for o in outcomes)),
            str(sum(o.wrong_release for o in outcomes)),
            str(last.high + last.low),
            "" if last.growth is None else f"{last.growth:.1%}",
        )
    return table


def _outcomes(iterations: Iterable[Iteration]) -> Iterable[Outcome]:
    return (outcome for iteration in iterations for outcome in iteration.outcomes)


def to_json(runs: Runs) -> dict[str, Any]:
    """All figures, and every question with what became of it."""
    return {name: [_as_json(iteration) for iteration in found] for name, found in runs.items()}


def _as_json(iteration: Iteration) -> dict[str, Any]:
    outcomes = iteration.outcomes
    return {
        "questions": len(outcomes),
        "mean_seconds": iteration.seconds,
        "median_seconds": iteration.median,
        "reused": iteration.share(lambda o: o.reused),
        "right": iteration.share(lambda o: o.correct),
        "bert_score": iteration.bert_score,
        "wrong_reuses": sum(o.wrong_reuse for o in outcomes),
        "other_release": sum(o.wrong_release for o in outcomes),
        "high": iteration.high,
        "low": iteration.low,
        "growth": iteration.growth,
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }
