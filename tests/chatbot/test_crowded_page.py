"""A page of thousands of blocks is walked through a few times, and not once a block."""

from collections.abc import Iterator

import pytest

from chatbot.retrieval.passages import best_passages, section_of
from chatbot.retrieval.records import records
from corpora.indexing.dual_chunking import search_chunks
from ingestion.page import Block, BlockKind, Page
from tests.chatbot.stored import stored_page

MANY = 3_000


@pytest.mark.parametrize("kind", [BlockKind.PARAGRAPH, BlockKind.LIST_ITEM])
def test_a_crowded_page_is_walked_through_a_few_times(
    kind: BlockKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked = 0
    spans = Page.spans

    def counted(page: Page) -> Iterator[tuple[int, int, Block]]:
        nonlocal walked
        walked += 1
        return spans(page)

    monkeypatch.setattr(Page, "spans", counted)
    page = stored_page(*(Block(kind, f"Port {n} has {n} lines.") for n in range(MANY)))
    passages = best_passages(records(page))
    for passage in passages[:200]:
        assert passage.records
        next(section_of(passage))
    assert len(search_chunks(page)) > 100
    assert walked < 20
