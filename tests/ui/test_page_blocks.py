from __future__ import annotations

import pytest

from ingestion.page import Block, BlockKind, Page
from ui.sources.page_blocks import Piece, page_pieces

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
