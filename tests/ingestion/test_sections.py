from hypothesis import given
from hypothesis import strategies as st

from ingestion.documents import paginate
from ingestion.page import Block, BlockKind, Page

OPENERS = {BlockKind.HEADING, BlockKind.SIGNATURE, BlockKind.TABLE_HEADER}
SPLIT = {BlockKind.PARAGRAPH, BlockKind.DEFINITION, BlockKind.LIST_ITEM}


def paragraph(text: str, *path: str) -> Block:
    return Block(BlockKind.PARAGRAPH, text, path)


def section(size: int, *path: str) -> list[Block]:
    """A heading and paragraphs of 100 characters, `size` characters in all or a little more."""
    words = [paragraph(f"{n:03} ".ljust(99, "w") + ".", *path) for n in range(size // 102)]
    return [Block(BlockKind.HEADING, path[-1], path), *words]


def headings(page: Page) -> list[str]:
    return [block.text for block in page.blocks if block.kind is BlockKind.HEADING]


def test_a_short_document_is_one_page() -> None:
    (page,) = paginate(section(500, "Top"))
    assert page.number == 1
    assert page.text.startswith("Top\n\n000 www")


def test_nothing_makes_no_pages() -> None:
    assert paginate([]) == ()


def test_a_page_ends_where_the_path_changes_at_the_shallowest_depth() -> None:
    blocks = [
        *section(700, "Top", "A", "A1"),
        *section(700, "Top", "A", "A2"),
        *section(700, "Top", "B", "B1"),
        *section(700, "Top", "B", "B2"),
    ]
    assert [headings(p) for p in paginate(blocks, limit=1600)] == [["A1", "A2"], ["B1", "B2"]]


def test_small_neighbours_share_a_page_and_a_long_section_stands_alone() -> None:
    blocks = [
        *section(300, "Top", "A"),
        *section(300, "Top", "B"),
        *section(2500, "Top", "Long"),
        *section(300, "Top", "C"),
    ]
    pages = paginate(blocks, limit=1000)
    assert headings(pages[0]) == ["A", "B"]
    assert headings(pages[1]) == ["Long"]
    assert headings(pages[-1]) == ["C"]


def test_the_parts_of_a_long_section_are_of_about_equal_size() -> None:
    sizes = [len(page.text) for page in paginate(section(3300, "Top"), limit=3000)]
    assert len(sizes) == 2
    assert min(sizes) > 1000


def test_a_listing_stays_with_the_line_that_leads_to_it() -> None:
    blocks = [*section(950, "Top"), paragraph("For example:", "Top")]
    blocks += [Block(BlockKind.CODE, "x = 1\n" * 40, ("Top",)), *section(950, "Top", "Next")]
    page = next(p for p in paginate(blocks, limit=1000) if "x = 1" in p.text)
    assert "For example:\n\nx = 1" in page.text


def test_a_definition_stays_with_the_note_that_continues_it() -> None:
    blocks: list[Block] = []
    for n in range(6):
        blocks.append(Block(BlockKind.DEFINITION, f"p{n} – " + "w" * 190, ("f",)))
        blocks.append(paragraph("Deprecated. " + "n" * 190, "f", f"p{n}"))
    for page in paginate(blocks, limit=1000):
        assert page.blocks[0].kind is BlockKind.DEFINITION
        assert page.blocks[-1].text.startswith("Deprecated")


def test_a_table_that_is_cut_begins_again_with_its_header() -> None:
    header = ("Name", "Value")
    rows = [
        Block(BlockKind.TABLE_ROW, f"row {n:03} — {'v' * 80}", ("T",), "t", header)
        for n in range(40)
    ]
    pages = paginate(
        [Block(BlockKind.TABLE_HEADER, "Name — Value", ("T",), "t"), *rows], limit=1000
    )
    assert len(pages) > 3
    assert all(p.text.startswith("Name — Value\nrow ") for p in pages)
    assert [b for p in pages for b in p.blocks if b.kind is BlockKind.TABLE_ROW] == rows


def test_a_giant_listing_stays_whole() -> None:
    listing = "x = 1\n" * 2000
    pages = paginate([*section(500, "Top"), Block(BlockKind.CODE, listing, ("Top",))])
    assert any(block.text == listing for page in pages for block in page.blocks)


def test_a_giant_paragraph_is_cut_after_sentences() -> None:
    text = " ".join(f"This is sentence number {n}." for n in range(300))
    pages = paginate([paragraph(text, "Top")], limit=1000)
    pieces = [block.text for page in pages for block in page.blocks]
    assert all(piece.endswith(".") for piece in pieces)
    assert " ".join(pieces) == text


names = st.sampled_from(["A", "B", "C"])
blocks_of_any_sort = st.lists(
    st.builds(
        Block,
        kind=st.sampled_from([k for k in BlockKind if k is not BlockKind.TABLE_HEADER]),
        text=st.text(alphabet="ab. :\n", min_size=1, max_size=90)
        | st.integers(100, 700).map("x".__mul__)
        | st.integers(20, 90).map("Some words. ".__mul__),
        path=st.lists(names, max_size=4).map(tuple),
        header=st.just(()),
    ),
    max_size=40,
)


def letters(text: str) -> str:
    return "".join(text.split())


@given(blocks_of_any_sort)
def test_no_text_is_lost_repeated_or_moved(blocks: list[Block]) -> None:
    pages = paginate(blocks, limit=300)
    assert letters("".join(b.text for p in pages for b in p.blocks)) == letters(
        "".join(b.text for b in blocks)
    )
    assert [p.number for p in pages] == list(range(1, len(pages) + 1))


@given(blocks_of_any_sort)
def test_only_a_block_that_stays_whole_makes_a_page_too_long(blocks: list[Block]) -> None:
    for page in paginate(blocks, limit=300):
        others = page.blocks[:-1]
        assert len(Page(1, others).text) <= 300
        if len(page.text) > 300 and others:
            assert others[-1].kind in OPENERS


@given(blocks_of_any_sort)
def test_every_block_but_running_text_stays_as_it_was(blocks: list[Block]) -> None:
    kept = [b for p in paginate(blocks, limit=300) for b in p.blocks if b.kind not in SPLIT]
    assert kept == [b for b in blocks if b.kind not in SPLIT]


@given(blocks_of_any_sort)
def test_a_heading_ends_no_page_that_something_follows(blocks: list[Block]) -> None:
    for page in paginate(blocks, limit=300)[:-1]:
        assert page.blocks[-1].kind is not BlockKind.HEADING or len(page.text) > 290
