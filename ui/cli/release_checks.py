"""`strata releases check`, `publish` and `discard`: a release is looked at before it serves."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

from rich.table import Table
from typer import BadParameter, Exit, Option

from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.release_check.reports import CheckReport, Finding, waiting_generations
from chatbot.release_check.verdicts import Verdict
from chatbot.settings import read_settings
from chatbot.turn import Citation
from ui.cli.releases import Product, Release
from ui.cli.releases import app as app
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    open_chatbot,
    open_database,
    print_result,
    printable,
    progress_bars,
    say,
)
from ui.wording.checks import VERDICTS, counts_in_words, values_in_words

TOO_MANY = 4
"""Exit code of a check that found more than `--fail-on` allows."""
_QUOTE = 200
_LIMITED = (Verdict.CHANGED, Verdict.GONE, Verdict.FAILED)


@app.command()
def check(
    product: Product,
    release: Release,
    against: Annotated[
        str, Option(help="The release whose answers are held against it (default: the one before).")
    ] = "",
    fail_on: Annotated[
        list[str] | None,
        Option(
            help="Exit with code 4 if more answers than this are changed, gone or failed: "
            "changed=5; repeatable."
        ),
    ] = None,
    afresh: Annotated[bool, Option("--afresh", help="Look at every answer again.")] = False,
    as_json: AsJson = False,
) -> None:
    """Hold accepted answers against a release, or against its version that waits.

    Where the cited words stand as they were, the answer holds and no model is called; the others
    are asked again. After Ctrl-C the same command continues. Exit code 3: some answers could not
    be asked.
    """
    from chatbot.release_check.checking import Check

    limits = _limits(fail_on or ())
    with progress_bars() as show:
        report = Check(open_chatbot(), lambda p: show(p.stage, p.done, p.total)).run(
            product, release, against=against, afresh=afresh
        )
    print_result(as_json, report, *_shown(report))
    if any(report.count(verdict) > most for verdict, most in limits.items()):
        raise Exit(TOO_MANY)
    if report.count(Verdict.FAILED):
        raise Exit(SOME_LEFT_OUT)


def _limits(given: Sequence[str]) -> Mapping[Verdict, int]:
    limits = {}
    for one in given:
        name, _, most = one.partition("=")
        if name not in _LIMITED or not most.isascii() or not most.isdecimal():
            names = ", ".join(f"{verdict}=N" for verdict in _LIMITED)
            raise BadParameter(f"--fail-on {one}: give one of {names}")
        limits[Verdict(name)] = int(most)
    return limits


def _shown(report: CheckReport) -> Iterator[str | Table]:
    what = "its version before" if report.is_own else report.against
    state = "waits to be published" if report.waits else "is published"
    yield f"{report.product} {report.release} {state}; answers accepted for {what}:"
    yield counts_in_words(report)
    table = Table("", "Question", "Was", "Is now", box=None)
    for finding in report.findings:
        if finding.verdict in _LIMITED:
            sides = _side(finding.old_citations), _side(finding.new_citations) or finding.problem
            cells = VERDICTS[finding.verdict], _question(finding), *sides
            table.add_row(*map(printable, cells))
    if table.row_count:
        yield table


def _question(finding: Finding) -> str:
    told = values_in_words(finding)
    return f"{finding.question}\n{told}" if told else finding.question


def _side(citations: Sequence[Citation]) -> str:
    return "\n".join(f"{c.file}: {' '.join(c.quote.split())[:_QUOTE]}" for c in citations)


@app.command()
def waiting(
    product: Annotated[str, Option(help="Only this product.")] = "", as_json: AsJson = False
) -> None:
    """List the releases that have a version waiting to be published."""
    found = waiting_generations(open_database(), product)
    lines = [f"{w.product} {w.release}  since {w.since:%Y-%m-%d %H:%M} UTC" for w in found]
    print_result(as_json, found, *(lines or ["Nothing waits to be published."]))


@app.command()
def publish(product: Product, release: Release) -> None:
    """Publish the version of a release that waits for it (STRATA_PUBLISHING=wait)."""
    summary = Administration(open_database(), LOCAL).publish(
        product, release, read_settings().data_dir
    )
    say(f"{product} {release} is published\n{summary}".rstrip())


@app.command()
def discard(
    product: Product,
    release: Release,
    # Scripts of a time when it asked give it.
    yes: Annotated[bool, Option("--yes", hidden=True)] = False,
) -> None:
    """Throw away the version of a release that waits to be published; what serves stays."""
    Administration(open_database(), LOCAL).discard(product, release, read_settings().data_dir)
    say(
        f"The version of {product} {release} that waited is discarded; the next run of its source, "
        "or another upload, brings it again"
    )
