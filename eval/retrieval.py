"""Retrieval scored alone: is the page that holds the answer among the first that were found?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from rich.table import Table

from chatbot.chatbot import Chatbot
from chatbot.releases.resolution import ReleaseStatus
from chatbot.releases.rules import resolve_release
from chatbot.retrieval.context_retrieval import retrieve_context
from chatbot.turn import Turn
from chatbot.understanding.queries import expand_terms, rewrite_query
from corpora.indexing.retrieval import RetrievalSettings
from eval.figures import Share, figures_table, share
from eval.gold import GoldQuestion, GoldSource, QuestionKind

CUTOFFS = (1, 3, 5, 10)
"""How many of the first pages are looked at."""


class RankedPage(NamedTuple):
    """A page as retrieval returned it: its file, its number within it, every anchor on it."""

    file: str
    number: int
    anchors: tuple[str, ...] = ()

    def holds(self, source: GoldSource) -> bool:
        """Whether this is the page of `source`, or has its anchor, or is of its file alone."""
        if not source.is_in(self.file):
            return False
        if source.page is not None:
            return self.number == source.page
        return source.anchor is None or source.anchor in self.anchors


@dataclass(frozen=True, slots=True)
class RetrievalScore:
    """The rank of the first page that holds the answer, from 1; None where none was found."""

    id: str
    kind: QuestionKind
    release: str
    rank: int | None


def rank_pages(
    chatbot: Chatbot,
    questions: Iterable[GoldQuestion],
    settings: RetrievalSettings | None = None,
) -> tuple[RetrievalScore, ...]:
    """Search for every question in the releases of its sources that are ingested; score each.

    The turn is that of a question whose release was found by release extraction.
    """
    products, corpus = chatbot.products(), chatbot.corpora.corpus
    find = retrieve_context(
        corpus,
        chatbot.embedder,
        pages=max(CUTOFFS),
        padding=0,
        settings=settings or RetrievalSettings(),
    )
    rewrite = rewrite_query(lambda: products, corpus)
    expand = expand_terms(chatbot.glossaries.entries, corpus, chatbot.minilm.knows_word)
    known = {(p.name, r.name) for p in products for r in p.releases}
    scores = []
    for question, release in searches(questions):
        product, history = question.product, question.history
        if (product, release) not in known:
            continue
        resolution = replace(
            resolve_release(question.question, products, product=product, history=history),
            status=ReleaseStatus.STATED,
            product=product,
            releases=(release,),
        )
        turn = Turn(question.question, product=product, history=history, resolved=resolution)
        pages = [
            RankedPage(c.page.document.file, c.page.number, c.page.anchors)
            for c in find(expand(rewrite(turn))).retrieved
        ]
        scores.append(score_search(question, release, pages))
    return tuple(scores)


def searches(questions: Iterable[GoldQuestion]) -> list[tuple[GoldQuestion, str]]:
    """What to search for: each question in each release that a source is of."""
    return [
        (question, release)
        for question in questions
        for release in dict.fromkeys(source.release for source in question.sources)
    ]


def score_search(
    question: GoldQuestion, release: str, pages: Sequence[RankedPage]
) -> RetrievalScore:
    """Score the pages that were found in a release, best first."""
    sources = [source for source in question.sources if source.release == release]
    hits = (n for n, page in enumerate(pages, 1) if any(map(page.holds, sources)))
    return RetrievalScore(question.id, question.kind, release, next(hits, None))


def among_first(scores: Sequence[RetrievalScore]) -> dict[str, dict[int, Share]]:
    """How many have their page among the first 1, 3, 5 and 10, over "all" and by kind."""
    groups = {"all": list(scores)}
    groups |= {kind: [s for s in scores if s.kind is kind] for kind in QuestionKind}
    return {
        name: {
            cutoff: share(s.rank is not None and s.rank <= cutoff for s in found)
            for cutoff in CUTOFFS
        }
        for name, found in groups.items()
        if found
    }


def retrieval_table(within: Mapping[str, Mapping[int, Share]]) -> Table:
    """How often a gold page is among the first pages found, over all and by kind."""
    table = figures_table("Gold page among the first", "kind", *map(str, CUTOFFS))
    for name, shares in within.items():
        table.add_row(name, *(shares[cutoff].percent for cutoff in CUTOFFS))
    return table
