"""`strata models`: fetch the model files, see which are there, and try the model in use."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Annotated

from rich.console import RenderableType
from rich.progress import DownloadColumn, TransferSpeedColumn
from rich.table import Column, Table
from typer import Argument, BadParameter, Typer

from chatbot.administration.in_use import larger_generator
from chatbot.administration.thresholds import propose_thresholds
from chatbot.errors import GeneratorError, ModelDownloadError
from chatbot.memory.suspending import open_database
from chatbot.models.download import file_state, pull
from chatbot.models.embedders import open_embedders, open_minilm
from chatbot.models.files import (
    MODELS,
    OF_SEVERAL_FILES,
    ModelFile,
    chosen_generator,
    embedder_files,
    models_in_use,
)
from chatbot.models.machine import fits, fitting_generators, this_machine
from chatbot.runtime.ingest_throttle import pauses_for_answers
from chatbot.settings import Settings, read_settings
from corpora.building.building import Builder
from corpora.documents.embedding_anew import embedded_otherwise
from ui.cli.terminal import AsJson, errors, print_result, printable, progress_bars, say

app = Typer(name="models", help="The models: fetch, verify, list, try out.", no_args_is_help=True)


@app.command("pull")
def pull_models(
    names: Annotated[
        list[str] | None,
        Argument(help="Known models, or files of the Hub; default: those in use."),
    ] = None,
) -> None:
    """Fetch and verify model files; those already there are not fetched again."""
    settings = read_settings()
    if names:
        _pull([model for name in names for model in _named(name)], settings)
    else:
        if settings.generator == "auto":
            _pull_largest(settings)
        _pull(_in_use(settings), settings)
    say(f"models are ready in {settings.models_dir}")


def _in_use(settings: Settings) -> tuple[ModelFile, ...]:
    return models_in_use(settings.generator_in_use, settings.embedder, settings.reranker)


def _pull(wanted: Sequence[ModelFile], settings: Settings) -> None:
    with progress_bars(DownloadColumn(), TransferSpeedColumn()) as show:
        pull(
            wanted,
            settings.models_dir,
            mirror=settings.models_mirror,
            on_progress=lambda model, done, total: show(model.name, done, total),
            on_message=lambda message: errors.print(printable(message), style="dim"),
        )


def _pull_largest(settings: Settings) -> None:
    """Fetch the largest generator that this machine bears; it is no failure if that fails."""
    best = fitting_generators(this_machine())[0]
    say(f"This machine ({this_machine()}) can run {best.key}.")
    try:
        _pull([best], settings)
    except ModelDownloadError as error:
        errors.print(printable(str(error)), style="dim")
        say(f"{best.key} is not here, so {settings.generator_in_use} is used.")


def _named(name: str) -> tuple[ModelFile, ...]:
    if name in MODELS:
        return OF_SEVERAL_FILES.get(name, (MODELS[name],))
    if files := embedder_files(name):
        return files
    with suppress(ValueError):
        if isinstance(chosen := chosen_generator(name), ModelFile):
            return (chosen,)
    raise BadParameter(
        f"no model {name}; there are {', '.join(MODELS)}, and of the Hugging Face Hub every GGUF "
        "file as owner/repository/file.gguf and every embedder as owner/repository"
    )


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """Show the known models, which machine each suits, and which are there."""
    settings = read_settings()
    in_use = _in_use(settings)
    folder = settings.models_dir
    states = {m: file_state(m, folder) for m in (*MODELS.values(), *in_use)}
    listed = [
        {
            "name": model.key,
            "role": model.role,
            "memory_gb": model.memory_gb,
            "cores": model.cores,
            "bearable": fits(this_machine(), model),
            "bytes": model.size or None,
            "licence": model.licence,
            "hash_pinned": bool(model.sha256),
            "in_use": model in in_use,
            "file": str(model.path_in(folder)),
            "state": str(state),
        }
        for model, state in states.items()
    ]
    name = Column("model", no_wrap=True)
    table = Table(name, "for", "suits", "size", "licence", "state", box=None)
    for model, state in states.items():
        about = "" if model.sha256 else "about "
        too_much = "" if fits(this_machine(), model) else ", more than this machine has"
        table.add_row(
            model.key,
            model.role,
            f"{model.memory_gb} GB, {model.cores} cores{too_much}" if model.cores else "",
            f"{about}{model.size / 1e6:,.0f} MB" if model.size else "",
            model.licence,
            f"{state}, in use" if model in in_use else str(state),
        )
    notes = [
        f"This machine: {this_machine()}. A GPU with that much memory replaces the cores.",
        "Models without an exact size come from the Hugging Face Hub only, with the SHA-256 that "
        "the Hub publishes.",
    ]
    print_result(as_json, listed, table, *notes, *filter(None, [larger_generator(settings)]))


@app.command("embed")
def embed_releases(as_json: AsJson = False) -> None:
    """Embed anew every release that was embedded by another embedder than that of the settings.

    Each stays as it is until its new version is done. A running server does this by itself after
    the setting has changed. After Ctrl-C the same command continues where it stopped.
    """
    settings = read_settings()
    database = open_database(settings)
    embedder = open_embedders(settings, database)
    done: list[dict[str, object]] = []
    for serving in embedded_otherwise(database, embedder.name):
        with progress_bars() as show:
            builder = Builder(
                database,
                settings.data_dir,
                embedder,
                settings=settings.chunking,
                on_progress=lambda p: show(p.stage, p.done, p.total, p.item),
                pause=pauses_for_answers(settings.data_dir),
            )
            report = builder.embed_anew(serving.product, serving.release)
        done.append(
            {"product": serving.product, "release": serving.release, "texts": report.embedded}
        )
    lines = [f"{d['product']} {d['release']}: {d['texts']:,} texts embedded" for d in done]
    print_result(as_json, done, *(lines or [f"Every release is embedded by {settings.embedder}."]))


@app.command("thresholds")
def show_thresholds(as_json: AsJson = False) -> None:
    """Propose thresholds of the memory and the question graph for an embedder other than MiniLM.

    They let through as many pairs of the remembered questions as the defaults do with MiniLM.
    """
    settings = read_settings()
    database = open_database(settings)
    embedder = open_embedders(settings, database)
    asked, thresholds = propose_thresholds(database, open_minilm(settings), embedder)
    print_result(
        as_json,
        {"questions": asked, "thresholds": thresholds},
        f"from {asked:,} remembered questions:",
        *(
            f"STRATA_{t.setting.upper()}={t.proposed}  ({t.share:.2%} of their pairs are above; "
            f"with MiniLM {t.of_minilm})"
            for t in thresholds
        ),
    )


@app.command("check")
def check_model(as_json: AsJson = False) -> None:
    """Try the language model of the settings: whether it answers, how fast, and what it can do.

    Its fallback is tried, too.

    Takes about half a minute with the default model on two cores.
    """
    from chatbot.assembly import open_model
    from chatbot.models.checking import check_model

    model = open_model(read_settings())
    if model is None:
        raise GeneratorError(
            "there is no language model to check: run `strata models pull`, and set "
            "STRATA_GENERATOR to a model if it is none"
        )
    with errors.status("") as status:
        checked = asyncio.run(check_model(model, lambda step: status.update(f"{step} …")))
    shown: list[RenderableType] = []
    for title, check in (("", checked), ("The fallback", checked.fallback)):
        if check is None:
            continue
        for warning in check.warnings:
            errors.print(f"[bold yellow]warning:[/] {printable(warning)}")
        table = Table(box=None, show_header=False)
        for name, value in asdict(replace(check, fallback=None)).items():
            text = f"{value:,.2f}" if isinstance(value, float) else str(value)
            if name != "fallback":
                table.add_row(name.replace("_", " "), printable(text))
        shown += [title, table] if title else [table]
    print_result(as_json, checked, *shown)
