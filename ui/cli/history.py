"""`strata history`: what was asked and answered, as files."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.terminal import errors, output, printable

if TYPE_CHECKING:
    from corpora.database.engine import Database

File = Annotated[Path | None, typer.Option("--output", help="Output file (default: print it).")]

app = typer.Typer(help="Export questions and answers.", no_args_is_help=True)


@app.callback()
def history() -> None:
    """Export questions and answers."""


@app.command()
def export(
    file: File = None,
    form: Annotated[str, typer.Option("--format", help="csv or jsonl")] = "jsonl",
    product: Annotated[str | None, typer.Option(help="Only this product.")] = None,
    release: Annotated[str | None, typer.Option(help="Only this release.")] = None,
) -> None:
    """Write every question with its answer, thumbs and rating, the oldest first."""
    from chatbot.accounts.people import LOCAL
    from chatbot.review.exports import Exports, Format
    from chatbot.review.filters import TurnFilter

    if form not in list(Format):
        raise typer.BadParameter(f"{form} is not one of {', '.join(Format)}")
    wanted = TurnFilter(product=product, release=release)
    _write(Exports(_database()).turns(LOCAL, Format(form), wanted), file)


@app.command("regression-set")
def regression_set(file: File = None) -> None:
    """Write the rated answers of the regression set as questions for `strata eval answers`."""
    from chatbot.accounts.people import LOCAL
    from chatbot.review.regression_set import RegressionSet

    exported = RegressionSet(_database()).export(LOCAL)
    for turn, reason in exported.left_out:
        errors.print(printable(f"skipped answer {turn}: {reason}"), highlight=False)
    if not exported.questions:
        errors.print("The regression set is empty. Rate answers on the page History and add them.")
        raise typer.Exit(1)
    _write([exported.as_jsonl()], file)


def _write(pieces: Iterable[str], file: Path | None) -> None:
    if file is None:
        sys.stdout.writelines(pieces)
        return
    with file.open("w", encoding="utf-8", newline="") as written:
        written.writelines(pieces)
    output.print(printable(f"Wrote {file}"), highlight=False)


def _database() -> Database:
    from chatbot.settings import read_settings
    from corpora.database.engine import open_database

    return open_database(read_settings().database)
