"""`strata doctor`: whether everything that is kept is whole, and mending what can be mended."""

from typing import Annotated

import typer
from rich.table import Table

from chatbot.administration.doctor import Health, examine
from chatbot.settings import read_settings
from ui.cli.terminal import AsJson, open_database, print_result, printable

_STYLES = {Health.FAULT: "red", Health.MENDED: "green", Health.NOTE: "dim"}


def doctor(
    mend: Annotated[
        bool, typer.Option("--mend", help="Build broken indexes again and remove leftovers.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check database, models, indexes, disk, jobs and clock; the exit code is 1 for a fault."""
    settings = read_settings()
    findings = tuple(examine(settings, open_database(), mend=mend))
    table = Table("", "", "", box=None, show_header=False)
    for found in findings:
        style = _STYLES.get(found.health)
        table.add_row(found.health, printable(found.what), printable(found.told), style=style)
    print_result(as_json, findings, table)
    if any(found.health is Health.FAULT for found in findings):
        raise typer.Exit(1)
