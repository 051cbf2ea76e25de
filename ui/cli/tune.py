"""`strata tune`: tune a model on accepted answers (GraphContextGen 4.4)."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option, Typer

from chatbot.accounts.people import LOCAL
from chatbot.settings import read_settings
from chatbot.tuning.instructions import Split
from chatbot.tuning.parameters import Parameters
from ui.cli.terminal import (
    SOME_LEFT_OUT,
    AsJson,
    OfProduct,
    OfRelease,
    errors,
    open_chatbot,
    print_result,
    progress_bars,
    release_filter,
)
from ui.wording.amounts import how_many

app = Typer(
    name="tune", help="Tune a model on the answers that people accepted.", no_args_is_help=True
)


TABLE_5 = Parameters()


@app.command()
def export(
    file: Annotated[Path, Argument(help="The .jsonl file to write.")],
    product: OfProduct = "",
    release: OfRelease = "",
    measured: Annotated[bool, Option("--measured", help="Also answers that nobody rated.")] = False,
    validation: Annotated[
        float, Option(min=0, max=0.4, help="Share used to decide when to stop training.")
    ] = 0.1,
    held_back: Annotated[
        float, Option(min=0, max=0.4, help="Share kept for `strata tune eval`.")
    ] = 0.1,
    as_json: AsJson = False,
) -> None:
    """Write an instruction set of accepted and curated answers, each with its evidence.

    A line has the messages that a model gets, the right reply, and where it comes from. Only what
    the found passages of its own release bear is taken. Exit code 1 means that nothing was.
    """
    from chatbot.tuning.export import ExportReport, InstructionExport

    within = release_filter(product, release)
    report = ExportReport()
    unfinished = file.with_name(f"{file.name}.part")
    with progress_bars() as show:
        lines = InstructionExport(open_chatbot(), LOCAL).lines(
            report,
            within,
            measured=measured,
            validation=validation,
            held_back=held_back,
            on_progress=lambda done, total: show("export", done, total),
        )
        with unfinished.open("w", encoding="utf-8", newline="") as written:
            written.writelines(lines)
    total = sum(report.written.values())
    if total:
        unfinished.replace(file)
        message_lines = [f"Wrote {how_many(total, 'instruction')} to {file}."]
    else:
        unfinished.unlink()
        message_lines = ["No answer could be taken; nothing was written."]
    message_lines += [f"  {split}: {report.written[split]:,}" for split in Split if total]
    if total:
        message_lines.append(f"  {report.abstentions:,} of them are “I don't know”")
    if report.left_out:
        message_lines.append(f"{how_many(sum(report.left_out.values()), 'answer')} left out:")
        message_lines += (f"  {n:,} {reason}" for reason, n in report.left_out.most_common())
    print_result(as_json, report, *message_lines)
    if not total:
        raise Exit(1)


@app.command()
def run(
    file: Annotated[Path, Argument(help="An instruction set of `strata tune export`.")],
    folder: Annotated[Path, Argument(help="Where adapter, checkpoints and curve go.")],
    model: Annotated[str, Option(help="Folder or Hub id (default: STRATA_MODEL).")] = "",
    resume: Annotated[bool, Option("--resume", help="Continue from the last checkpoint.")] = False,
    epochs: Annotated[int, Option(min=1)] = TABLE_5.epochs,
    batch: Annotated[int, Option(min=1, help="Instructions computed together.")] = TABLE_5.batch,
    accumulation: Annotated[int, Option(min=1, help="Batches per step.")] = TABLE_5.accumulation,
    learning_rate: Annotated[float, Option(min=0)] = TABLE_5.learning_rate,
    rank: Annotated[int, Option(min=1, help="r of LoRA.")] = TABLE_5.rank,
    alpha: Annotated[int, Option(min=1, help="alpha of LoRA.")] = TABLE_5.alpha,
    dropout: Annotated[float, Option(min=0, max=0.9)] = TABLE_5.dropout,
    patience: Annotated[
        int, Option(min=1, help="Epochs without a lower validation loss before stopping.")
    ] = TABLE_5.patience,
    longest: Annotated[
        int | None, Option(min=16, help="Most tokens of an instruction (default: the context).")
    ] = TABLE_5.longest,
    seed: int = TABLE_5.seed,
    as_json: AsJson = False,
) -> None:
    """Tune a model with LoRA (on 4-bit weights with a GPU); table 5 of GraphContextGen.

    Stopped (Ctrl-C), it writes a checkpoint and exits with code 130; --resume goes on from there.
    Exit code 3 means that some instructions were too long and were left out.
    """
    from chatbot.tuning.training import CURVE, Base, tune

    settings = read_settings()
    chosen = model or settings.model
    if not chosen:
        raise BadParameter("name the model by --model, or set STRATA_MODEL")
    parameters = Parameters(
        epochs=epochs,
        batch=batch,
        accumulation=accumulation,
        learning_rate=learning_rate,
        rank=rank,
        alpha=alpha,
        dropout=dropout,
        patience=patience,
        longest=longest,
        seed=seed,
    )
    base = Base(chosen, settings.quantization, settings.device, settings.offline)
    with progress_bars() as show, _stop_wanted() as wanted:
        report = tune(
            base,
            file,
            folder,
            parameters,
            resume=resume,
            on_progress=lambda step, steps, loss: show(
                "tune", step, steps, "" if loss is None else f"loss {loss:.3f}"
            ),
            stopped=lambda: bool(wanted),
        )
    lines = [f"{how_many(report.steps, 'step')} on {how_many(report.instructions, 'instruction')}."]
    if report.training:
        lines.append(
            f"Loss: {report.training[0][1]:.3f} at first, {report.training[-1][1]:.3f} now"
        )
    if report.validation:
        lines.append(f"Validation loss: {min(loss for _, loss in report.validation):.3f} at best")
    else:
        lines.append("No instruction is for validation, so nothing stops the training early.")
    if report.stopped_early:
        lines.append("Stopped early: the validation loss fell no more. The best epoch is kept.")
    if report.too_long:
        lines.append(f"{how_many(report.too_long, 'instruction')} left out as too long")
    if report.finished:
        lines.append(f"Adapter: {folder}, to be named in STRATA_ADAPTER. Curve: {folder / CURVE}")
    print_result(as_json, asdict(report), *lines)
    if not report.finished:
        errors.print("stopped; `--resume` continues from here")
        raise Exit(130)
    if report.too_long:
        raise Exit(SOME_LEFT_OUT)


@app.command("eval")
def evaluate(
    file: Annotated[Path, Argument(help="The instruction set that the model was tuned on.")],
    adapter: Annotated[
        Path | None, Option(help="Folder of `strata tune run` (default: STRATA_ADAPTER).")
    ] = None,
    model: Annotated[str, Option(help="Folder or Hub id (default: STRATA_MODEL).")] = "",
    as_json: AsJson = False,
) -> None:
    """Compare a tuned model with its base model on the held-back split: facts, own words, refusals.

    Each writes its replies to the same prompts, without the chain around it.
    """
    from chatbot import assembly
    from chatbot.models.hugging_face import HuggingFaceChatModel
    from eval import tuned

    named = read_settings(backend="transformers", model=model or None, adapter=adapter)
    if not named.adapter:
        raise BadParameter("name the adapter by --adapter, or set STRATA_ADAPTER")
    opened = assembly.open_model(named)
    instructions = tuned.held_back(file)
    assert isinstance(opened, HuggingFaceChatModel)
    with progress_bars() as show:
        scores = tuned.compare(opened, instructions, show)
    figures = {name: tuned.figures(of_model) for name, of_model in scores.items()}
    table = tuned.comparison_table(scores)
    print_result(as_json, {"figures": figures, "scores": scores}, table)


@app.command()
def convert(
    adapter: Annotated[Path, Argument(help="Folder of `strata tune run`.")],
    output: Annotated[Path, Option(help="The .gguf file to write.")],
    generator: Annotated[
        str, Option(help="The model's GGUF file (default: STRATA_GENERATOR).")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write an adapter as a GGUF file, which the embedded backend loads beside its model.

    The model has to be the one that it was tuned on: of qwen2, qwen3, llama or granite.
    """
    from chatbot.tuning import conversion

    model = read_settings(generator=generator or None).generator_file
    if model is None:
        raise BadParameter("name the model's GGUF file by --generator, or run `strata models pull`")
    report = conversion.convert(adapter, model, output)
    lines = [
        f"Wrote {output}, to be named in STRATA_ADAPTER: {how_many(report.layers, 'layer')} of "
        f"{model.name} with rank {report.rank}, {report.bytes / 1e6:,.1f} MB.",
        f"It was tuned on {report.tuned_on or 'a model that it does not name'}.",
    ]
    print_result(as_json, report, *lines)


@contextmanager
def _stop_wanted() -> Iterator[list[int]]:
    """A list that is empty until Ctrl-C is pressed; pressed again, it ends the command at once."""
    wanted: list[int] = []

    def stop(number: int, _: object) -> None:
        if wanted:
            raise KeyboardInterrupt
        wanted.append(number)
        errors.print("stopping after this step; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield wanted
    finally:
        signal.signal(signal.SIGINT, before)
