"""`strata eval calibrate` and `validity`: the judge is measured before it is believed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option

from chatbot.settings import read_settings
from eval.gold import read_gold
from eval.judging.judge import Judge
from ui.cli.limits import fail_if_missed
from ui.cli.terminal import AsJson, errors, print_result, printable

Recording = Annotated[
    Path | None,
    Option(help="Where to keep the judge's replies by prompt, to reuse them next time."),
]
Concurrency = Annotated[
    int | None,
    Option(min=1, help="Calls of the judge at once (default: STRATA_SERVER_CONCURRENCY)."),
]


def calibrate(
    labels: Annotated[Path, Argument(help="Answers with what people said of them (JSONL).")],
    field: Annotated[
        list[str] | None,
        Option(
            help="Where a field stands, as in human=expert.adequate; of question, gold_answer, "
            "answer, human, answerable, context, and judge for scores that there are; repeatable."
        ),
    ] = None,
    metric: Annotated[str, Option(help="What the judge scores.")] = "answer_correctness",
    good_from: Annotated[
        float | None,
        Option(help="The label from which an answer is good (default: the middle)."),
    ] = None,
    recording: Recording = None,
    concurrency: Concurrency = None,
    at_least: Annotated[
        list[str] | None,
        Option(help="The least that pearson, spearman or agreement may be: pearson=0.7."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Hold the judge against labels of people: correlation, agreement, threshold.

    A label is a line with question, gold_answer, answer and human, any number. Exit code 3 if a
    limit is missed.
    """
    from eval.judging import calibration
    from eval.judging.judge import JudgeScore
    from eval.judging.metrics import JUDGE_METRICS, judge_answers, most_calls
    from eval.runs.gates import missed, read_gates

    gates = read_gates(at_least or (), (), ("pearson", "spearman", "agreement"))
    if metric not in JUDGE_METRICS:
        raise BadParameter(f"there is {', '.join(JUDGE_METRICS)}", param_hint="--metric")
    pairs = [option.partition("=") for option in field or ()]
    if wrong := [name for name, equals, place in pairs if not (equals and place)]:
        raise BadParameter(f"{wrong[0]!r} is not NAME=PLACE", param_hint="--field")
    fields = {name: place for name, _, place in pairs}
    read = calibration.read_labels(labels, fields)
    judge = None
    if "judge" in fields:
        scores = [JudgeScore(metric, label.judge) for label in read]
    else:
        judge = _open_judge(recording, concurrency)
        _tell_cost(judge, most_calls((metric,), questions=len(read), answers=len(read)))
        with _progress(len(read)) as one_more:
            judged = judge_answers(
                judge, [label.judged for label in read], (metric,), lambda *_: one_more()
            )
        scores = [score for (score,) in judged]
    found = calibration.calibrate(read, scores, good_from)
    result = {
        "metric": metric,
        "judge": judge and {"model": judge.name, "itself": judge.itself, "spent": judge.spent},
        "calibration": found,
        "scores": [
            {"question": label.question, "human": label.human, **asdict(score)}
            for label, score in zip(read, scores, strict=True)
        ],
    }
    print_result(as_json, result, calibration.calibration_tables(found, read, scores))
    agreed = found.agreement.ratio
    figures = {"pearson": found.pearson, "spearman": found.spearman, "agreement": agreed}
    fail_if_missed(list(missed(gates, {metric: figures})))


def validity(
    gold: Annotated[Path, Argument(help="Questions with checked answers (JSONL).")],
    most: Annotated[int, Option(min=1, help="Damaged answers of each kind, at most.")] = 10,
    at_least: Annotated[
        float,
        Option(min=0, max=1, help="The share of each kind that the judge has to see."),
    ] = 0.8,
    recording: Recording = None,
    concurrency: Concurrency = None,
    as_json: AsJson = False,
) -> None:
    """Damage right answers on purpose; the judge has to score them lower. Exit code 1 if not.

    A padded answer is not wrong, and must not score much lower.
    """
    from eval.judging import validity as check
    from eval.judging.damage import DAMAGES
    from eval.judging.metrics import most_calls

    questions = read_gold(gold)
    cases = check.damaged_cases(questions, most)
    judge = _open_judge(recording, concurrency)
    answers = check.most_answers(cases)
    _tell_cost(judge, most_calls(("answer_correctness",), questions=0, answers=answers))
    with _progress(answers) as one_more:
        cases = check.check_validity(judge, questions, cases, one_more)
    unseen = check.unseen(cases, at_least)
    result = {
        "judge": {"model": judge.name, "itself": judge.itself, "spent": judge.spent},
        "figures": check.figures(cases),
        "unseen": unseen,
        "cases": cases,
    }
    print_result(as_json, result, check.validity_tables(cases))
    if unseen:
        labels = ", ".join(DAMAGES[name].label for name in unseen)
        errors.print(f"[bold red]The judge does not see this often enough:[/] {labels}")
        raise Exit(1)


def _open_judge(recording: Path | None, concurrency: int | None) -> Judge:
    from eval.judging.opening import open_judge

    return open_judge(read_settings(), recording, concurrency)


def _tell_cost(judge: Judge, calls: int) -> None:
    itself = ", which also writes the answers" if judge.itself else ""
    errors.print(printable(f"Asks {judge.name}{itself}, {calls} times at most"))


@contextmanager
def _progress(answers: int) -> Iterator[Callable[[], None]]:
    """Yield what is to be called once an answer is judged."""
    done = count(1)
    with errors.status("judging") as status:
        yield lambda: status.update(f"judged {next(done)} of {answers}")
