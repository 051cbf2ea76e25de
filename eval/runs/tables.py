"""A run in the terminal: what it will cost, and its means."""

from collections import Counter
from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from eval.figures import figures_table, mean
from eval.reports.wording import figure
from eval.runs.folder import Run
from eval.runs.means import means
from eval.runs.measures import MEASURES
from eval.runs.running import Cost


def cost_table(costs: Sequence[Cost]) -> Table:
    """What is still to come, by what the first answers have cost; seconds as if one by one."""
    columns = ("answers", "calls", "tokens in", "tokens out", "seconds")
    table = figures_table("Still to come, by the first answers", "system", *columns)
    for cost in costs:
        figures = (cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.seconds)
        table.add_row(escape(cost.system), str(cost.answers), *(f"{f:,.0f}" for f in figures))
    return table


def means_table(run: Run) -> Table:
    """The mean of every measure, of how many questions at most, and a column a system.

    What has no score though it applies is counted.
    """
    found = means(run)
    unscored = Counter((score.system, name) for score in run.scores for name in score.unscored)
    title = f"{run.manifest.questions} questions"
    table = figures_table(title, "measure", "of", *map(escape, found))
    for name, measure in MEASURES.items():
        cells = []
        for system, of in found.items():
            value, lacking = of.get(name, mean(())).value, unscored[system, name]
            # Shares and scores as limits on them are written.
            exact = measure.unit in ("share", "score")
            parts = [] if value is None else [f"{value:.3f}" if exact else figure(name, value)]
            parts += [f"{lacking:,} unscored"] if lacking else []
            cells.append(", ".join(parts) or "–")
        if set(cells) != {"–"}:
            most = max(of[name].of if name in of else 0 for of in found.values())
            table.add_row(measure.label, str(most), *cells)
    return table
