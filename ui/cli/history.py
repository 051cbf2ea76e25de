"""`strata history`: what was asked and answered, as files."""

from typing import Annotated

from typer import Exit, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.review.exports import Exports, Format
from chatbot.review.regression_set import RegressionSet
from chatbot.review.turns import TurnFilter
from ui.cli.terminal import ExportFormat, OutputFile, errors, open_database, printable, write

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
def regression_set(file: OutputFile = None) -> None:
    """Write the rated answers of the regression set as questions for `strata eval answers`."""
    exported = RegressionSet(open_database()).export(LOCAL)
    for turn, reason in exported.left_out:
        errors.print(printable(f"skipped answer {turn}: {reason}"))
    if not exported.questions:
        errors.print("The regression set is empty. Rate answers on the page Review and add them.")
        raise Exit(1)
    write([exported.as_jsonl()], file)
