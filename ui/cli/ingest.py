"""`strata ingest`: documents of a release become its corpus."""

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

from pydantic_core import to_jsonable_python
from typer import Argument, Exit, Option

from chatbot.memory.suspending import open_database
from chatbot.runtime.ingest_throttle import pauses_for_answers
from chatbot.settings import read_settings
from corpora.building.building import Builder
from corpora.building.report import IngestReport, Outcome
from corpora.catalog.languages import ENGLISH, LANGUAGES
from ingestion.listing import passed_over
from ui.cli.terminal import SOME_LEFT_OUT, AsJson, print_result, progress_bars
from ui.wording.amounts import how_many


def ingest(
    paths: Annotated[list[Path], Argument(help="Files, folders and zips.")],
    product: Annotated[str, Option(help="The product they document.")],
    release: Annotated[str, Option(help="The release they document.")],
    workers: Annotated[
        int | None, Option(min=1, help="Processes that read files (default: one per core).")
    ] = None,
    language: Annotated[
        str | None,
        Option(
            help="The language of all documents of the release, as a code (de), kept for later "
            "ingests; auto: that of the product, else each document tells its own."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Read documents into a release; the current version stays in use until it is done.

    Ingesting a path again replaces its files and processes only what changed. After Ctrl-C the
    same command continues where it stopped. Exit code 3: some files could not be read and were
    skipped; 1: nothing could be read.
    """
    from chatbot.models.embedders import open_embedders

    settings = read_settings()
    database = open_database(settings)
    with progress_bars() as show:
        report = Builder(
            database,
            settings.data_dir,
            open_embedders(settings, database),
            settings=settings.chunking,
            on_progress=lambda p: show(p.stage, p.done, p.total, p.item),
            workers=workers,
            limits=settings.reading_limits,
            pause=pauses_for_answers(settings.data_dir),
            waits=settings.publishing_waits,
        ).ingest(
            paths,
            product=product,
            release=release,
            language="" if language == "auto" else language,
        )
    summary = {**to_jsonable_python(report), "reused": report.reused}
    print_result(as_json, summary, *report_in_words(report))
    if report.outcome is Outcome.NOTHING_READABLE:
        raise Exit(1)
    if any(not file.expected for file in report.rejected):
        raise Exit(SOME_LEFT_OUT)


def report_in_words(report: IngestReport) -> Iterator[str]:
    """The result of an ingest: counts, saved answers, skipped files, formats that nothing reads."""
    release = f"{report.product} {report.release}"
    match report.outcome:
        case Outcome.PUBLISHED | Outcome.WAITING:
            seconds = sum(report.seconds.values())
            is_waiting = report.outcome is Outcome.WAITING
            yield (
                f"{release} {'waits to be published' if is_waiting else 'is ready'}: "
                f"{how_many(report.documents, 'document')}, "
                f"{how_many(report.pages, 'page')}, {how_many(report.chunks, 'search chunk')} "
                f"({report.embedded:,} embedded, {report.reused:,} reused) in {seconds:.0f} s"
            )
        case Outcome.UNCHANGED:
            yield f"{release}: no changes"
        case Outcome.NOTHING_READABLE:
            yield f"{release}: no file could be read, so nothing changed"
    if report.languages.keys() - {ENGLISH}:
        counted = (f"{LANGUAGES[code]} ({count:,})" for code, count in report.languages.items())
        yield f"Languages of its documents: {', '.join(counted)}"
    if report.consequences:
        yield report.consequences
    if report.outcome is Outcome.WAITING:
        yield (
            f"Look at it with `strata releases check`, and let it serve with `strata releases "
            f"publish {shlex.quote(report.product)} {shlex.quote(report.release)}`"
        )
    yield from (f"removed, no longer found: {name}" for name in report.dropped)
    yield from (f"Read in part: {remark.file}: {remark.text}" for remark in report.remarks)
    for what, expected in (("that could not be read", False), ("without text", True)):
        files = [file for file in report.rejected if file.expected is expected]
        if files:
            yield f"Skipped {how_many(len(files), 'file')} {what}:"
        yield from (f"  {file.file}: {file.reason}" for file in files)
    if missed := passed_over(report.skipped):
        yield missed
    yield from report.archives
