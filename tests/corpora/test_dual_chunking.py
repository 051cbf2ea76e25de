import re
import time

from hypothesis import given
from hypothesis import strategies as st

from corpora.building.fingerprints import ChunkingSettings
from corpora.indexing.dual_chunking import HEADING_LENGTH, context_chunk, search_chunks
from ingestion.loaders import load
from ingestion.page import Block, BlockKind, Page
from ingestion.tables import written_again

words = st.text(
    alphabet=st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]),
    min_size=1,
    max_size=20,
)
prose = st.lists(words, min_size=1, max_size=80).map(" ".join)
any_text = st.text(max_size=400) | prose
kinds = st.sampled_from(BlockKind)
paths = st.lists(words, max_size=4).map(tuple)


def pages_of(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Page]:
    blocks = st.lists(st.builds(Block, kind=kinds, text=texts, path=paths), max_size=12)
    return st.builds(Page, number=st.integers(1, 9999), blocks=blocks.map(tuple))


sizes = st.one_of(
    st.fixed_dictionaries({"per_page": st.integers(1, 9)}),
    st.fixed_dictionaries({"target": st.integers(1, 900)}),
)


@given(pages_of(any_text), sizes)
def test_search_chunks_cover_their_page_and_nothing_else(page: Page, size: dict[str, int]) -> None:
    chunks = search_chunks(page, **size)
    assert "".join(c.text for c in chunks) == page.text
    assert all(c.text and c.text == page.text[c.start : c.end] for c in chunks)
    assert [c.start for c in chunks[1:]] == [c.end for c in chunks[:-1]]


@given(pages_of(prose), st.integers(100, 600))
def test_chunks_of_ordinary_text_are_near_the_target(page: Page, target: int) -> None:
    chunks = search_chunks(page, target=target)
    if chunks:
        ideal = len(page.text) / len(chunks)
        assert len(chunks) == max(1, round(len(page.text) / target))
        assert all(0.5 * ideal - 1 <= len(c.text) <= 1.5 * ideal + 1 for c in chunks)


@given(pages_of(any_text), sizes)
def test_only_a_word_longer_than_two_chunks_is_cut(page: Page, size: dict[str, int]) -> None:
    text = page.text
    chunks = search_chunks(page, **size)
    count = size.get("per_page") or max(1, round(len(text) / size["target"]))
    for chunk in chunks[1:]:
        before = re.search(r"\S*\Z", text[: chunk.start])
        after = re.match(r"\S*", text[chunk.start :])
        assert before is not None
        assert after is not None
        if before[0] and after[0]:
            # The white space that follows a word counts as part of it.
            assert len(re.match(r"\S*\s*", text[before.start() :])[0]) > 2 * len(text) / count  # type: ignore[index]


@given(pages_of(prose), st.integers(1, 4))
def test_per_page_is_the_number_of_chunks(page: Page, k: int) -> None:
    if len(page.text.split()) >= 40:
        assert len(search_chunks(page, per_page=k)) == k


@given(st.lists(pages_of(any_text), min_size=1, max_size=5), st.data())
def test_a_context_chunk_is_tail_page_and_head(pages: list[Page], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(pages) - 1))
    padding = data.draw(st.integers(0, 600))
    before = pages[index - 1].text if index else ""
    after = pages[index + 1].text if index + 1 < len(pages) else ""
    chunk = context_chunk(pages, index, padding=padding)
    start = min(padding, len(before))
    end = start + len(pages[index].text)
    assert chunk[start:end] == pages[index].text
    assert before.endswith(chunk[:start])
    assert after.startswith(chunk[end:])
    assert len(chunk) - end == min(padding, len(after))


def paragraph(length: int, *path: str) -> Block:
    return Block(BlockKind.PARAGRAPH, ("word " * length)[: length - 1] + ".", path)


def test_a_block_boundary_is_preferred_to_a_nearer_sentence() -> None:
    sentences = Block(BlockKind.PARAGRAPH, "Sixteen letters. " * 30)
    page = Page(1, (paragraph(400), sentences))
    first, second = search_chunks(page, per_page=2)
    assert second.text == sentences.text
    assert first.text == page.blocks[0].text + "\n\n"


def test_a_line_is_preferred_to_a_word() -> None:
    page = Page(1, (Block(BlockKind.CODE, "a = 1; b = 2\n" * 40),))
    assert all(c.text.endswith("\n") for c in search_chunks(page, target=100))


def test_a_heading_stays_with_what_it_heads() -> None:
    heading = Block(BlockKind.HEADING, "Pool size", ("Pool size",))
    first, second = search_chunks(Page(1, (paragraph(500), heading, paragraph(480))), per_page=2)
    assert second.text.startswith("Pool size\n\nword")
    assert first.text.endswith(".\n\n")


def test_the_heading_names_shared_headings_and_the_owners_touched() -> None:
    page = Page(
        1,
        (
            paragraph(500, "Engines", "Pools"),
            paragraph(250, "Engines", "Pools", "QueuePool", "size"),
            paragraph(250, "Engines", "Pools", "NullPool"),
        ),
    )
    first, second = search_chunks(page, per_page=2)
    assert first.heading == "Engines > Pools"
    assert second.heading == "Engines > Pools > size > NullPool"


def test_a_listing_of_a_cell_is_searched_in_its_row_and_stands_below_the_table() -> None:
    rows = "".join(
        f"<tr><td>system {i}<td><pre>update --quietly\n  install valve-{i}\nstart</pre>"
        for i in range(60)
    )
    more = "<p>More on this:<pre>install valve-7\nstart</pre>"
    read = load(f"<h1>Steps</h1><table>{rows}</table>{more}".encode(), "steps.html")
    found = [c.text for page in ChunkingSettings().cut(read) for c in page if "valve-7" in c.text]
    assert len(read.pages) > 1
    assert len(found) == 2
    assert " ⏎ install valve-7 ⏎ start" in found[0]
    assert found[1] == "More on this:\n\ninstall valve-7\nstart"
    assert sum("update --quietly\n  install valve-7\nstart" in p.text for p in read.pages) == 1


def test_a_long_listing_below_a_long_table_takes_little_time() -> None:
    rows = [Block(BlockKind.TABLE_ROW, f"valve {i} — on") for i in range(20_000)]
    listing = Block(BlockKind.CODE, "\n".join(f"open valve {i}" for i in range(2_000)))
    started = time.process_time()
    assert not any(written_again([*rows, listing]))
    assert time.process_time() - started < 2


def test_a_long_heading_keeps_its_innermost_parts() -> None:
    path = (*(f"Part {i} of a long title" for i in range(20)), "Inner")
    (chunk,) = search_chunks(Page(1, (Block(BlockKind.PARAGRAPH, "Text.", path),)))
    assert chunk.heading.endswith(" > Inner")
    assert len(chunk.heading) <= HEADING_LENGTH
