"""The scores of answers counted: over all questions, by kind and by what is asked."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any

from eval.answers import (
    AnswerScore,
    PageText,
    Reply,
    Share,
    no_page,
    read_answers,
    score_answer,
    share,
)
from eval.gold import Asks, GoldError, GoldQuestion, QuestionKind


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of a group of questions, counted.

    A reply that failed or is missing counts as not right everywhere and is left out of latency.
    Times are seconds; `p90_seconds` is the nearest-rank percentile.
    """

    name: str
    silently_wrong_release: Share
    correct: Share
    judged: Share
    with_sources: Share
    facts: Share
    steps_complete: Share
    reads_as_answer: Share
    sentences_borne: Share
    sentences_unmarked: Share
    sources_idle: Share
    rightly_refused: Share
    wrongly_refused: Share
    falsely_answered: Share
    release_right: Share
    cited_wrong_release: Share
    gold_file: Share
    gold_page: Share
    failed: Share
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


def read_verdicts(path: Path) -> dict[str, bool]:
    """Read what a reader of the answers says, {id, right, note} a line, by question id.

    Raises GoldError as `read_answers` does, and where `right` is neither true nor false.
    """
    verdicts: dict[str, bool] = {}
    for name, verdict in read_answers(path).items():
        if not isinstance(verdict.get("right"), bool):
            raise GoldError(f"{path}, {name!r}: 'right' must be true or false")
        verdicts[name] = verdict["right"]
    return verdicts


def score_answers(
    questions: Iterable[GoldQuestion],
    replies: Mapping[str, Reply],
    *,
    verdicts: Mapping[str, bool] | None = None,
    page_text: PageText = no_page,
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
    said = verdicts or {}
    scores = tuple(
        replace(score_answer(q, replies.get(q.id), page_text), judged=said.get(q.id)) for q in gold
    )
    return Summary(
        overall=_group("all", scores),
        kinds=_groups(scores, QuestionKind, lambda score: score.kind),
        asks=_groups(scores, Asks, lambda score: score.asks),
        scores=scores,
    )


def _groups(
    scores: Sequence[AnswerScore],
    names: type[StrEnum],
    name_of: Callable[[AnswerScore], StrEnum | None],
) -> tuple[Group, ...]:
    by_name = {name: [s for s in scores if name_of(s) is name] for name in names}
    return tuple(_group(name, group) for name, group in by_name.items() if group)


def _group(name: str, scores: Sequence[AnswerScore]) -> Group:
    answerable = [score for score in scores if score.answerable]
    unanswerable = [score for score in scores if not score.answerable]
    seconds = sorted(score.seconds for score in scores if score.seconds is not None)
    return Group(
        name=name,
        silently_wrong_release=_share_where(score.silently_wrong_release for score in scores),
        correct=share(score.correct for score in scores),
        judged=_share_where(score.judged for score in scores),
        with_sources=share(score.with_sources for score in scores),
        facts=_total(score.facts for score in scores),
        steps_complete=_share_where(score.steps_complete for score in scores),
        reads_as_answer=_share_where(score.reads_as_answer for score in scores),
        sentences_borne=_total(score.sentences_borne for score in scores),
        sentences_unmarked=_total(score.sentences_unmarked for score in scores),
        sources_idle=_total(score.sources_idle for score in scores),
        rightly_refused=share(score.refused for score in unanswerable),
        wrongly_refused=share(score.wrongly_refused for score in answerable),
        falsely_answered=share(score.falsely_answered for score in unanswerable),
        release_right=_share_where(score.release_right for score in scores),
        cited_wrong_release=_share_where(score.cited_wrong_release for score in scores),
        gold_file=_share_where(score.gold_file for score in scores),
        gold_page=_share_where(score.gold_page for score in scores),
        failed=share(score.error is not None for score in scores),
        median_seconds=statistics.median(seconds) if seconds else None,
        p90_seconds=seconds[math.ceil(0.9 * len(seconds)) - 1] if seconds else None,
        timed=len(seconds),
        model_calls=sum(score.model_calls for score in scores),
        prompt_tokens=sum(score.prompt_tokens for score in scores),
        completion_tokens=sum(score.completion_tokens for score in scores),
    )


def _total(shares: Iterable[Share]) -> Share:
    counted = list(shares)
    return Share(sum(share.hits for share in counted), sum(share.of for share in counted))


def _share_where(hits: Iterable[bool | None]) -> Share:
    return share(hit for hit in hits if hit is not None)


def to_json(summary: Summary) -> dict[str, Any]:
    """The summary as plain JSON; a share becomes {"hits", "of"}, a score its fields."""
    return asdict(summary)
