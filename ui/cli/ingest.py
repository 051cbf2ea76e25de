"""`strata ingest`: documents of a release become its corpus."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.terminal import errors, output, print_json, printable
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from corpora.building.building import IngestReport

LEFT_OUT = 3
"""Exit code of an ingest that published, but had to leave files out."""


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files, folders and zips.")],
    product: Annotated[str, typer.Option(help="The product they document.")],
    release: Annotated[str, typer.Option(help="The release they document.")],
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes that read files (default: one per core).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read documents into a release; the current version stays in use until it is done.

    Ingesting a path again replaces its files and processes only what changed. After Ctrl-C the
    same command continues where it stopped. Exit code 3: some files could not be read and were
    skipped; 1: nothing could be read.
    """
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    from chatbot.assembly import open_embedder
    from chatbot.settings import read_settings
    from corpora.building import building
    from corpora.building.gathering import ChunkingSettings
    from corpora.database.engine import open_database
    from corpora.generations.progress import Progress as IngestProgress

    settings = read_settings()
    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("[dim]{task.fields[item]}"),
    )
    with Progress(*columns, console=errors) as bar:
        tasks: dict[str, int] = {}

        def show(progress: IngestProgress) -> None:
            stage = str(progress.stage)
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=progress.total, item="")
            bar.update(
                bar.task_ids[list(tasks).index(stage)],
                completed=progress.done,
                total=progress.total,
                item=printable(progress.item[-40:]),
            )

        report = building.ingest(
            paths,
            product=product,
            release=release,
            database=open_database(settings.database),
            data_dir=settings.data_dir,
            embedder=open_embedder(settings),
            settings=ChunkingSettings(
                per_page=settings.search_chunks_per_page, target=settings.search_chunk_size
            ),
            on_progress=show,
            workers=workers,
        )
    if as_json:
        print_json({**asdict(report), "reused": report.reused})
    else:
        print_report(report)
    if report.outcome is building.Outcome.NOTHING_READABLE:
        raise typer.Exit(1)
    if any(not file.expected for file in report.rejected):
        raise typer.Exit(LEFT_OUT)


def print_report(report: IngestReport) -> None:
    """Say what an ingest came to, what it left out, and what became of remembered answers."""
    from corpora.building.building import Outcome

    release = printable(f"{report.product} {report.release}")
    match report.outcome:
        case Outcome.PUBLISHED:
            seconds = sum(report.seconds.values())
            output.print(
                f"[bold]{release}[/] is ready: {how_many(report.documents, 'document')}, "
                f"{how_many(report.pages, 'page')}, {how_many(report.chunks, 'search chunk')} "
                f"({report.embedded:,} embedded, {report.reused:,} reused) in {seconds:.0f} s",
                highlight=False,
            )
        case Outcome.UNCHANGED:
            output.print(f"[bold]{release}[/]: no changes", highlight=False)
        case Outcome.NOTHING_READABLE:
            output.print(f"[bold]{release}[/]: no file could be read, so nothing changed")
    if report.remembered.told:
        output.print(report.remembered.told, highlight=False)
    for name in report.dropped:
        output.print(printable(f"removed, no longer found: {name}"), highlight=False)
    failed = [file for file in report.rejected if not file.expected]
    empty = [file for file in report.rejected if file.expected]
    for what, files in (("that could not be read", failed), ("without text", empty)):
        if files:
            output.print(f"Skipped {how_many(len(files), 'file')} {what}:", highlight=False)
        for file in files:
            output.print(printable(f"  {file.file}: {file.reason}"), highlight=False)
