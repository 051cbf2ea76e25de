"""`strata eval benchmark`: the open benchmark's documentation is fetched, and any system asked."""

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option, Typer

from chatbot.settings import key_from
from ui.cli.ingest import ingest as ingest_release
from ui.cli.limits import AtLeast, AtMost, fail_if_missed
from ui.cli.terminal import SOME_LEFT_OUT, AsJson, errors, print_result, printable, progress_bars

app = Typer(
    name="benchmark",
    help="Fetch the documentation of the open benchmark, and put its questions to any system.",
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
def ask(
    replies: Annotated[Path, Argument(help="Where the replies are kept (JSONL).")],
    system: Annotated[
        str,
        Option(
            help="Its address: http://HOST/v1#MODEL ({product} in the model stands for the "
            "product: strata/{product}), or mcp+http://HOST/mcp#TOOL."
        ),
    ] = "",
    key: Annotated[str, Option(help="The environment variable that holds its key.")] = "",
    product: Products = None,
    at_once: Annotated[int, Option(min=1, help="Questions asked together.")] = 1,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
) -> None:
    """Put the questions to a system as a user types them, and score what it replies by rule.

    Replies that are there already are kept; what failed is asked again. Without an address, only
    those are scored. A tool of MCP has no conversation, so follow-ups are left out. Exit code 3 if
    a limit is missed.
    """
    from eval.benchmark import load
    from eval.benchmark.asking import LABELS, ask_system, score_system, score_tables
    from eval.foreign import open_address, read_address, takes
    from eval.runs.gates import missed, read_gates

    gates = read_gates(at_least or (), at_most or (), LABELS)
    benchmark = load(*(product or ()))
    questions = [question for question in benchmark.questions if takes(system, question)]
    if system:
        answer = open_address(read_address(system), key_from(key) if key else None)
        with progress_bars() as show:
            ask_system(
                answer,
                questions,
                replies,
                lambda p: show("asking", p.done, p.total, f"{p.failed} failed"),
                at_once,
            )
    scores = score_system(questions, replies)
    left_out = len(benchmark.questions) - len(questions)
    result = {
        "version": benchmark.version,
        "left_out": left_out,
        "figures": scores.figures,
        "scores": scores.summary.scores,
    }
    print_result(as_json, result, score_tables(scores))
    if left_out:
        errors.print(f"{left_out} follow-ups were not asked: a tool has no conversation")
    ratios = {name: found.ratio for name, found in scores.figures.items()}
    fail_if_missed(list(missed(gates, {"benchmark": ratios})))
