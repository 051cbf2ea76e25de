import pytest

from ingestion.page import Block, BlockKind, Page
from ui.sources.page_blocks import Piece, page_pieces
from ui.wording.marking import differing_spans, quoted_spans, quoted_words

PAGE = "The cover screw needs a torque of 4.5 N m. The base screw needs a torque of 6 N m."


@pytest.mark.parametrize(
    ("page", "quote", "found"),
    [
        (PAGE, "needs a torque of", ["needs a torque of"]),
        ("one two\n  three four", "two three four", ["two\n  three four"]),
        # The longest parts where the whole is not there, and no words by chance.
        (
            PAGE,
            "Note: the cover screw needs a torque of five N m.",
            ["The cover screw needs a torque of 4.5 N m."],
        ),
        (PAGE, "a 6 torque screw base", []),
        (PAGE, "nothing of this", []),
        (PAGE, "   ", []),
    ],
)
def test_the_quoted_words_are_marked_where_they_stand(
    page: str, quote: str, found: list[str]
) -> None:
    assert [page[start:end] for start, end in quoted_spans(page, quote)] == found


LONG = "Note: the cover screw needs a torque of five N m."
WORDS = ["word"] * 4_000


@pytest.mark.parametrize(
    ("page", "quote", "found"),
    [
        # On a long page where most of the quote stands, and as a whole before parts together.
        (["screw", "needs", "a", *WORDS, *PAGE.split(), *WORDS], LONG, (4_003, 4_013)),
        (["one", "two", "three", *WORDS, *["three", "two", "one"] * 300], "one two three", (0, 3)),
        # Cells of a printed page stand without their delimiters.
        (["Fastener", "Cover", "4.5", "N·m", "Base", "6", "N·m"], "Cover — 4.5 N·m", (1, 4)),
        (["hold", "300", "s"], "300", (1, 2)),
        (["The", "ﬁrst", "oﬀset", "value"], "first offset value", (1, 4)),
    ],
)
def test_a_quote_is_found_among_the_words_of_a_page(
    page: list[str], quote: str, found: tuple[int, int]
) -> None:
    assert quoted_words(page, quote) == [found]


@pytest.mark.parametrize(
    ("before", "after", "gone", "come"),
    [
        ("waits 5 min; then stops", "waits 300 s; then stops", ["5 min"], ["300 s"]),
        ("a b", "a b", [], []),
        ("pool_size=5", "pool_size=10", ["5"], ["10"]),
        ("off", "on or off", [], ["on or"]),
        ("", "new", [], ["new"]),
        ("a, b and c", "a and c", [", b"], []),
    ],
)
def test_the_words_that_two_texts_do_not_share_are_marked(
    before: str, after: str, gone: list[str], come: list[str]
) -> None:
    old, new = differing_spans(before, after)
    assert [before[a:b] for a, b in old] == gone
    assert [after[a:b] for a, b in new] == come


PARAGRAPH, ITEM = BlockKind.PARAGRAPH, BlockKind.LIST_ITEM
HEADER, ROW = BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW
TWO = "| A | B |\n| --- | --- |"


def page(*blocks: tuple[BlockKind, str]) -> Page:
    return Page(1, tuple(Block(kind, text, ("Guide",)) for kind, text in blocks))


@pytest.mark.parametrize(
    ("blocks", "quote", "texts"),
    [
        (
            [(PARAGRAPH, "Set *it* to 3 now. Go on.")],
            "*it* to 3 now.",
            ["Set :yellow-background[\\*it\\* to 3 now\\.] Go on\\."],
        ),
        (
            [(PARAGRAPH, "one two"), (PARAGRAPH, "three four")],
            "two\n\nthree",
            ["one :yellow-background[two]", ":yellow-background[three] four"],
        ),
        (
            [(ITEM, "- one"), (ITEM, "  - deeper"), (ITEM, "3. three")],
            "deeper",
            ["- one\n    - :yellow-background[deeper]\n3. three"],
        ),
        ([(ITEM, "    - deep")], "", ["- deep"]),
        (
            [(BlockKind.HEADING, "Set :red[x] # now")],
            "",
            ["### Set \\:red\\[x\\] \\# now"],
        ),
        ([(HEADER, "A — B"), (ROW, "1 — 2 — 3")], "", [TWO, "| 1 | 2 | 3 |\n| --- | --- | --- |"]),
    ],
)
def test_blocks_are_text_with_the_quote_marked(
    blocks: list[tuple[BlockKind, str]], quote: str, texts: list[str]
) -> None:
    assert [piece.text for piece in page_pieces(page(*blocks), quote)] == texts


def test_a_table_is_a_table_and_its_cells_are_text() -> None:
    table = page(
        (HEADER, "Name — Default"),
        (ROW, "a|b — <i>"),
        (ROW, "hold — 300"),
    )
    (piece,) = page_pieces(table, "hold — 300")
    assert piece.text.splitlines() == [
        "| Name | Default |",
        "| --- | --- |",
        "| a\\|b | \\<i\\> |",
        "| :yellow-background[hold] | :yellow-background[300] |",
    ]


def test_code_is_code_and_the_quoted_lines_stand_apart() -> None:
    listing = page((BlockKind.CODE, "first()\nsecond(*x)\nthird()"))
    assert page_pieces(listing, "second(*x)") == (
        Piece("first()", code=True),
        Piece("second(*x)", code=True, marked=True),
        Piece("third()", code=True),
    )


def test_of_a_drawing_the_quoted_lines_alone_are_marked() -> None:
    lines = page(*((BlockKind.DRAWING, text) for text in ("Shelf", "MGMT — RJ-45", "Fan")))
    assert page_pieces(lines, "MGMT — RJ-45") == (
        Piece("Shelf", code=True),
        Piece("MGMT — RJ-45", code=True, marked=True),
        Piece("Fan", code=True),
    )
