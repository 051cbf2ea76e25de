"""`strata source`: places outside that documentation is brought from, again and again."""

import json
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Annotated, Any

from typer import Argument, BadParameter, Exit, Option, Typer, confirm

from chatbot.accounts.people import LOCAL
from chatbot.administration.sources import ListedSource, Sources, Trial
from chatbot.memory.suspending import open_database
from chatbot.settings import Settings, read_settings
from corpora.database.engine import Database
from corpora.jobs.jobs import Claims, Job, Jobs, JobState
from corpora.sources.schedules import NEVER
from ui.cli.terminal import SOME_LEFT_OUT, AsJson, WithoutAsking, print_result, progress_bars, say
from ui.wording.amounts import how_many

app = Typer(
    name="source",
    help="Bring documentation from Git, a site or a folder, and keep it current.",
    no_args_is_help=True,
)

_WHEN = "never, hourly, daily, or five fields of cron in UTC: '30 4 * * 1'."
_LOOK_SECONDS = 0.5
_BEAT_SECONDS = 5.0

SourceId = Annotated[int, Argument(help="Its number in `strata source list`.")]
Kind = Annotated[str, Argument(help="git, site, folder, or a kind that a package adds.")]
Place = Annotated[str, Argument(help="Its address or path.")]
Given = Annotated[
    list[str] | None,
    Option("--set", "-s", help="An option of this kind: NAME=VALUE, VALUE may be JSON."),
]


@app.command()
def add(
    kind: Kind,
    place: Place,
    product: Annotated[str, Option(help="The product that it documents.")],
    path: Annotated[str, Option(help="Git: the folder of the documentation.")] = "",
    releases: Annotated[str, Option(help="Git: how a tag is made of a release: v{release}.")] = "",
    option: Given = None,
    schedule: Annotated[str, Option(help=_WHEN)] = NEVER,
    as_json: AsJson = False,
) -> None:
    """Add a source; `strata source sync` then brings what it has.

    For example: strata source add git https://example.com/beacon.git --product Beacon --path docs
    --releases 'v{release}' --set newest=5 --set link=github
    """
    options = _options(kind, place, path, releases, option)
    added = _sources().add(product, kind, options, schedule)
    print_result(as_json, added, f"Added source {added.id}.", f"Run: strata source sync {added.id}")


@app.command("try")
def try_out(
    kind: Kind,
    place: Place,
    path: Annotated[str, Option(help="Git: the folder of the documentation.")] = "",
    releases: Annotated[str, Option(help="Git: how a tag is made of a release: v{release}.")] = "",
    release: Annotated[str, Option(help="The release to look at (default: the last).")] = "",
    option: Given = None,
    as_json: AsJson = False,
) -> None:
    """Read up to ten pages of a source and show them; nothing is changed."""
    options = _options(kind, place, path, releases, option)
    trial = _sources().try_out(kind, options, release)
    print_result(as_json, trial, *_trial_in_words(trial))


@app.command("schedule")
def schedule_source(
    source: SourceId,
    schedule: Annotated[str, Argument(help=_WHEN)],
    as_json: AsJson = False,
) -> None:
    """Say when the worker runs a source by itself."""
    listed = _sources().set_schedule(source, schedule)
    when = f"{listed.next_run:%d %B %Y %H:%M} UTC" if listed.next_run else "never"
    print_result(as_json, listed, f"Next run: {when}")


