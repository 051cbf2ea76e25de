"""The figures of `strata eval stream` as tables and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from rich.console import Group as Rows
from rich.table import Table

from eval.figures import figures_table, share
from eval.stream import Iteration

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
    tables = [
        _table(name, "iteration", {str(n): i for n, i in enumerate(iterations, 1)})
        for name, iterations in runs.items()
    ]
    if len(runs) > 1:
        tables.append(_table("Compared", "variant", {n: _whole(i) for n, i in runs.items()}))
    return Rows(*tables)


def _table(title: str, first: str, rows: Mapping[str, Iteration]) -> Table:
    table = figures_table(title, first, *_COLUMNS)
    for name, iteration in rows.items():
        table.add_row(name, *(column(iteration) for column in _COLUMNS.values()))
    return table


def _whole(iterations: Sequence[Iteration]) -> Iteration:
    """All iterations as one, with what is kept and how it grew at the end."""
    outcomes = tuple(outcome for iteration in iterations for outcome in iteration.outcomes)
    return replace(iterations[-1], outcomes=outcomes)


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
