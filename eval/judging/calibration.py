"""A judge held against people: how far its scores and their labels say the same (QAMR V)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, get_type_hints

from pydantic import AliasPath, Field, create_model
from rich.console import Group
from rich.markup import escape
from rich.table import Table

from eval.figures import Share, figures_table, share
from eval.gold import GoldError, Line, Text, read_lines
from eval.judging.correctness import says_nothing
from eval.judging.judge import JudgedAnswer, JudgeScore
from prompts.fencing import visible

LEAST = 4
"""Scored labels from which a correlation has an interval."""
_SHOWN = 10
"""Answers that the terminal shows of those on which judge and people differ most."""


class Label(Line):
    """An answer with what people said of it (`human`), and what another judge did (`judge`)."""

    question: Text
    answer: str
    human: float
    gold_answer: str | None = None
    answerable: bool = True
    context: tuple[str, ...] = ()
    judge: Annotated[float, Field(ge=0, le=1)] | None = None

    @property
    def judged(self) -> JudgedAnswer:
        """The answer as the judge gets it."""
        return JudgedAnswer(
            question=self.question,
            answer=self.answer,
            context=self.context,
            gold=self.gold_answer,
            answerable=self.answerable,
            refused=says_nothing(self.answer),
        )


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far scores and labels say the same.

    `pearson` with its 95 % interval and its p-value, `spearman`: None where all scores or all
    labels are equal. `agreement`: answers that the score, from `threshold` on, and the label, from
    `good_from` on, both call good or both bad; `usual`: those that one would agree on by always
    saying what most labels say. `unreadable` verdicts and answers to which the metric does not
    apply are in no figure.
    """

    labels: int
    scored: int
    unreadable: int
    pearson: float | None
    interval: tuple[float, float] | None
    p_value: float | None
    spearman: float | None
    good_from: float
    threshold: float
    agreement: Share
    usual: Share


def read_labels(path: Path, fields: Mapping[str, str]) -> tuple[Label, ...]:
    """Read labels; `fields` says where those of `Label` stand: {"human": "expert.adequate"}.

    Raises GoldError for a file or a line that cannot be used, a field that no label has, and one
    that is named and missing.
    """
    types = get_type_hints(Label, include_extras=True)
    if unknown := sorted(fields.keys() - Label.model_fields.keys()):
        known = ", ".join(Label.model_fields)
        raise GoldError(f"a label has no field {', '.join(unknown)}: it has {known}")
    mapped: dict[str, Any] = {
        name: (types[name], Field(validation_alias=AliasPath(*place.split("."))))
        for name, place in fields.items()
    }
    return read_lines(path, create_model("Label", __base__=Label, **mapped))


def calibrate(
    labels: Sequence[Label], scores: Sequence[JudgeScore], good_from: float | None = None
) -> Calibration:
    """How far scores agree with the labels, each with its score; a label is good from `good_from`.

    By default that is the middle between the lowest and the highest label. Raises GoldError where
    fewer than 4 labels have a score.
    """
    pairs = [
        (score.score, label.human)
        for label, score in zip(labels, scores, strict=True)
        if score.score is not None
    ]
    if len(pairs) < LEAST:
        raise GoldError(f"{len(pairs)} of {len(labels)} labels have a score, at least 4 are needed")
    given, human = [score for score, _ in pairs], [label for _, label in pairs]
    good = (min(human) + max(human)) / 2 if good_from is None else good_from
    is_good = [label >= good for label in human]
    threshold, agreement = best_threshold(given, is_good)
    pearson, interval, p_value, spearman = _correlation(given, human)
    return Calibration(
        labels=len(labels),
        scored=len(pairs),
        unreadable=sum(score.unreadable for score in scores),
        pearson=pearson,
        interval=interval,
        p_value=p_value,
        spearman=spearman,
        good_from=good,
        threshold=threshold,
        agreement=agreement,
        usual=Share(max(sum(is_good), len(is_good) - sum(is_good)), len(is_good)),
    )


def best_threshold(scores: Sequence[float], good: Sequence[bool]) -> tuple[float, Share]:
    """The score from which on an answer is best called good, and how often that agrees.

    It lies in the middle between two scores that were given; of several that agree as often it is
    the highest.
    """
    distinct = sorted(set(scores))
    between = [distinct[0], *((low + high) / 2 for low, high in pairwise(distinct))]
    found = [
        (share((s >= at) == g for s, g in zip(scores, good, strict=True)), at) for at in between
    ]
    agreement, at = max(found, key=lambda pair: (pair[0].hits, pair[1]))
    return at, agreement


def _correlation(
    scores: Sequence[float], labels: Sequence[float]
) -> tuple[float | None, tuple[float, float] | None, float | None, float | None]:
    from scipy.stats import pearsonr, spearmanr

    if len(set(scores)) < 2 or len(set(labels)) < 2:
        return None, None, None, None
    linear = pearsonr(scores, labels)
    interval = linear.confidence_interval()
    return (
        float(linear.statistic),
        (float(interval.low), float(interval.high)),
        float(linear.pvalue),
        float(spearmanr(scores, labels).statistic),
    )


def calibration_tables(
    found: Calibration, labels: Sequence[Label], scores: Sequence[JudgeScore]
) -> Group:
    """The figures, and the answers on which judge and people differ most."""
    table = figures_table("The judge and people", "measure", "figure")
    interval = found.interval and " to ".join(f"{end:.3f}" for end in found.interval)
    for name, figure in (
        ("labels with a score", f"{found.scored} of {found.labels}"),
        ("unreadable verdicts", str(found.unreadable)),
        ("Pearson", _decimal(found.pearson)),
        ("its 95 % interval", interval or "–"),
        ("p-value of no correlation", "–" if found.p_value is None else f"{found.p_value:.2g}"),
        ("Spearman", _decimal(found.spearman)),
        (f"good: people say {found.good_from:g}, the judge", f"{found.threshold:.2f} or more"),
        ("agreement on good and bad", found.agreement.percent),
        ("agreement of always saying the usual", found.usual.percent),
    ):
        table.add_row(name, figure)
    others = Table("label", "score", "question", "the judge's reason", title_justify="left")
    others.title = "Where they differ"
    low, high = min(label.human for label in labels), max(label.human for label in labels)
    differing = [
        (abs((label.human - low) / ((high - low) or 1) - score.score), label, score)
        for label, score in zip(labels, scores, strict=True)
        if score.score is not None
        and (score.score >= found.threshold) is not (label.human >= found.good_from)
    ]
    for _, label, score in sorted(differing, key=lambda row: -row[0])[:_SHOWN]:
        written = (f"{label.human:g}", _decimal(score.score), label.question, score.reason)
        others.add_row(*(escape(visible(text)) for text in written))
    return Group(table, *([others] if others.row_count else []))


def _decimal(figure: float | None) -> str:
    return "–" if figure is None else f"{figure:.3f}"
