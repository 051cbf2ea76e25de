"""The `strata` command: its subcommands, and how failures are reported."""

import sys
from importlib import metadata
from typing import Annotated

import typer
from typer import Exit, Option, Typer

from chatbot.settings import PROFILES, prepare_process
from ingestion.errors import StrataError
from ui.cli import (
    ask,
    evaluate,
    glossary,
    history,
    ingest,
    memory,
    models,
    packs,
    people,
    release_checks,
    releases,
    rights,
    serve,
    sources,
    tune,
    upgrade,
    upkeep,
)
from ui.cli.terminal import errors, printable

app = Typer(
    name="strata",
    epilog="Profiles for `ask --profile` and STRATA_PROFILE: " + ", ".join(PROFILES.own),
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"strata {metadata.version('strata-docs')}")
        raise Exit


@app.callback()
def strata(
    version: Annotated[
        bool,
        Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Answers from the documentation of the right release, with citations."""


for command in (
    *(ask.ask, ask.schema, releases.changes, ingest.ingest, serve.serve, serve.worker, serve.mcp),
    *(packs.pack, packs.unpack, upgrade.upgrade_guide),
    *(upkeep.doctor, upkeep.backup, upkeep.restore, upkeep.move),
):
    app.command()(command)
releases.app.command()(upgrade.gaps)
for group in (
    *(release_checks, rights, sources, glossary, history, memory, people, models, evaluate, tune),
):
    app.add_typer(group.app)


def main() -> None:
    """Run the command line; a failure is one clear message and exit code 1."""
    prepare_process()
    try:
        app()
    except KeyboardInterrupt:
        errors.print("stopped")
        sys.exit(130)
    except StrataError as error:
        errors.print(f"[bold red]strata:[/] {printable(str(error))}")
        sys.exit(1)


if __name__ == "__main__":
    main()
