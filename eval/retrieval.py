"""Retrieval scored alone: is the page that holds the answer among the first that were found?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from eval.answers import Share
from eval.gold import GoldQuestion, GoldSource, QuestionKind

CUTOFFS = (1, 3, 5, 10)
"""How many of the first pages are looked at."""


@dataclass(frozen=True, slots=True)
class RankedPage:
    """A page as retrieval returned it: its file, its number within it, every anchor on it."""

    file: str
    number: int
    anchors: tuple[str, ...] = ()

    def holds(self, source: GoldSource) -> bool:
        """Whether this is the page of `source`, or one on which its anchor stands."""
        if not f"/{self.file}".endswith(f"/{source.file}"):
            return False
        if source.page is not None:
            return self.number == source.page
        return source.anchor in self.anchors


@dataclass(frozen=True, slots=True)
class RetrievalItem:
    """One search to score: a question within one release; each side of a comparison is its own."""

    id: str
    kind: QuestionKind
    release: str
    sources: tuple[GoldSource, ...]

    @property
    def key(self) -> tuple[str, str]:
        """Question id and release, under which the ranked pages are handed in."""
        return self.id, self.release


@dataclass(frozen=True, slots=True)
class RetrievalScore:
    """The rank of the first page that holds the answer, from 1; None where none was found."""

    id: str
    kind: QuestionKind
    release: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class RetrievalGroup:
    """How many items have a gold page among the first 1, 3, 5 and 10 (`CUTOFFS`)."""

    name: str
    within: dict[int, Share]


@dataclass(frozen=True, slots=True)
class RetrievalSummary:
    """All ranks, counted over all items and by kind."""

    overall: RetrievalGroup
    kinds: tuple[RetrievalGroup, ...]
    scores: tuple[RetrievalScore, ...]


def retrieval_items(questions: Iterable[GoldQuestion]) -> tuple[RetrievalItem, ...]:
    """Return what to search for; questions without a source have nothing to find."""
    return tuple(
        RetrievalItem(
            question.id,
            question.kind,
            release,
            tuple(source for source in question.sources if source.release == release),
        )
        for question in questions
        for release in dict.fromkeys(source.release for source in question.sources)
    )


def score_retrieval(
    items: Iterable[RetrievalItem], ranked: Mapping[tuple[str, str], Sequence[RankedPage]]
) -> RetrievalSummary:
    """Score ranked pages, best first, by (question id, release).

    Raises ValueError for an item without an entry in `ranked`; one that found nothing has an empty
    sequence there.
    """
    scores = tuple(_score(item, ranked) for item in items)
    return RetrievalSummary(
        overall=_group("all", scores),
        kinds=tuple(
            _group(kind, [score for score in scores if score.kind is kind])
            for kind in QuestionKind
            if any(score.kind is kind for score in scores)
        ),
        scores=scores,
    )


def _score(
    item: RetrievalItem, ranked: Mapping[tuple[str, str], Sequence[RankedPage]]
) -> RetrievalScore:
    if item.key not in ranked:
        raise ValueError(f"no ranked pages for question {item.id} in release {item.release}")
    hits = (
        rank
        for rank, page in enumerate(ranked[item.key], 1)
        if any(page.holds(source) for source in item.sources)
    )
    return RetrievalScore(item.id, item.kind, item.release, next(hits, None))


def _group(name: str, scores: Sequence[RetrievalScore]) -> RetrievalGroup:
    def within(cutoff: int) -> Share:
        hits = [score for score in scores if score.rank is not None and score.rank <= cutoff]
        return Share(len(hits), len(scores))

    return RetrievalGroup(name, {cutoff: within(cutoff) for cutoff in CUTOFFS})


def to_json(summary: RetrievalSummary) -> dict[str, Any]:
    """The summary as plain JSON; a share becomes {"hits", "of"}."""
    return asdict(summary)
