"""Retrieval scored alone: is the page that holds the answer among the first that were found?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.table import Table

from eval.figures import Share, figures_table, share
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
class RetrievalSummary:
    """All ranks, and how many are among the first 1, 3, 5 and 10 over "all" and by kind."""

    within: Mapping[str, Mapping[int, Share]]
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
    groups: dict[str, list[RetrievalScore]] = {"all": list(scores)}
    groups |= {
        kind: found for kind in QuestionKind if (found := [s for s in scores if s.kind is kind])
    }
    within = {
        name: {
            cutoff: share(s.rank is not None and s.rank <= cutoff for s in found)
            for cutoff in CUTOFFS
        }
        for name, found in groups.items()
    }
    return RetrievalSummary(within, scores)


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


def to_json(summary: RetrievalSummary) -> dict[str, Any]:
    """The summary as plain JSON; a share becomes {"hits", "of"}."""
    return asdict(summary)


def retrieval_table(summary: RetrievalSummary) -> Table:
    """How often a gold page is among the first pages found, over all and by kind."""
    table = figures_table("Gold page among the first", "kind", *map(str, CUTOFFS))
    for name, within in summary.within.items():
        table.add_row(name, *(within[cutoff].percent for cutoff in CUTOFFS))
    return table
