"""`strata eval`: measure the chatbot on questions with checked answers."""

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option, Typer

from chatbot.settings import read_settings
from eval.figures import report_tables, share
from eval.gold import read_gold, read_lines
from ui.cli import benchmark, judging, reports, runs
from ui.cli.evaluation import sets
from ui.cli.limits import AtLeast, AtMost, fail_if_missed
from ui.cli.terminal import AsJson, Profile, errors, open_chatbot, print_result

_NO_MODEL = "there is no language model: fetch one with `strata models pull`"


app = Typer(
    name="eval", help="Measure answers and retrieval on checked questions.", no_args_is_help=True
)
app.command()(runs.run)
app.command()(runs.compare)
app.command()(reports.report)
app.command()(judging.calibrate)
app.command()(judging.validity)
app.command("import")(sets.import_file)
app.command()(sets.draft)
app.add_typer(benchmark.app)


@app.command()
def answers(
    gold: Annotated[Path, Argument(help="Questions with checked answers (JSONL).")],
    answers: Annotated[
        Path | None,
        Option(help="Replies of a batch to score; asked and written there if missing."),
    ] = None,
    judged: Annotated[
        Path | None,
        Option(help="A reader's verdicts (JSONL): id, right, reads_well on each line."),
    ] = None,
    recording: Annotated[
        Path | None,
        Option(help="Where to keep the model's replies by prompt, to reuse them next time."),
    ] = None,
    profile: Profile = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
) -> None:
    """Score answers: right, facts, steps, sources, release, time; and the pages that were found.

    Exit code 3 if a limit is missed.
    """
    from eval import answer_summary as scoring
    from eval import retrieval
    from eval.answers import MEASURES, read_answers
    from eval.asking import ask_all, page_text
    from eval.likeness import alike_by
    from eval.recording import recorded
    from eval.runs.gates import missed, read_gates

    gates = read_gates(at_least or (), at_most or (), MEASURES)
    questions = read_gold(gold)
    verdicts = scoring.read_verdicts(judged) if judged else None
    chatbot = open_chatbot(profile=profile)
    if recording:
        chatbot = replace(chatbot, model=recorded(recording, chatbot.model))
    with tempfile.TemporaryDirectory() as folder:
        replies = answers or Path(folder) / "answers.jsonl"
        if not replies.exists():
            unfinished = replies.with_name(f"{replies.name}.part")
            with errors.status("asking") as status:
                ask_all(
                    chatbot,
                    questions,
                    unfinished,
                    lambda p: status.update(f"asked {p.done} of {p.total}, {p.failed} failed"),
                )
            unfinished.replace(replies)
        summary = scoring.score_answers(
            questions,
            read_answers(replies),
            verdicts=verdicts,
            page_text=page_text(chatbot),
            alike=alike_by(chatbot.minilm.token_vectors, chatbot.minilm.embed),
        )
    ranks = retrieval.rank_pages(chatbot, questions)
    within = retrieval.among_first(ranks)
    result = {
        "answers": summary,
        "retrieval": {"within": within, "scores": ranks} if ranks else None,
    }
    tables = [retrieval.retrieval_table(within)] if ranks else []
    print_result(as_json, result, scoring.answer_tables(summary), *tables)
    ratios = {name: found.ratio for name, found in summary.overall.shares.items()}
    fail_if_missed(list(missed(gates, {"answers": ratios})))


