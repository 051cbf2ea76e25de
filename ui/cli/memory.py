"""`strata memory`: saved answers: import, export, statistics, rebuild."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.administration.faq_file import read_faq
from chatbot.administration.overview import Overview, PairFilter
from chatbot.review.exports import Format
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    ExportFormat,
    OfProduct,
    OfRelease,
    OutputFile,
    open_chatbot,
    print_result,
    progress_bars,
    release_filter,
    write,
)
from ui.wording.amounts import how_many
from ui.wording.memory import figures_in_words, import_summary, not_found

_NAMED = 20

app = Typer(
    name="memory",
    help="Saved answers: import a FAQ, export, statistics, rebuild.",
    no_args_is_help=True,
)


@app.command("import")
def import_file(
    file: Annotated[Path, Argument(help="A .csv or .jsonl file, UTF-8.")],
    product: Annotated[str, Option(help="The product of rows that name none.")] = "",
    as_json: AsJson = False,
) -> None:
    """Import the questions and answers of a file as saved answers.

    Each row has a question, an answer and the release that it is for; it may have a product, a
    score (0 to 1) and links. The pages that support an answer are looked for in its release. Rows
    that are there already stay as they are. Exit code 3 means that some lines could not be
    imported and were skipped, 1 that none could be imported.
    """
    from chatbot.administration.exchange import Exchange

    faq = read_faq(file, product)
    with progress_bars() as show:
        report = Exchange(open_chatbot(), LOCAL).bring_in(
            faq, lambda done, total: show("import", done, total)
        )
    lines = list(import_summary(report))
    if report.ignored:
        lines.append(f"Ignored columns: {', '.join(report.ignored[:_NAMED])}")
    if report.left_out:
        lines.append(f"{how_many(len(report.left_out), 'line')} skipped:")
        lines += (f"  line {left.line}: {left.reason}" for left in report.left_out)
    print_result(as_json, report, *lines)
    if report.left_out:
        taken = report.added + report.known + report.outdone
        raise Exit(SOME_LEFT_OUT if taken else 1)


@app.command()
def export(
    file: OutputFile = None,
    form: ExportFormat = Format.JSONL,
    product: OfProduct = "",
    release: OfRelease = "",
) -> None:
    """Export saved answers, the oldest first, as a file that can be imported again."""
    from chatbot.administration.exchange import Exchange

    pieces = Exchange(open_chatbot(), LOCAL).export(form, release_filter(product, release))
    # With the mark at its beginning, spreadsheets take the file for UTF-8.
    write(pieces, file, "utf-8-sig" if form is Format.CSV else "utf-8")


@app.command()
def stats(product: OfProduct = "", release: OfRelease = "", as_json: AsJson = False) -> None:
    """Show how many saved answers there are, by release, and how often they served."""
    chatbot, within = open_chatbot(), release_filter(product, release)
    overview = Overview(chatbot.database, LOCAL)
    releases = overview.releases(within)
    unread = overview.count(PairFilter(within, read_other_than=chatbot.memory.reader.embedding))
    figures = {
        "unread": unread,
        "pairs": sum(of.pairs for of in releases),
        "reused": sum(of.reused for of in releases),
        "releases": [of._asdict() for of in releases],
    }
    lines = [f"{of.product} {of.release}: {figures_in_words([of])}" for of in releases]
    lines += [not_found(unread)] if unread else []
    none = (
        "Nothing is remembered yet: ask in a conversation (the page, or `strata ask --conversation "
        "new`), or import a FAQ with `strata memory import`."
    )
    print_result(as_json, figures, *(lines or [none]))


@app.command()
def rebuild(product: OfProduct = "", release: OfRelease = "", as_json: AsJson = False) -> None:
    """Rebuild the stores with the current thresholds and embedding."""
    from chatbot.administration.curation import Curation

    with progress_bars() as show:
        rebuilt = Curation(open_chatbot(), LOCAL).rebuild(
            release_filter(product, release), lambda _, done, total: show("rebuild", done, total)
        )
    lines = []
    for of in rebuilt:
        gone = f", {of.before - of.pairs:,} outdone by others" if of.pairs < of.before else ""
        lines.append(f"{of.product} {of.release}: {of.pairs:,} saved answers{gone}")
    print_result(as_json, rebuilt, *(lines or ["Nothing is remembered yet."]))
