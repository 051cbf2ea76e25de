"""`strata changes`: which parameters are new, changed and gone from one release to another."""

from typing import Annotated

import typer
from rich.table import Table

from ui.api.service import changes_between
from ui.cli.terminal import AsJson, open_chatbot, print_result, printable
from ui.wording.changes import told_of


def changes(
    product: Annotated[str, typer.Argument(help="The product.")],
    older: Annotated[str, typer.Argument(help="The release to start from.")],
    newer: Annotated[str, typer.Argument(help="The release to compare it with.")],
    as_json: AsJson = False,
) -> None:
    """List the parameters that are new, changed and gone between two releases."""
    told, found = changes_between(open_chatbot(), product, older, newer)
    table = Table("", "Name", "Belongs to", "What", box=None)
    for change in found:
        shown = change.shown
        row = change.outcome.value, shown.name, shown.owner, "; ".join(told_of(change))
        table.add_row(*map(printable, row))
    print_result(as_json, told.model_dump(mode="json"), table)
