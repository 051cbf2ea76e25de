"""`strata eval run` and `strata eval compare`: runs of systems on checked questions."""

from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Option, confirm

from chatbot.settings import key_from, read_settings
from ui.cli.limits import AtLeast, AtMost, fail_if_missed
from ui.cli.terminal import (
    AsJson,
    WithoutAsking,
    errors,
    output,
    print_result,
    printable,
    progress_bars,
)


def run(
    gold: Annotated[Path, Argument(help="Questions with checked answers (JSONL).")],
    system: Annotated[
        list[str] | None,
        Option(
            help="A profile, `naive`, `naive-filter`, `rag+bm25` …, or a system of others: "
            "NAME=http://HOST/v1#MODEL, NAME=mcp+http://HOST/mcp#TOOL; repeatable."
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        Option(help="The environment variable with the key of such a system: NAME=VARIABLE."),
    ] = None,
    repeats: Annotated[int, Option(min=1, help="How often each question is asked.")] = 1,
    judge: Annotated[bool, Option("--judge", help="Have the judge's model score, too.")] = False,
    metric: Annotated[
        list[str] | None, Option(help="Only this metric of the judge; repeatable.")
    ] = None,
    out: Annotated[
        Path | None, Option(help="The folder of the run (default: in the data folder).")
    ] = None,
    at_once: Annotated[
        int | None, Option(min=1, help="Questions asked together (default: as the settings say).")
    ] = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    yes: WithoutAsking = False,
    as_json: AsJson = False,
) -> None:
    """Ask systems all questions and score the answers; the same command goes on with a run.

    The first questions tell what the run will cost, before the others are asked. Exit code 3 if a
    limit is missed.
    """
    from chatbot.assembly import open_chatbot
    from eval.foreign import read_address
    from eval.gold import read_gold
    from eval.judging.metrics import JUDGE_METRICS
    from eval.judging.opening import judge_settings, open_judge
    from eval.reports.writing import PAGE, write_reports
    from eval.runs.folder import read_run
    from eval.runs.gates import missed, read_gates
    from eval.runs.manifest import Plan
    from eval.runs.means import means
    from eval.runs.running import open_run
    from eval.runs.tables import cost_table, means_table

    gates = read_gates(at_least or (), at_most or ())
    metrics = tuple(metric or JUDGE_METRICS) if judge else ()
    if metric and (not judge or not JUDGE_METRICS.keys() >= {*metric}):
        raise BadParameter(f"--metric is one of {', '.join(JUDGE_METRICS)}, with --judge")
    settings = read_settings()
    chatbot = open_chatbot(settings)
    named = [option.partition("=") for option in system or [settings.profile_in_use]]
    addresses = {name: read_address(text) for name, equals, text in named if equals}
    variables = {name: variable for name, _, variable in (o.partition("=") for o in key or ())}
    if unknown := variables.keys() - addresses.keys():
        raise BadParameter(f"no --system has the address of {', '.join(sorted(unknown))}")
    plan = Plan(
        gold,
        read_gold(gold),
        tuple(dict.fromkeys(name for name, _, _ in named)),
        addresses=addresses,
        keys={name: key_from(variable) for name, variable in variables.items()},
        repeats=repeats,
        metrics=metrics,
        judge=judge_settings(settings).model_name if metrics else "",
        at_once=at_once or settings.at_once,
    )
    running = open_run(plan, chatbot, out)
    if metrics:
        running.judge = open_judge(settings, running.files.judge_calls, at_once)
    errors.print(f"The run is in {printable(str(running.folder))}")
    with progress_bars() as show:
        running.on_progress = show
        costs = running.pilot()
    if any(cost.answers for cost in costs):
        errors.print(cost_table(costs))
        if not yes and output.is_terminal and errors.is_terminal:
            confirm("Go on?", default=True, abort=True, err=True)
    with progress_bars() as show:
        running.on_progress = show
        running.finish()
    write_reports(running.folder)
    errors.print(f"The report is {printable(str(running.folder / PAGE))}")
    done = read_run(running.folder)
    figures = means(done)
    wrong = list(
        missed(gates, {name: {m: v.value for m, v in of.items()} for name, of in figures.items()})
    )
    result = {"folder": running.folder, "run": done.manifest, "means": figures, "missed": wrong}
    print_result(as_json, result, means_table(done))
    fail_if_missed(wrong)


def compare(
    first: Annotated[Path, Argument(help="The folder of a run.")],
    second: Annotated[Path, Argument(help="The folder of the run beside it, or the same.")],
    system: Annotated[
        list[str] | None, Option(help="Only this system (default: all in both); repeatable.")
    ] = None,
    against: Annotated[
        str | None, Option(help="The system of the second run, if it is another one.")
    ] = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
) -> None:
    """Compare two runs question by question: better, worse, and how much of it may be chance.

    Differences are second less first; a limit is on them: `--at-least correct=-0.02`. Exit code 3
    if one is missed.
    """
    from eval.runs.compare import compare_runs, compare_systems, comparison_tables
    from eval.runs.folder import read_run
    from eval.runs.gates import missed, read_gates

    gates = read_gates(at_least or (), at_most or ())
    one, other = read_run(first), read_run(second)
    if against is None:
        compared = compare_runs(one, other, system or ())
    elif system and len(system) == 1:
        compared = (compare_systems(one, system[0], other, against),)
    else:
        raise BadParameter("name the one system that it is compared with: --system NAME")
    differences: dict[str, dict[str, float | None]] = {
        found.second: {m.measure: m.difference for m in found.measures} for found in compared
    }
    wrong = list(missed(gates, differences))
    tables = (comparison_tables(found, one, other) for found in compared)
    print_result(as_json, {"comparisons": compared, "missed": wrong}, *tables)
    fail_if_missed(wrong)