@app.command()
def releases(
    questions: Annotated[Path, Argument(help="Questions and their releases (JSONL).")],
    at_least: Annotated[
        list[str] | None,
        Option(help="An outcome and the least share of it: right=0.9; repeatable."),
    ] = None,
    at_most: Annotated[
        list[str] | None,
        Option(help="An outcome and the greatest share of it: silently_wrong=0; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score which release is found for questions, over what is ingested; none is answered.

    Outcomes are right, asked_back, wrong_but_said and silently_wrong. Exit code 3 if a limit is
    missed.
    """
    from eval import releases as scoring
    from eval.runs.gates import missed, read_gates

    gates = read_gates(at_least or (), at_most or (), tuple(scoring.Outcome))

    read = read_lines(questions, scoring.ReleaseQuestion)
    scores = scoring.measure_releases(read, open_chatbot().products())
    figures, columns = scoring.figures(scores), ("question", "meant", "taken", "outcome")
    tables = report_tables("Releases", figures, columns, scoring.wrong(scores))
    print_result(as_json, {"figures": figures, "scores": scores}, tables)
    shares = {str(o): share(s.outcome is o for s in scores).ratio for o in scoring.Outcome}
    fail_if_missed(list(missed(gates, {"releases": shares})))


@app.command()
def stream(
    gold: Annotated[list[Path], Argument(help="Questions with checked answers (JSONL).")],
    paraphrases: Annotated[Path, Option(help="Other wordings of them (JSONL).")],
    history: Annotated[
        list[Path] | None,
        Option(
            help="Questions whose checked answers are in the memory from the start; repeatable. "
            "Questions that arrive are left out."
        ),
    ] = None,
    variant: Annotated[
        list[str] | None,
        Option(help="A variant by name, `all`, or thresholds such as delta=0.8; repeatable."),
    ] = None,
    against: Annotated[
        list[str] | None,
        Option(
            help="A baseline beside it by name (raw-model, bm25, dense, rag, rag+bm25, rag+dense), "
            "or `all`; repeatable."
        ),
    ] = None,
    iterations: Annotated[int, Option(min=1, help="Number of parts in which they arrive.")] = 10,
    seed: Annotated[int, Option(help="Random seed of the order in which they arrive.")] = 1,
    clicks: Annotated[
        bool,
        Option("--clicks", help="Simulate users who accept fitting offers and rate the answers."),
    ] = False,
    profile: Profile = None,
    at_least: AtLeast = None,
    at_most: AtMost = None,
    as_json: AsJson = False,
) -> None:
    """Send questions and paraphrases in iterations; the memory starts with the history.

    The data folder is copied first and is not changed. Limits are on the figures over all
    iterations, such as right=0.8; exit code 3 if one is missed.
    """
    from eval import stream as arriving
    from eval.runs.gates import missed, read_gates
    from eval.stream_baselines import require_baselines
    from eval.stream_variants import choose, run_against, run_variant

    gates = read_gates(at_least or (), at_most or (), arriving.FIGURES)
    baselines = require_baselines(against or ())
    arrivals = arriving.read_arrivals(gold, paraphrases)
    known = arriving.read_history(history or (), arrivals)
    try:
        chosen = choose(variant or ["memory"])
    except ValueError as error:
        raise BadParameter(str(error), param_hint="--variant") from error
    settings = read_settings(profile=profile)
    order = arriving.shuffled(arrivals, iterations, seed)
    asked = {n: partial(run_variant, settings, of, clicks=clicks) for n, of in chosen.items()}
    asked |= {name: partial(run_against, settings, name) for name in baselines}
    runs = {}
    with errors.status("asking") as status:
        for name, ask in asked.items():

            def show(done: int, name: str = name) -> None:
                status.update(f"{name}: {done} of {len(arrivals)}")

            runs[name] = ask(order, known, show)
    print_result(as_json, arriving.to_json(runs), arriving.stream_tables(runs))
    fail_if_missed(list(missed(gates, arriving.stream_figures(runs))))


@app.command()
def hostile(
    cases: Annotated[Path, Argument(help="Attacks and what the answers must not contain (JSONL).")],
    profile: Profile = None,
    as_json: AsJson = False,
) -> None:
    """Test the model with hostile documents and questions, in a separate data folder.

    Exit code 3 if an answer breaks a rule that holds for every model.
    """
    from chatbot import assembly
    from eval import hostile as attacks

    read = read_lines(cases, attacks.HostileCase, unique="id")
    settings = read_settings(profile=profile)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        own = {"data_dir": folder / "data", "database_url": None}
        chatbot = assembly.open_chatbot(settings.model_copy(update=own))
        if chatbot.model is None:
            raise BadParameter(_NO_MODEL)
        with errors.status("ingesting") as status:
            attacks.ingest_cases(chatbot, read, folder)
            outcomes = attacks.run_cases(
                chatbot, read, lambda done: status.update(f"asked {done} of {len(read)}")
            )
        chatbot.corpora.close()
        chatbot.database.close()
    figures, effects = attacks.figures(outcomes), attacks.effects(outcomes)
    tables = report_tables("Attacks", figures, ("case", "what came of it"), effects)
    print_result(as_json, {"figures": figures, "scores": outcomes}, tables)
    if any(outcome.broken for outcome in outcomes):
        raise Exit(3)
