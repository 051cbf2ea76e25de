"""What differs between a page and the same page of another release; computed, never guessed."""

from __future__ import annotations

from dataclasses import dataclass

from chatbot.comparison.changes import stands_in
from chatbot.comparison.page_differences import Pair, pair_passages
from chatbot.retrieval.records import records
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage


@dataclass(frozen=True)
class PageDifferences:
    """The passages that differ, in the newer page's order, and how many are the same.

    `added` and `removed` are passages that stand nowhere else in the other release either.
    """

    changed: tuple[Pair, ...]
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    same: int

    @property
    def found(self) -> bool:
        """Whether anything differs."""
        return bool(self.changed or self.added or self.removed)


def differences(
    older: tuple[Corpus, StoredPage], newer: tuple[Corpus, StoredPage]
) -> PageDifferences:
    """Compare two pages passage by passage.

    Releases cut their documents into pages at different places, so a passage may find its
    counterpart on the page before or after.
    """
    (old, before), (new, after) = older, newer
    pairs = pair_passages(_around(old, before), _around(new, after), (old.release, new.release))
    shown = {before.id, after.id}
    pairs = [p for p in pairs if shown & {side.page.id for side in p.sides}]
    lone = [p for p in pairs if len(p.sides) == 1]
    return PageDifferences(
        changed=tuple(p for p in pairs if len(p.sides) == 2 and not p.same),
        added=tuple(p.after for p in lone if p.after and not stands_in(old, p.after)),
        removed=tuple(p.before for p in lone if p.before and not stands_in(new, p.before)),
        same=sum(p.same for p in pairs),
    )


def _around(corpus: Corpus, page: StoredPage) -> list[Record]:
    """The passages of a page, and of those before and after it."""
    ids = (page.previous_id, page.id, page.next_id)
    return [r for i in ids if i is not None for r in records(corpus.page(i), together=0)]
