"""Shares of what was counted, and the tables in which the terminal shows them."""

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Group as Rows
from rich.markup import escape
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    hits: int
    of: int

    @property
    def ratio(self) -> float | None:
        """Between 0 and 1, None where there was nothing to count."""
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        return f"{self.hits}/{self.of}" if self.of else "–"

    @property
    def percent(self) -> str:
        """The share with its percentage: "3/4 (75%)"."""
        return "–" if self.ratio is None else f"{self} ({self.ratio:.0%})"


NONE = Share(0, 0)
"""Nothing was counted."""


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of so many figures; None of none."""

    value: float | None
    of: int

    def __str__(self) -> str:
        return "–" if self.value is None else f"{self.value:.3f}"


def mean(figures: Iterable[float | None]) -> Mean:
    """The mean of the figures; None is left out."""
    counted = [figure for figure in figures if figure is not None]
    return Mean(statistics.fmean(counted) if counted else None, len(counted))


def share(hits: Iterable[bool | Share | None]) -> Share:
    """How many of the hits are true, all shares added; None is left out."""
    counted = [
        hit if isinstance(hit, Share) else Share(int(hit), 1) for hit in hits if hit is not None
    ]
    return Share(sum(s.hits for s in counted), sum(s.of for s in counted))


def in_seconds(seconds: float | None) -> str:
    """Seconds with a decimal."""
    return "–" if seconds is None else f"{seconds:.1f}"


def figures_table(title: str, first: str, *others: str) -> Table:
    """An empty table in the style of all reports; the first column is text, the others figures.

    Where it is too narrow the text goes on in another line, so that no figure is cut.
    """
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.collapse_padding = True
    table.add_column(first, overflow="fold")
    for other in others:
        table.add_column(other, justify="right", no_wrap=True)
    return table


def report_tables(
    title: str, figures: Mapping[str, Share], columns: Sequence[str], wrong: Iterable[Sequence[str]]
) -> Rows:
    """The figures by what they count, and a row of these columns for each case that went wrong.

    What stands in the rows may be of any origin.
    """
    table = figures_table(title, "measure", "share")
    for label, found in figures.items():
        table.add_row(label, found.percent)
    cases = Table(*columns, title="Wrong", title_justify="left", box=box.SIMPLE_HEAD)
    for row in wrong:
        cases.add_row(*map(escape, row))
    return Rows(table, cases)
