"""The `strata` command: what it can do, and how failures are told."""

from __future__ import annotations

import sys

import typer

from ui.commands import (
    ask,
    evaluate,
    glossary,
    history,
    ingest,
    memory,
    models,
    people,
    releases,
    serve,
    worker,
)
from ui.terminal import errors, printable

app = typer.Typer(
    name="strata",
    help="Ask the documentation of a product's releases; each answer comes from one release.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("ask")(ask.ask)
app.command("ingest")(ingest.ingest)
app.command("serve")(serve.serve)
app.command("worker")(worker.worker)
app.add_typer(releases.app, name="releases")
app.add_typer(glossary.app, name="glossary")
app.add_typer(history.app, name="history")
app.add_typer(memory.app, name="memory")
app.add_typer(people.app, name="people")
app.add_typer(models.app, name="models")
app.add_typer(evaluate.app, name="eval")


def main() -> None:
    """Run the command line; a failure is one clear message and exit code 1."""
    from chatbot.settings import prepare_process

    prepare_process()
    try:
        app()
    except KeyboardInterrupt:
        errors.print("stopped")
        sys.exit(130)
    except Exception as error:
        # Imported late: it takes a second, which a command that succeeds need not pay.
        from ui.failures import expected_failures

        if not isinstance(error, expected_failures()):
            raise
        errors.print(f"[bold red]strata:[/] {printable(str(error))}", highlight=False)
        sys.exit(1)


if __name__ == "__main__":
    main()
