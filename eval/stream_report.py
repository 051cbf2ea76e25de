"""The figures of `strata eval stream` as tables and as JSON."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from statistics import mean, median
from typing import Any, NamedTuple

from rich.console import Group as Rows
from rich.table import Table

from eval.figures import Share, figures_table, share
from eval.stream import Iteration

Runs = Mapping[str, Sequence[Iteration]]
"""The iterations of each variant, by its name."""


class _Figure(NamedTuple):
    """A figure of an iteration: its column, its name in JSON if it is there, and its format."""

    column: str
    name: str
    of: Callable[[Iteration], float | Share | None]
    shown: str = ""


_FIGURES = (
    _Figure("questions", "questions", lambda i: len(i.outcomes)),
    _Figure("mean s", "mean_seconds", lambda i: mean(o.seconds for o in i.outcomes), ".2f"),
    _Figure("median s", "median_seconds", lambda i: median(o.seconds for o in i.outcomes), ".2f"),
    _Figure("reused", "reused", lambda i: share(o.reused for o in i.outcomes)),
    _Figure("right", "right", lambda i: share(o.correct for o in i.outcomes)),
    _Figure("refused", "", lambda i: share(o.refused for o in i.outcomes)),
    _Figure("BERTScore", "bert_score", lambda i: mean(o.bert_score for o in i.outcomes), ".3f"),
    _Figure("wrong reuse", "wrong_reuses", lambda i: sum(o.wrong_reuse for o in i.outcomes)),
    _Figure("error repeated", "", lambda i: sum(o.repeats_error for o in i.outcomes)),
    _Figure("other release", "other_release", lambda i: sum(o.wrong_release for o in i.outcomes)),
    _Figure("high", "high", lambda i: i.high),
    _Figure("low", "low", lambda i: i.low),
    _Figure("growth", "growth", lambda i: i.growth, ".1%"),
)


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
    table = figures_table(title, first, *(figure.column for figure in _FIGURES))
    for name, iteration in rows.items():
        found = ((figure.of(iteration), figure.shown) for figure in _FIGURES)
        table.add_row(name, *("" if value is None else format(value, f) for value, f in found))
    return table


def _whole(iterations: Sequence[Iteration]) -> Iteration:
    """All iterations as one, with what is kept and how it grew at the end."""
    outcomes = tuple(outcome for iteration in iterations for outcome in iteration.outcomes)
    return replace(iterations[-1], outcomes=outcomes)


def to_json(runs: Runs) -> dict[str, Any]:
    """All figures, shares as their ratio, and every question with what became of it."""
    return {name: [_as_json(iteration) for iteration in found] for name, found in runs.items()}


def _as_json(iteration: Iteration) -> dict[str, Any]:
    found = {figure.name: figure.of(iteration) for figure in _FIGURES if figure.name}
    ratios = {name: v.ratio if isinstance(v, Share) else v for name, v in found.items()}
    return {**ratios, "outcomes": [asdict(outcome) for outcome in iteration.outcomes]}
