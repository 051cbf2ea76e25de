"""`strata tune`: tune a model on accepted answers (GraphContextGen 4.4)."""

from pathlib import Path
from typing import Annotated

import typer

from chatbot.accounts.people import LOCAL
from chatbot.administration.overview import Scope
from chatbot.tuning.instructions import Split
from ui.cli.terminal import AsJson, open_chatbot, print_result, progress_bars
from ui.wording.amounts import how_many

app = typer.Typer(
    name="tune", help="Tune a model on the answers that people accepted.", no_args_is_help=True
)


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="The .jsonl file to write.")],
    product: Annotated[str, typer.Option(help="Only this product.")] = "",
    release: Annotated[str, typer.Option(help="Only this release of the product.")] = "",
    measured: Annotated[
        bool, typer.Option("--measured", help="Also answers that nobody rated.")
    ] = False,
    validation: Annotated[
        float, typer.Option(min=0, max=0.4, help="Share by which training is stopped in time.")
    ] = 0.1,
    held_back: Annotated[
        float, typer.Option(min=0, max=0.4, help="Share kept for `strata tune eval`.")
    ] = 0.1,
    as_json: AsJson = False,
) -> None:
    """Write an instruction set of accepted and curated answers, each with its evidence.

    A line has the messages that a model gets, the right reply, and where it comes from. Only what
    the found passages of its own release bear is taken. Exit code 1 means that nothing was.
    """
    from chatbot.tuning.export import ExportReport, InstructionExport

    if release and not product:
        raise typer.BadParameter("--release needs --product beside it")
    report = ExportReport()
    unfinished = file.with_name(f"{file.name}.part")
    with progress_bars() as show, unfinished.open("w", encoding="utf-8", newline="") as written:
        written.writelines(
            InstructionExport(open_chatbot(), LOCAL).lines(
                report,
                Scope(product, release),
                measured=measured,
                validation=validation,
                held_back=held_back,
                on_progress=lambda done, total: show("export", done, total),
            )
        )
    total = sum(report.written.values())
    if total:
        unfinished.replace(file)
        told = [f"Wrote {how_many(total, 'instruction')} to {file}."]
    else:
        unfinished.unlink()
        told = ["No answer could be taken; nothing was written."]
    told += [f"  {split}: {report.written[split]:,}" for split in Split if total]
    if total:
        told.append(f"  {report.abstentions:,} of them say that it is not known")
    if report.left_out:
        told.append(f"{how_many(sum(report.left_out.values()), 'answer')} left out:")
        told += (f"  {n:,} {reason}" for reason, n in report.left_out.most_common())
    print_result(as_json, report, *told)
    if not total:
        raise typer.Exit(1)
