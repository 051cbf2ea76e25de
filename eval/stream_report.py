"""The figures of `strata eval stream` as tables and as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from statistics import mean
from typing import Any

from rich.console import Group as Rows
from rich.table import Table

from eval.report import figures_table
from eval.stream import Iteration, Outcome

Runs = Mapping[str, Sequence[Iteration]]
"""The iterations of each variant, by its name."""

_COLUMNS = (
    *("iteration", "questions", "mean s", "median s", "reused", "right", "refused"),
    *("BERTScore", "wrong reuse", "other release", "high", "low", "growth"),
)


def stream_tables(runs: Runs) -> Rows:
    """A table for each variant, a row an iteration; with several variants one to compare them."""
    tables = [_of_variant(name, iterations) for name, iterations in runs.items()]
    return Rows(*tables, _compared(runs)) if len(runs) > 1 else Rows(*tables)


def _of_variant(name: str, iterations: Sequence[Iteration]) -> Table:
    made = figures_table(name, *_COLUMNS)
    for number, iteration in enumerate(iterations, 1):
        made.add_row(str(number), *_row(iteration))
    return made


def _row(iteration: Iteration) -> list[str]:
    outcomes = iteration.outcomes
    return [
        str(len(outcomes)),
        f"{iteration.seconds:.2f}",
        f"{iteration.median:.2f}",
        *(_count(outcomes, hit) for hit in (_reused, _right, _refused)),
        f"{iteration.bert_score:.3f}",
        *(str(sum(map(hit, outcomes))) for hit in (_wrong_reuse, _wrong_release)),
        str(iteration.high),
        str(iteration.low),
        "" if iteration.growth is None else f"{iteration.growth:.1%}",
    ]


_reused, _right, _refused = (attrgetter(n) for n in ("reused", "correct", "refused"))
_wrong_reuse, _wrong_release = (attrgetter(n) for n in ("wrong_reuse", "wrong_release"))


def _count(outcomes: Sequence[Outcome], hit: Callable[[Outcome], bool]) -> str:
    return f"{sum(map(hit, outcomes))}/{len(outcomes)}"


def _compared(runs: Runs) -> Table:
    made = figures_table(
        "Compared",
        *(
            "variant",
            "s, first",
            "s, last",
            "ratio",
            "reused, last",
            "right, all",
            "BERTScore",
            "wrong reuse",
        ),
        *("error repeated", "other release", "pairs", "growth, last"),
    )
    for name, iterations in runs.items():
        first, last = iterations[0], iterations[-1]
        outcomes = [o for iteration in iterations for o in iteration.outcomes]
        made.add_row(
            name,
            f"{first.seconds:.2f}",
            f"{last.seconds:.2f}",
            f"{last.seconds / first.seconds:.2f}" if first.seconds else "",
            _count(last.outcomes, _reused),
            _count(outcomes, _right),
            f"{mean(o.bert_score for o in outcomes):.3f}",
            str(sum(o.wrong_reuse for o in outcomes)),
            str(sum(o.repeats_error for o in outcomes)),
            str(sum(o.wrong_release for o in outcomes)),
            str(last.high + last.low),
            "" if last.growth is None else f"{last.growth:.1%}",
        )
    return made


def to_json(runs: Runs) -> dict[str, Any]:
    """All figures, and every question with what became of it."""
    return {
        name: [
            {
                "questions": len(iteration.outcomes),
                "mean_seconds": iteration.seconds,
                "median_seconds": iteration.median,
                "reused": iteration.share(lambda o: o.reused),
                "right": iteration.share(lambda o: o.correct),
                "bert_score": iteration.bert_score,
                "wrong_reuses": sum(o.wrong_reuse for o in iteration.outcomes),
                "other_release": sum(o.wrong_release for o in iteration.outcomes),
                "high": iteration.high,
                "low": iteration.low,
                "growth": iteration.growth,
                "outcomes": [_outcome(o) for o in iteration.outcomes],
            }
            for iteration in iterations
        ]
        for name, iterations in runs.items()
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {name: getattr(outcome, name) for name in outcome.__slots__}
