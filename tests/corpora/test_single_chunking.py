from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from corpora.indexing.single_chunks import single_chunks
from ingestion.page import Block, BlockKind, Page


def page_of(text: str) -> Page:
    return Page(7, (Block(BlockKind.PARAGRAPH, text, ("Top",)),))


@given(
    st.text() | st.lists(st.text("ab \n", max_size=9), max_size=60).map(" ".join),
    st.integers(1, 300),
)
def test_chunks_cover_the_page_within_the_limit(text: str, limit: int) -> None:
    chunks = single_chunks(page_of(text), limit=limit)
    covered = 0
    for chunk in chunks:
        assert chunk.text == text[chunk.start : chunk.end]
        assert chunk.start <= covered < chunk.end
        assert len(chunk.text) <= limit
        covered = chunk.end
    assert covered == len(text)


def test_a_page_within_the_limit_is_one_chunk() -> None:
    (chunk,) = single_chunks(page_of("x " * 1500))
    assert (chunk.start, chunk.end, chunk.heading) == (0, 3000, "Top")


def test_neighbours_share_a_quarter_and_begin_with_a_word() -> None:
    text = " ".join(f"word{i}" for i in range(2000))
    chunks = single_chunks(page_of(text))
    assert len(chunks) > 2
    for before, after in pairwise(chunks):
        assert 750 <= before.end - after.start <= 760
        assert after.text.startswith("word")
        assert before.text.endswith(" ")
