"""`strata models`: fetch the model files and see which are there."""

from __future__ import annotations

from typing import Annotated

import typer

from ui.terminal import errors, output, print_json, printable

app = typer.Typer(help="The model files: fetch, verify, list.", no_args_is_help=True)


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
