"""`strata memory`: import and export of saved answers."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.administration.faq_file import LARGEST, parse_faq
from chatbot.errors import FaqError
from corpora.catalog.spreadsheet import read_bytes
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    OfProduct,
    OfRelease,
    OutputFile,
    open_chatbot,
    print_result,
    progress_bars,
    release_filter,
    write,
)
from ui.wording.memory import import_summary

app = Typer(name="memory", help="Saved answers: import a FAQ, export.", no_args_is_help=True)


@app.command("import")
def import_file(
    file: Annotated[Path, Argument(help="A .csv file, UTF-8.")],
    product: Annotated[str, Option(help="The product of rows that name none.")] = "",
    as_json: AsJson = False,
) -> None:
    """Import the questions and answers of a file as saved answers.

    Each row has a question, an answer and the release that it is for; it may have a product and a
    score (0 to 1). The pages that support an answer are looked for in its release. Questions with
    an answer as good stay as they are. Exit code 3 means that some lines could not be imported and
    were skipped, 1 that none could be imported.
    """
    from chatbot.administration.exchange import Exchange

    faq = parse_faq(read_bytes(file, LARGEST, FaqError), str(file), product)
    with progress_bars() as show:
        report = Exchange(open_chatbot(), LOCAL).bring_in(
            faq, lambda done, total: show("import", done, total)
        )
    print_result(as_json, report, *import_summary(report))
    if report.left_out:
        raise Exit(SOME_LEFT_OUT if report.added + report.known else 1)


@app.command()
def export(file: OutputFile = None, product: OfProduct = "", release: OfRelease = "") -> None:
    """Export saved answers, the oldest first, as CSV that can be imported again."""
    from chatbot.administration.exchange import Exchange

    pieces = Exchange(open_chatbot(), LOCAL).export(release_filter(product, release))
    # With the mark at its beginning, spreadsheets take the file for UTF-8.
    write(pieces, file, "utf-8-sig")
