"""A run in the terminal: what it will cost, and its means."""

from collections.abc import Sequence

from rich.markup import escape
from rich.table import Table

from eval.figures import figures_table, mean
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
    """The mean of every measure, of how many questions at most, and a column a system."""
    found = means(run)
    title = f"{run.manifest.questions} questions"
    table = figures_table(title, "measure", "of", *map(escape, found))
    for name, measure in MEASURES.items():
        of_systems = [of.get(name) or mean(()) for of in found.values()]
        if most := max(of.of for of in of_systems):
            table.add_row(measure.label, str(most), *map(str, of_systems))
    return table
