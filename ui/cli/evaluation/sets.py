"""`strata eval import` and `draft`: questions of one's own."""

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option

from chatbot.accounts.people import LOCAL
from eval.gold import GoldError, gold_lines
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    open_chatbot,
    open_database,
    print_result,
    progress_bars,
    write,
)
from ui.wording.amounts import how_many
from ui.wording.questions import import_lines


def import_file(
    file: Annotated[Path, Argument(help="A .csv, .xlsx or .jsonl file.")],
    product: Annotated[str, Option(help="The product of rows that name none.")] = "",
    release: Annotated[
        str, Option(help="The release that answers rows which name none (default: the newest).")
    ] = "",
    columns: Annotated[
        list[str] | None,
        Option(help="Which column says what: question=Frage,gold_answer=Antwort; repeatable."),
    ] = None,
    out: Annotated[
        Path | None,
        Option(help="Write a file for `strata eval` (default: add to the regression set)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Import questions with answers; columns are found by their usual names.

    Exit code 3 means that some lines could not be used and were skipped, 1 that none could.
    """
    from corpora.catalog.catalog import Catalog
    from corpora.catalog.spreadsheet import read_bytes
    from eval.sets.adding import add_imported
    from eval.sets.columns import parse_columns
    from eval.sets.importing import Defaults, import_questions
    from eval.sets.rows import LARGEST, read_rows

    chosen, data = parse_columns(columns or ()), read_bytes(file, LARGEST, GoldError)
    read = import_questions(
        read_rows(data, str(file)),
        str(file),
        columns=chosen,
        defaults=Defaults(product, release),
        products=Catalog(open_database()).products(),
    )
    added = None
    if out is None:
        added = add_imported(open_chatbot(), LOCAL, read)
    else:
        write(gold_lines(read.questions), out)
    print_result(as_json, {**vars(read), "added": added}, *import_lines(read, added))
    if read.left_out:
        raise Exit(SOME_LEFT_OUT)


def draft(
    product: Annotated[str, Argument(help="The product.")],
    release: Annotated[str, Argument(help="The release that is asked about.")],
    since: Annotated[
        str | None, Option(help="Ask about what differs from this other release.")
    ] = None,
    number: Annotated[int, Option(min=1, max=200, help="How many questions at most.")] = 20,
    with_model: Annotated[
        bool | None,
        Option(
            "--model/--no-model",
            help="Have the language model word questions (default: if it is a capable one).",
        ),
    ] = None,
) -> None:
    """Propose questions with answers and pages, to accept, edit or drop on the page Evaluation."""
    from eval.sets.drafting import propose

    chatbot = open_chatbot()
    by_model = chatbot.settings.has_capable_model if with_model is None else with_model
    if by_model and chatbot.model is None:
        raise BadParameter("there is no language model", param_hint="--model")
    with progress_bars() as show:
        added = propose(
            *(chatbot, LOCAL, product, release, since, number),
            with_model=by_model,
            on_progress=lambda done, total: show("propose", done, total),
        )
    print_result(False, None, f"{how_many(added, 'question')} proposed on the page Evaluation.")
