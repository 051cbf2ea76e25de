"""The metrics that a judge measures, by name, and answers scored by them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from chatbot.runtime.concurrency import run_on_event_loop, together
from eval.judging.answers import answer_relevancy, attribution, faithfulness
from eval.judging.contexts import contextual_precision, contextual_recall, contextual_relevancy
from eval.judging.correctness import answer_correctness
from eval.judging.judge import NOT_APPLICABLE, NOT_SHOWN, Judge, JudgedAnswer, JudgeScore, Unscored
from eval.judging.nuggets import nuggets
from ingestion.messages import message
from prompts.fencing import visible

Need = Literal["answer given", "gold", "answerable", "context shown", "context", "citations"]

_MISSING: Mapping[Need, tuple[str, Callable[[JudgedAnswer], object]]] = {
    "answer given": ("nothing was answered", lambda a: a.answer.strip() and not a.refused),
    "gold": ("there is no gold answer", lambda a: a.gold),
    "answerable": ("the documentation does not say it", lambda a: a.answerable),
    "context shown": ("", lambda a: not a.opaque),
    "context": ("nothing was retrieved", lambda a: a.context),
    "citations": ("no sentence has a mark", lambda a: any(texts for _, texts in a.cited)),
}

Stopped = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class JudgeMetric:
    """A metric: how reports call it, where it is from, what it needs, the calls that it makes.

    `calls` are named, because metrics share some: those that begin with "gold" are made once a
    question, the others once an answer. A bad reply is asked for once more, which is not counted.
    """

    label: str
    source: str
    needs: tuple[Need, ...]
    calls: tuple[str, ...]
    measure: Callable[[Judge, JudgedAnswer], Awaitable[tuple[float, str]]]


JUDGE_METRICS: Mapping[str, JudgeMetric] = {
    "answer_correctness": JudgeMetric(
        message("answer correctness"),
        "QAMR IV-B1, G-Eval",
        ("gold",),
        ("correctness", "its probability"),
        answer_correctness,
    ),
    "answer_relevancy": JudgeMetric(
        message("answer relevancy"),
        "QAMR IV-B2, DeepEval",
        ("answer given",),
        ("statements", "relevancy"),
        answer_relevancy,
    ),
    "faithfulness": JudgeMetric(
        message("faithfulness"),
        "QAMR IV-B3, DeepEval",
        ("answer given", "context shown", "context"),
        ("statements", "faithfulness"),
        faithfulness,
    ),
    "contextual_precision": JudgeMetric(
        message("contextual precision"),
        "QAMR IV-B4, DeepEval",
        ("gold", "answerable", "context shown"),
        ("contextual precision",),
        contextual_precision,
    ),
    "contextual_recall": JudgeMetric(
        message("contextual recall"),
        "QAMR IV-B5, DeepEval",
        ("gold", "answerable", "context shown"),
        ("gold statements", "contextual recall"),
        contextual_recall,
    ),
    "contextual_relevancy": JudgeMetric(
        message("contextual relevancy"),
        "QAMR IV-B6, DeepEval",
        ("context shown", "context"),
        ("contextual relevancy",),
        contextual_relevancy,
    ),
    "nuggets": JudgeMetric(
        message("completeness by nuggets"),
        "TREC RAG 2024, AutoNuggetizer",
        ("gold", "answerable"),
        ("gold statements", "nuggets"),
        nuggets,
    ),
    "attribution": JudgeMetric(
        message("attribution by sentence"),
        "TREC RAG 2024, support",
        ("answer given", "citations"),
        ("attribution",),
        attribution,
    ),
}


def most_calls(metrics: Sequence[str], *, questions: int, answers: int) -> int:
    """How many calls the metrics make at most for so many answers to so many questions."""
    names = {call for metric in metrics for call in JUDGE_METRICS[metric].calls}
    return sum(questions if name.startswith("gold") else answers for name in names)


def judge_answers(
    judge: Judge,
    answers: Sequence[JudgedAnswer],
    metrics: Sequence[str],
    on_scores: Callable[[int, tuple[JudgeScore, ...]], None] = lambda number, scores: None,
    stopped: Stopped = lambda: False,
) -> list[tuple[JudgeScore, ...]]:
    """The scores of all answers, judged together; `on_scores` hears of each when it is there.

    Raises GeneratorError, and Stopped (`chatbot/runtime/concurrency.py`) once `stopped` says so.
    """

    async def one(number: int, answer: JudgedAnswer) -> tuple[JudgeScore, ...]:
        scores = tuple(await together(_score(judge, answer, metric) for metric in metrics))
        on_scores(number, scores)
        return scores

    async def all_of_them() -> list[tuple[JudgeScore, ...]]:
        return await together(one(number, answer) for number, answer in enumerate(answers))

    return run_on_event_loop(all_of_them(), stopped)


async def _score(judge: Judge, answer: JudgedAnswer, name: str) -> JudgeScore:
    metric = JUDGE_METRICS[name]
    for need in metric.needs:
        missing, is_there = _MISSING[need]
        if not is_there(answer):
            why = f"{NOT_APPLICABLE}: {missing}" if missing else NOT_SHOWN
            return JudgeScore(name, None, unscored=why)
    try:
        score, reason = await metric.measure(judge, answer)
    except Unscored as error:
        return JudgeScore(name, None, unscored=visible(str(error)))
    return JudgeScore(name, score, visible(reason))
