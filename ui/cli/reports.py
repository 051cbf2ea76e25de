"""`strata eval report`: what a run came to, for the terminal, a browser and programs."""

from pathlib import Path
from typing import Annotated

from rich.markdown import Markdown
from typer import Argument

from ui.cli.terminal import AsJson, output, print_json, say


def report(
    run: Annotated[Path, Argument(help="The folder of a run.")],
    as_json: AsJson = False,
) -> None:
    """Show what a run came to, and write it into its folder: report.html and report.md."""
    from eval.reports.writing import PAGE, TEXT, write_reports

    summary = write_reports(run)
    if as_json:
        print_json(summary)
        return
    text = (run / TEXT).read_text("utf-8")
    if output.is_terminal:
        output.print(Markdown(text, hyperlinks=False), soft_wrap=False)
        say(f"The page for a browser, with all evidence: {run / PAGE}")
    else:
        output.print(text, markup=False)
