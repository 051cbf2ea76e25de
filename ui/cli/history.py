"""`strata history`: what was asked and answered, as files."""

from typing import Annotated

from typer import Exit, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.review.exports import Exports, Format
from chatbot.review.turns import TurnFilter
from ui.cli.terminal import (
    ExportFormat,
    OfProduct,
    OutputFile,
    errors,
    open_database,
    printable,
    write,
)

app = Typer(name="history", help="Export questions and answers.", no_args_is_help=True)


@app.command()
def export(
    file: OutputFile = None,
    form: ExportFormat = Format.JSONL,
    product: Annotated[str | None, Option(help="Only this product.")] = None,
    release: Annotated[str | None, Option(help="Only this release.")] = None,
) -> None:
    """Write every question with its answer, thumbs and rating, the oldest first."""
    wanted = TurnFilter(product=product, release=release)
    write(Exports(open_database()).turns(LOCAL, form, wanted), file)


@app.command("regression-set")
def regression_set(
    file: OutputFile = None,
    product: OfProduct = "",
    stale: Annotated[
        bool, Option("--stale", help="Also the questions whose pages have changed since.")
    ] = False,
) -> None:
    """Write the regression set, accepted questions and rated answers, for `strata eval`."""
    from eval.sets.regression import exported, gather

    database = open_database()
    gathered = gather(database, product or None)
    for turn, reason in gathered.left_out:
        errors.print(printable(f"skipped answer {turn}: {reason}"))
    left_out = [m for m in gathered.members if m.stale and not stale]
    for member in left_out:
        errors.print(printable(f"skipped {member.came_from}: {member.stale}"))
    rows = exported(gathered.members, stale=stale)
    if not rows:
        errors.print(
            "The regression set is empty. Accept questions on the page Evaluation, or rate answers "
            "on the page Review and add them."
        )
        raise Exit(1)
    write(Exports(database).of(LOCAL, "regression set", rows, Format.JSONL), file)
