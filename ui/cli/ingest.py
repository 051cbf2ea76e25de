"""`strata ingest`: documents of a release become its corpus."""

from pathlib import Path
from typing import Annotated

from pydantic_core import to_jsonable_python
from typer import Argument, Exit, Option

from chatbot.settings import read_settings
from corpora.building.building import Builder, IngestReport, Outcome
from corpora.building.gathering import ChunkingSettings
from corpora.database.engine import open_database
from ui.cli.terminal import SOME_LEFT_OUT, output, print_json, printable, progress_bars, say
from ui.wording.amounts import how_many


def ingest(
    paths: Annotated[list[Path], Argument(help="Files, folders and zips.")],
    product: Annotated[str, Option(help="The product they document.")],
    release: Annotated[str, Option(help="The release they document.")],
    workers: Annotated[
        int | None, Option(min=1, help="Processes that read files (default: one per core).")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read documents into a release; the current version stays in use until it is done.

    Ingesting a path again replaces its files and processes only what changed. After Ctrl-C the
    same command continues where it stopped. Exit code 3: some files could not be read and were
    skipped; 1: nothing could be read.
    """
    from chatbot.assembly import open_embedder

    settings = read_settings()
    with progress_bars() as show:
        report = Builder(
            open_database(settings.database, settings.originals_url),
            settings.data_dir,
            open_embedder(settings),
            settings=ChunkingSettings(
                per_page=settings.search_chunks_per_page, target=settings.search_chunk_size
            ),
            on_progress=lambda p: show(p.stage, p.done, p.total, p.item),
            workers=workers,
            limits=settings.reading_limits,
        ).ingest(paths, product=product, release=release)
    if as_json:
        print_json({**to_jsonable_python(report), "reused": report.reused})
    else:
        print_report(report)
    if report.outcome is Outcome.NOTHING_READABLE:
        raise Exit(1)
    if any(not file.expected for file in report.rejected):
        raise Exit(SOME_LEFT_OUT)


def print_report(report: IngestReport) -> None:
    """Print the result of an ingest: counts, saved answers, skipped files."""
    release = printable(f"{report.product} {report.release}")
    match report.outcome:
        case Outcome.PUBLISHED:
            seconds = sum(report.seconds.values())
            output.print(
                f"[bold]{release}[/] is ready: {how_many(report.documents, 'document')}, "
                f"{how_many(report.pages, 'page')}, {how_many(report.chunks, 'search chunk')} "
                f"({report.embedded:,} embedded, {report.reused:,} reused) in {seconds:.0f} s"
            )
        case Outcome.UNCHANGED:
            output.print(f"[bold]{release}[/]: no changes")
        case Outcome.NOTHING_READABLE:
            output.print(f"[bold]{release}[/]: no file could be read, so nothing changed")
    if report.remembered.told:
        say(report.remembered.told)
    for name in report.dropped:
        say(f"removed, no longer found: {name}")
    for remark in report.remarks:
        say(f"Read in part: {remark.file}: {remark.text}")
    failed = [file for file in report.rejected if not file.expected]
    empty = [file for file in report.rejected if file.expected]
    for what, files in (("that could not be read", failed), ("without text", empty)):
        if files:
            say(f"Skipped {how_many(len(files), 'file')} {what}:")
        for file in files:
            say(f"  {file.file}: {file.reason}")
