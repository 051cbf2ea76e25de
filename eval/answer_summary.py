"""The scores of answers counted: over all questions, by kind and by what is asked."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import StrictBool
from rich.console import Group as Rows
from rich.table import Table

from chatbot.reply import Reply
from eval.answers import MEASURES, AnswerScore, PageText, score_answer
from eval.figures import Mean, Share, figures_table, in_seconds, mean, share
from eval.gold import Asks, GoldError, GoldQuestion, Line, QuestionKind, read_lines
from eval.likeness import LIKENESS, Alike


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of a group of questions, counted; `shares` are by the names of `MEASURES`.

    `likeness` are the means by the names of `LIKENESS`. A reply that failed or is missing counts
    as not right everywhere, as one that says nothing, and is left out of latency.
    Times are seconds; `p90_seconds` is the nearest-rank percentile.
    """

    name: str
    shares: Mapping[str, Share]
    likeness: Mapping[str, Mean]
    median_seconds: float | None
    p90_seconds: float | None
    timed: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Summary:
    """All scores, counted over all questions, by kind and by what is asked."""

    overall: Group
    kinds: tuple[Group, ...]
    asks: tuple[Group, ...]
    scores: tuple[AnswerScore, ...]


class Verdict(Line):
    """What a reader says of an answer: whether it is right, and whether it reads well."""

    id: str
    right: StrictBool
    reads_well: StrictBool | None = None


def read_verdicts(path: Path) -> dict[str, Verdict]:
    """Read verdicts by question id; raises GoldError as `read_lines` does."""
    return {verdict.id: verdict for verdict in read_lines(path, Verdict)}


def score_answers(
    questions: Iterable[GoldQuestion],
    replies: Mapping[str, Reply],
    *,
    verdicts: Mapping[str, Verdict] | None = None,
    page_text: PageText = lambda product, citation: "",
    alike: Alike | None = None,
) -> Summary:
    """Score every question; one without a reply is counted as failed.

    Raises GoldError if no reply, or no verdict where there are some, belongs to any question.
    """
    gold = tuple(questions)
    for what, by_id in (("answers", replies), ("verdicts", verdicts)):
        if by_id is not None and not any(question.id in by_id for question in gold):
            raise GoldError(
                f"none of the {what} belongs to these questions: compare the 'id' fields"
            )
    scores = []
    for question in gold:
        score = score_answer(question, replies.get(question.id), page_text, alike)
        if verdict := (verdicts or {}).get(question.id):
            score = replace(score, judged=verdict.right, reads_well=verdict.reads_well)
        scores.append(score)
    return Summary(
        overall=_group("all", scores),
        kinds=_groups(scores, "kind", QuestionKind),
        asks=_groups(scores, "asks", Asks),
        scores=tuple(scores),
    )


def _groups(scores: Sequence[AnswerScore], by: str, names: Iterable[str]) -> tuple[Group, ...]:
    found = {name: [s for s in scores if getattr(s, by) == name] for name in names}
    return tuple(_group(name, some) for name, some in found.items() if some)


def _group(name: str, scores: Sequence[AnswerScore]) -> Group:
    seconds = sorted(score.seconds for score in scores if score.seconds is not None)
    alike = [score.likeness for score in scores if score.likeness is not None]
    return Group(
        name=name,
        shares={measure: share(getattr(s, measure) for s in scores) for measure in MEASURES},
        likeness={name: mean(getattr(found, name) for found in alike) for name in LIKENESS},
        median_seconds=statistics.median(seconds) if seconds else None,
        p90_seconds=seconds[math.ceil(0.9 * len(seconds)) - 1] if seconds else None,
        timed=len(seconds),
        model_calls=sum(score.model_calls for score in scores),
        prompt_tokens=sum(score.prompt_tokens for score in scores),
        completion_tokens=sum(score.completion_tokens for score in scores),
    )


def answer_tables(summary: Summary) -> Rows:
    """Every measure over all questions, then the main ones by kind and by what is asked."""
    groups = (("kind", summary.kinds), ("asks", summary.asks))
    columns = {measure: column for measure, (_, column) in MEASURES.items() if column}
    tables = (_table_by(name, of, columns) for name, of in groups if of)
    return Rows(_overall(summary.overall), *tables)


def _overall(group: Group) -> Table:
    table = figures_table("All questions", "measure", "n/N", "share")
    for name, (label, _) in MEASURES.items():
        of = group.shares[name]
        table.add_row(label, str(of), "–" if of.ratio is None else f"{of.ratio:.1%}")
    table.add_section()
    for name, label in LIKENESS.items():
        of_gold = group.likeness[name]
        table.add_row(f"{label}, decides nothing", f"of {of_gold.of}", str(of_gold))
    table.add_section()
    failed = group.shares["failed"]
    timed, answered = f"of {group.timed}", f"in {failed.of - failed.hits}"
    table.add_row("seconds an answer, median", timed, in_seconds(group.median_seconds))
    table.add_row("seconds an answer, 90th percentile", timed, in_seconds(group.p90_seconds))
    table.add_row("model calls", answered, str(group.model_calls))
    table.add_row("prompt tokens", answered, str(group.prompt_tokens))
    table.add_row("completion tokens", answered, str(group.completion_tokens))
    return table


def _table_by(name: str, groups: Iterable[Group], columns: Mapping[str, str]) -> Table:
    """The measures of these columns, and the time of an answer, for each group."""
    table = figures_table(f"By {name}", name, *columns.values(), "med. s")
    for group in groups:
        counts = (str(group.shares[measure]) for measure in columns)
        table.add_row(group.name, *counts, in_seconds(group.median_seconds))
    return table
