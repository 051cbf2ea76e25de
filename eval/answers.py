"""Replies of the chatbot scored against gold questions, by rules alone."""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from eval.gold import GoldQuestion, GoldSource, QuestionKind

Reply = Mapping[str, Any]
"""A line of `strata ask --batch`: the object of `ask --json` with its `id`, or `id` and `error`."""


class AnswersError(ValueError):
    """A file of answers cannot be scored; the message names the file, the line and the fault."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    hits: int
    of: int

    @property
    def ratio(self) -> float | None:
        """Between 0 and 1, None where there was nothing to count."""
        return self.hits / self.of if self.of else None

    def __str__(self) -> str:
        return f"{self.hits}/{self.of}"


@dataclass(frozen=True, slots=True)
class AnswerScore:
    """What is right and wrong about the reply to one question; None where a rule does not apply.

    `correct` looks at the answer's text alone, `shown` at the text with the quotes of its
    citations. `gold_page` is a citation of the page or the anchor of the gold source, `gold_file`
    one of its file; a comparison needs them on every side. `seconds` is None without timings.
    """

    id: str
    kind: QuestionKind
    answerable: bool
    error: str | None = None
    correct: bool = False
    shown: bool = False
    refused: bool = False
    release_right: bool | None = None
    cited_wrong_release: bool = False
    gold_file: bool | None = None
    gold_page: bool | None = None
    seconds: float | None = None
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def wrongly_refused(self) -> bool:
        """Refused, though the documentation says it, even if a quote beside it does too."""
        return self.answerable and self.refused

    @property
    def falsely_answered(self) -> bool:
        """Answered, though the documentation of that release does not say."""
        return not self.answerable and self.error is None and not self.correct


@dataclass(frozen=True, slots=True)
class Group:
    """The scores of a group of questions, counted.

    A reply that failed or is missing counts as not right everywhere and is left out of latency.
    Times are seconds; `p90_seconds` is the nearest-rank percentile.
    """

    name: str
    failed: Share
    correct: Share
    shown: Share
    rightly_refused: Share
    wrongly_refused: Share
    falsely_answered: Share
    release_right: Share
    cited_wrong_release: Share
    gold_file: Share
    gold_page: Share
    median_seconds: float | None
    p90_seconds: float | None
    timed: int
    model_calls: int
    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Summary:
    """All scores, counted over all questions and by kind."""

    overall: Group
    kinds: tuple[Group, ...]
    scores: tuple[AnswerScore, ...]


def read_answers(path: Path) -> dict[str, Reply]:
    """Read the replies of a batch by question id; of several lines with one id the last counts.

    Raises AnswersError for a line that is no JSON object with an `id`.
    """
    replies: dict[str, Reply] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            reply = json.loads(line)
        except ValueError as error:
            raise AnswersError(f"{path}, line {number}: {error}") from error
        if not isinstance(reply, dict) or not isinstance(reply.get("id"), str):
            raise AnswersError(f"{path}, line {number}: expected a JSON object with an 'id'")
        replies[reply["id"]] = reply
    return replies


def score_answers(questions: Iterable[GoldQuestion], replies: Mapping[str, Reply]) -> Summary:
    """Score every question; one without a reply is counted as failed.

    Raises AnswersError if no reply belongs to any of the questions.
    """
    gold = tuple(questions)
    if not any(question.id in replies for question in gold):
        raise AnswersError(
            "none of the answers belongs to these questions: compare the 'id' fields"
        )
    scores = tuple(score_answer(question, replies.get(question.id)) for question in gold)
    return Summary(
        overall=_group("all", scores),
        kinds=tuple(
            _group(kind, [score for score in scores if score.kind is kind])
            for kind in QuestionKind
            if any(score.kind is kind for score in scores)
        ),
        scores=scores,
    )


def score_answer(question: GoldQuestion, reply: Reply | None) -> AnswerScore:
    """Score one reply: None for a question that was not answered, an object with `error` alike."""
    if reply is None or reply.get("error") is not None:
        return _failed(question, "no reply" if reply is None else str(reply["error"]))
    answer = str(reply.get("answer") or "")
    citations: Sequence[Reply] = reply.get("citations") or ()
    refused = reply.get("abstained") is True
    withheld = refused and not question.answerable
    quotes = [str(citation.get("quote") or "") for citation in citations]
    return AnswerScore(
        id=question.id,
        kind=question.kind,
        answerable=question.answerable,
        correct=withheld or question.accepts(answer),
        shown=withheld or question.accepts("\n".join([answer, *quotes])),
        refused=refused,
        release_right=_release_right(question, reply, answer, citations),
        cited_wrong_release=any(c.get("release") not in question.gold_releases for c in citations),
        gold_file=_on_gold(question, citations, _same_file),
        gold_page=_on_gold(question, citations, _same_page),
        seconds=_seconds(reply.get("timings") or {}),
        model_calls=int(reply.get("model_calls") or 0),
        prompt_tokens=int(reply.get("prompt_tokens") or 0),
        completion_tokens=int(reply.get("completion_tokens") or 0),
    )


def _failed(question: GoldQuestion, error: str) -> AnswerScore:
    release_matters = question.answerable or question.release_not_in_corpora
    has_page = question.answerable and bool(question.sources)
    return AnswerScore(
        id=question.id,
        kind=question.kind,
        answerable=question.answerable,
        error=error,
        release_right=False if release_matters else None,
        gold_file=False if has_page else None,
        gold_page=False if has_page else None,
    )


def _release_right(
    question: GoldQuestion, reply: Reply, answer: str, citations: Sequence[Reply]
) -> bool | None:
    if question.release_not_in_corpora:
        return reply.get("release_status") == "unknown"
    if question.kind is QuestionKind.COMPARE:
        cited = {citation.get("release") for citation in citations}
        return reply.get("release_status") == "compared" and all(
            release in cited or names_release(answer, release) for release in question.releases
        )
    if not question.answerable and reply.get("release") is None:
        return None
    return (reply.get("release"),) == question.gold_releases


def names_release(text: str, release: str) -> bool:
    """Whether `text` names `release`, or its series: "1.4" for 1.4.54."""
    numbers = release.split(".")
    written = {".".join(numbers[:length]) for length in range(2, len(numbers) + 1)} | {release}
    either = "|".join(re.escape(name) for name in sorted(written, key=len, reverse=True))
    return re.search(rf"(?<![\d.])(?:{either})(?!\w|\.\d)", text) is not None


def _on_gold(
    question: GoldQuestion,
    citations: Sequence[Reply],
    same: Callable[[Reply, GoldSource], bool],
) -> bool | None:
    if not question.answerable or not question.sources:
        return None
    cited = (
        any(c.get("release") == source.release and same(c, source) for c in citations)
        for source in question.sources
    )
    return all(cited) if question.kind is QuestionKind.COMPARE else any(cited)


def _same_file(citation: Reply, source: GoldSource) -> bool:
    return f"/{citation.get('file')}".endswith(f"/{source.file}")


def _same_page(citation: Reply, source: GoldSource) -> bool:
    if not _same_file(citation, source):
        return False
    if source.page is not None:
        return citation.get("page") == source.page
    return same_anchor(citation.get("anchor"), source.anchor or "")


def same_anchor(anchor: str | None, gold: str) -> bool:
    """Whether `anchor` is the gold one, its member or its owner ("Query" and "Query.update")."""
    return anchor is not None and (
        anchor == gold or anchor.startswith(f"{gold}.") or gold.startswith(f"{anchor}.")
    )


def _seconds(timings: Mapping[str, float]) -> float | None:
    if not timings:
        return None
    return float(timings["total"]) if "total" in timings else float(sum(timings.values()))


def _group(name: str, scores: Sequence[AnswerScore]) -> Group:
    answerable = [score for score in scores if score.answerable]
    unanswerable = [score for score in scores if not score.answerable]
    seconds = sorted(score.seconds for score in scores if score.seconds is not None)
    return Group(
        name=name,
        failed=_share(score.error is not None for score in scores),
        correct=_share(score.correct for score in scores),
        shown=_share(score.shown for score in scores),
        rightly_refused=_share(score.refused for score in unanswerable),
        wrongly_refused=_share(score.wrongly_refused for score in answerable),
        falsely_answered=_share(score.falsely_answered for score in unanswerable),
        release_right=_share_where(score.release_right for score in scores),
        cited_wrong_release=_share(score.cited_wrong_release for score in scores),
        gold_file=_share_where(score.gold_file for score in scores),
        gold_page=_share_where(score.gold_page for score in scores),
        median_seconds=statistics.median(seconds) if seconds else None,
        p90_seconds=seconds[math.ceil(0.9 * len(seconds)) - 1] if seconds else None,
        timed=len(seconds),
        model_calls=sum(score.model_calls for score in scores),
        prompt_tokens=sum(score.prompt_tokens for score in scores),
        completion_tokens=sum(score.completion_tokens for score in scores),
    )


def _share(hits: Iterable[bool]) -> Share:
    counted = list(hits)
    return Share(sum(counted), len(counted))


def _share_where(hits: Iterable[bool | None]) -> Share:
    return _share(hit for hit in hits if hit is not None)


def to_json(summary: Summary) -> dict[str, Any]:
    """The summary as plain JSON; a share becomes {"hits", "of"}, a score its fields."""
    return asdict(summary)
