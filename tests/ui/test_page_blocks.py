from __future__ import annotations

from ingestion.page import Block, BlockKind, Page
from ui.sources.page_blocks import Piece, page_pieces


def page(*blocks: tuple[BlockKind, str]) -> Page:
    return Page(1, tuple(Block(kind, text, ("Guide",)) for kind, text in blocks))


def test_a_paragraph_is_text_with_the_quote_marked() -> None:
    pieces = page_pieces(page((BlockKind.PARAGRAPH, "Set *it* to 3 now. Go on.")), "*it* to 3 now.")
    assert pieces == (Piece("Set :yellow-background[\\*it\\* to 3 now\\.] Go on\\.", marked=True),)


def test_a_quote_over_several_blocks_is_marked_in_each() -> None:
    both = page((BlockKind.PARAGRAPH, "one two"), (BlockKind.PARAGRAPH, "three four"))
    texts = [piece.text for piece in page_pieces(both, "two\n\nthree")]
    assert texts == ["one :yellow-background[two]", ":yellow-background[three] four"]


def test_a_table_is_a_table_and_its_cells_are_text() -> None:
    table = page(
        (BlockKind.TABLE_HEADER, "Name — Default"),
        (BlockKind.TABLE_ROW, "a|b — <i>"),
        (BlockKind.TABLE_ROW, "hold — 300"),
    )
    (piece,) = page_pieces(table, "hold — 300")
    assert piece.text.splitlines() == [
        "| Name | Default |",
        "| --- | --- |",
        "| a\\|b | \\<i\\> |",
        "| :yellow-background[hold] | :yellow-background[300] |",
    ]


def test_a_row_of_another_width_begins_a_table_of_its_own() -> None:
    table = page((BlockKind.TABLE_HEADER, "A — B"), (BlockKind.TABLE_ROW, "1 — 2 — 3"))
    assert [p.text.splitlines()[0] for p in page_pieces(table)] == ["| A | B |", "| 1 | 2 | 3 |"]


def test_a_list_keeps_its_levels_and_numbers() -> None:
    items = page(
        (BlockKind.LIST_ITEM, "- one"),
        (BlockKind.LIST_ITEM, "  - deeper"),
        (BlockKind.LIST_ITEM, "3. three"),
    )
    (piece,) = page_pieces(items, "deeper")
    assert piece.text == "- one\n    - :yellow-background[deeper]\n3. three"


def test_a_list_that_begins_deep_is_no_code() -> None:
    (piece,) = page_pieces(page((BlockKind.LIST_ITEM, "    - deep")))
    assert piece.text == "- deep"


def test_code_is_code_and_the_quoted_lines_stand_apart() -> None:
    listing = page((BlockKind.CODE, "first()\nsecond(*x)\nthird()"))
    assert page_pieces(listing, "second(*x)") == (
        Piece("first()", code=True),
        Piece("second(*x)", code=True, marked=True),
        Piece("third()", code=True),
    )


def test_the_lines_of_a_drawing_stay_together() -> None:
    drawing = page((BlockKind.DRAWING, "A — B"), (BlockKind.DRAWING, "C"))
    assert page_pieces(drawing) == (Piece("A — B\nC", code=True),)


def test_a_heading_is_a_heading_of_text() -> None:
    (piece,) = page_pieces(page((BlockKind.HEADING, "Set :red[x] # now")))
    assert piece.text == "### Set \\:red\\[x\\] \\# now"


def test_of_a_drawing_the_quoted_lines_alone_are_marked() -> None:
    lines = page(*((BlockKind.DRAWING, text) for text in ("Shelf", "MGMT — RJ-45", "Fan")))
    assert page_pieces(lines, "MGMT — RJ-45") == (
        Piece("Shelf", code=True),
        Piece("MGMT — RJ-45", code=True, marked=True),
        Piece("Fan", code=True),
    )
