"""`strata models`: fetch the model files, see which are there, and try the model in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ui.terminal import errors, output, print_json, printable

if TYPE_CHECKING:
    from chatbot.models.checking import ModelCheck

app = typer.Typer(help="The models: fetch, verify, list, try out.", no_args_is_help=True)


@app.command("pull")
def pull_models(
    names: Annotated[
        list[str] | None, typer.Argument(help="Which models; default: those in use.")
    ] = None,
) -> None:
    """Fetch and verify model files; what is there already is not fetched again."""
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskID,
        TextColumn,
        TransferSpeedColumn,
    )

    from chatbot.models.download import Progress as PullProgress
    from chatbot.models.download import pull
    from chatbot.models.files import MODELS, models_in_use
    from chatbot.settings import read_settings

    settings = read_settings()
    if unknown := [name for name in names or [] if name not in MODELS]:
        raise typer.BadParameter(f"no model {', '.join(unknown)}; there are {', '.join(MODELS)}")
    wanted = [MODELS[name] for name in names] if names else list(models_in_use(settings.generator))
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    )
    with Progress(*columns, console=errors) as bar:
        tasks: dict[str, TaskID] = {}

        def show(progress: PullProgress) -> None:
            key = progress.model.key
            if key not in tasks:
                tasks[key] = bar.add_task(progress.model.name, total=progress.total)
            bar.update(tasks[key], completed=progress.done, total=progress.total)

        pull(
            wanted,
            settings.models_dir,
            mirror=settings.models_mirror,
            on_progress=show,
            on_message=lambda message: errors.print(printable(message), style="dim"),
        )
    output.print(f"models are ready in {settings.models_dir}", highlight=False)


@app.command("list")
def list_models(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the known models and which are there."""
    from rich.table import Table

    from chatbot.models.download import list_models
    from chatbot.models.files import MODELS
    from chatbot.settings import read_settings

    listed = list_models(read_settings().models_dir, MODELS.values())
    if as_json:
        print_json(
            [
                {
                    "name": m.model.key,
                    "role": m.model.role,
                    "file": str(m.path),
                    "state": str(m.state),
                }
                for m in listed
            ]
        )
        return
    table = Table("model", "role", "size", "licence", "state", box=None)
    for m in listed:
        size = f"{m.model.size / 1e6:,.0f} MB"
        table.add_row(m.model.key, m.model.role, size, m.model.licence, str(m.state))
    output.print(table)


@app.command("check")
def check_model(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask the language model of the settings something: does it answer, how fast, what can it do.

    Takes about half a minute with the default model on two cores.
    """
    import asyncio
    from dataclasses import asdict

    from rich.table import Table

    from chatbot.assembly import open_model
    from chatbot.models.checking import check_model
    from chatbot.models.errors import GeneratorError
    from chatbot.settings import read_settings

    model = open_model(read_settings())
    if model is None:
        raise GeneratorError(
            "there is no language model to check: run `strata models pull`, and set "
            "STRATA_GENERATOR to a model if it is none"
        )
    with errors.status("") as status:
        found = asyncio.run(check_model(model, lambda step: status.update(f"{step} …")))
    for warning in found.warnings:
        errors.print(f"[bold yellow]warning:[/] {printable(warning)}", highlight=False)
    if as_json:
        print_json(asdict(found))
        return
    table = Table(box=None, show_header=False)
    for name, value in _told(found):
        table.add_row(name, printable(value))
    output.print(table)


def _told(found: ModelCheck) -> list[tuple[str, str]]:
    def rate(value: float | None) -> str:
        return "not told" if value is None else f"{value:,.1f} tokens a second"

    def offered(value: bool) -> str:
        return "yes" if value else "no"

    memory = found.memory_bytes
    return [
        ("backend", found.backend),
        ("it says", found.reply),
        ("loaded in", f"{found.load_seconds:.1f} s"),
        ("memory", "on the server" if memory is None else f"{memory / 1e9:.2f} GB"),
        ("reads a prompt at", rate(found.prompt_tokens_per_second)),
        ("first word after", f"{found.first_token_seconds:.2f} s"),
        ("writes at", rate(found.answer_tokens_per_second)),
        ("streaming", offered(found.streams)),
        ("token counts", offered(found.counts_tokens)),
        ("log-probabilities", offered(found.tells_probabilities)),
        ("structured output", offered(found.keeps_to_a_schema)),
        ("four at once", f"{found.together:.2f} times as fast as one after the other"),
    ]