@app.command("hook")
def make_hook(
    source: SourceId,
    off: Annotated[bool, Option("--off", help="End the webhook of this source.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a secret with which a webhook (GitHub, GitLab, a script) starts a run.

    The secret is shown once, and an earlier one no longer works.
    """
    if off:
        _sources().end_hook(source)
        print_result(as_json, {"source": source}, "The webhook of this source has ended.")
        return
    secret = _sources().make_hook(source)
    told = {"source": source, "path": f"/api/v1/sources/{source}/hook", "secret": secret}
    print_result(as_json, told, f"POST {told['path']}", f"secret: {secret}")


@app.command("list")
def list_sources(
    product: Annotated[str, Option(help="Only this product.")] = "", as_json: AsJson = False
) -> None:
    """List the sources with what came of their last runs."""
    listed = _sources().every(product)
    lines = [
        "  ".join(filter(None, (str(s.id), s.product, s.kind, s.place, s.outcome or "never run")))
        + f"  {s.message}".rstrip()
        for s in listed
    ]
    none = "No sources yet. Add one with `strata source add`."
    print_result(as_json, listed, *(lines or [none]))


@app.command()
def show(source: SourceId, as_json: AsJson = False) -> None:
    """Show a source: its options, its releases, and what its last run changed."""
    shown = _sources().show(source)
    print_result(as_json, shown, *_source_in_words(shown))


@app.command()
def sync(
    source: SourceId,
    wait: Annotated[bool, Option(help="Wait until it is done.")] = True,
    as_json: AsJson = False,
) -> None:
    """Bring what is new; a running worker does it, or this command where there is none.

    Exit code 3: some releases failed; 1: nothing could be read. After Ctrl-C the same command
    continues where it stopped.
    """
    settings = read_settings()
    database = open_database(settings)
    sources = Sources(database, settings, LOCAL, anywhere=True)
    job = sources.sync(source)
    if not wait:
        print_result(as_json, {"job": job}, f"Ordered as job {job}.")
        return
    ended = _done(settings, database, job)
    shown = sources.show(source)
    print_result(as_json, shown, ended.message, *_changes_in_words(shown))
    if ended.state is not JobState.DONE:
        raise Exit(SOME_LEFT_OUT if shown.outcome == "partly" else 1)


@app.command()
def remove(
    source: SourceId,
    documents: Annotated[
        bool | None, Option("--documents/--keep-documents", help="Also remove what it brought.")
    ] = None,
    yes: WithoutAsking = False,
) -> None:
    """Remove a source; what it brought stays unless you say otherwise."""
    sources = _sources()
    shown = sources.show(source)
    if not yes:
        confirm(f"Remove source {source} of {shown.product} ({shown.place})?", abort=True)
        if documents is None:
            documents = confirm("Remove the documents that it brought, too?", default=False)
    jobs = sources.remove(source, documents=bool(documents))
    say(f"Removed source {source}.")
    if jobs:
        say(f"Its documents are removed by {how_many(len(jobs), 'job')} of a worker.")


def _sources() -> Sources:
    settings = read_settings()
    return Sources(open_database(settings), settings, LOCAL, anywhere=True)


def _options(
    kind: str, place: str, path: str, releases: str, given: list[str] | None
) -> dict[str, Any]:
    if kind == "folder":
        options: dict[str, Any] = {"path": str(Path(place).expanduser().absolute())}
    else:
        options = {"url": place}
    of_git = (("path", path), ("releases", releases))
    for name, value in (*((n, v) for n, v in of_git if v), *map(_option, given or ())):
        if name in options:
            raise BadParameter(f"{name} is given twice: {options[name]!r} and {value!r}")
        options[name] = value
    return options


def _option(pair: str) -> tuple[str, Any]:
    name, found, value = pair.partition("=")
    if not found:
        raise BadParameter(f"{pair!r} is not NAME=VALUE")
    # A release such as 17.10 stays a text; what is a number or a truth value, the option knows.
    if value[:1] not in ("[", "{", '"'):
        return name, value
    try:
        return name, json.loads(value)
    except ValueError as error:
        raise BadParameter(f"{name}: {value!r} is no JSON: {error}") from error


def _done(settings: Settings, database: Database, job: int) -> Job:
    """Wait for a job, or do it here where no worker lives, and show how far it is."""
    jobs, stopping = Jobs(database), Event()
    own = None if jobs.has_worker() else _started(settings, database, job, stopping)
    beat = 0.0
    with progress_bars() as show_bar:
        try:
            while (row := jobs.get(job)).is_open:
                if row.stage:
                    show_bar(row.stage, row.done, row.total or None, row.item)
                if own and time.monotonic() - beat > _BEAT_SECONDS:
                    own[1].beat()
                    beat = time.monotonic()
                time.sleep(_LOOK_SECONDS)
        except KeyboardInterrupt:
            jobs.cancel(job)
            raise
        finally:
            stopping.set()
            if own:
                own[0].join()
                own[1].end()
    return row


def _started(
    settings: Settings, database: Database, job: int, stopping: Event
) -> tuple[Thread, Claims]:
    from chatbot.models.embedders import open_embedders
    from chatbot.runtime.ingest_throttle import pauses_for_answers
    from corpora.documents.worker import JobWork
    from corpora.generations.processes import this_process
    from corpora.sources.source import Secrets

    claims = Claims(database, this_process())
    claims.beat()
    work = JobWork(
        claims,
        database,
        settings.data_dir,
        open_embedders(settings, database),
        settings.chunking,
        stopping.is_set,
        settings.reading_limits,
        lambda: pauses_for_answers(settings.data_dir),
        secrets=Secrets(settings.source_tokens, settings.source_files, settings.source_folders),
        waits=settings.publishing_waits,
    )

    def do() -> None:
        while not stopping.is_set() and Jobs(database).get(job).is_open:
            work.do(job)
            stopping.wait(_LOOK_SECONDS)

    thread = Thread(target=do, daemon=True)
    thread.start()
    return thread, claims


def _trial_in_words(trial: Trial) -> Iterator[str]:
    yield f"{how_many(len(trial.releases), 'release')}: {', '.join(trial.releases)}"
    yield f"{how_many(len(trial.pages), 'page')} of {trial.release}, nothing was changed:"
    for page in trial.pages:
        yield f"\n{page.file}  {page.address}".rstrip()
        yield f"  {page.problem}" if page.problem else f"  {page.title}"
        yield from (f"  {line}" for line in page.text.splitlines()[:4])
    yield from trial.remarks


def _source_in_words(source: ListedSource) -> Iterator[str]:
    yield f"Source {source.id} of {source.product}: {source.kind} {source.place}"
    yield from (f"  {name}: {value}" for name, value in source.options.items())
    yield f"Last run: {source.outcome or 'never'} {source.message}".rstrip()
    yield from _changes_in_words(source)
    for release in source.releases:
        yield f"  {release['release']}  {release['revision'][:12]}  {release['error']}".rstrip()


def _changes_in_words(source: ListedSource) -> Iterator[str]:
    for one in source.report.get("releases", ()):
        if one["outcome"] in ("published", "waits"):
            yield (
                f"  {one['release']}: {one['added']:,} added, {one['changed']:,} changed, "
                f"{one['removed']:,} removed"
            )
    yield from source.report.get("remarks", ())
