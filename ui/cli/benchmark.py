"""`strata eval benchmark`: the open benchmark's documentation and questions."""

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option, Typer

from ui.cli.ingest import ingest as ingest_release
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    errors,
    print_result,
    printable,
    progress_bars,
    say,
)

app = Typer(
    name="benchmark",
    help="Fetch the documentation of the open benchmark, and write its questions.",
    no_args_is_help=True,
)
Products = Annotated[
    list[str] | None, Option("--product", help="Only this product (default: all); repeatable.")
]
Fetched = Annotated[Path, Argument(help="The folder that the documentation is fetched into.")]


@app.command()
def fetch(
    folder: Fetched,
    product: Products = None,
    source: Annotated[
        Path | None,
        Option("--from", help="A folder that has the archives (default: download them)."),
    ] = None,
    index: Annotated[str, Option(help="The Python index (default: as pip is configured).")] = "",
    npm_index: Annotated[str, Option(help="The npm registry (default: npm's).")] = "",
    as_json: AsJson = False,
) -> None:
    """Download archives of packages, check them, and unpack their documentation.

    Nothing of a package is installed or run. The same command goes on where one ended. Exit code
    1: an archive could not be had.
    """
    from eval.benchmark import load
    from eval.benchmark.fetching import fetch as fetch_all
    from eval.benchmark.indexes import Indexes

    products = load(*(product or ())).products
    with progress_bars() as show:
        done = fetch_all(
            folder,
            products,
            Indexes(index, npm_index),
            source,
            lambda number, total, file: show("fetching", number, total, file),
        )
    there = f"{done.releases} releases are in {folder / 'documents'}, {done.before} were before"
    print_result(as_json, done, printable(there))
    for problem in done.failed:
        errors.print(f"[bold red]missing:[/] {printable(problem)}")
    if done.failed:
        raise Exit(1)


@app.command()
def ingest(folder: Fetched, product: Products = None) -> None:
    """Ingest what was fetched, one release after another; what is there already takes no time."""
    from eval.benchmark import load
    from eval.benchmark.documents import places

    found = list(places(folder, load(*(product or ())).products))
    if missing := [f"{name} {release}" for name, release, path in found if not path.is_dir()]:
        raise BadParameter(
            f"{len(missing)} releases are not there, such as {missing[0]}: fetch them first"
        )
    for name, release, path in found:
        try:
            ingest_release([path], product=name, release=release)
        except Exit as ended:
            if ended.exit_code != SOME_LEFT_OUT:
                raise


@app.command()
def questions(
    gold: Annotated[Path, Argument(help="The file to write (JSONL).")], product: Products = None
) -> None:
    """Write the questions into one file, which `strata eval run` puts to any system."""
    from eval.benchmark import load
    from eval.gold import gold_lines
    from eval.records import write_whole

    asked = load(*(product or ())).questions
    write_whole(gold, "".join(gold_lines(asked)).encode())
    say(f"{len(asked)} questions are in {gold}")
