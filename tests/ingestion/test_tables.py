from hypothesis import given
from hypothesis import strategies as st

from ingestion.page import CELL_DELIMITER, BlockKind
from ingestion.tables import Cell, expand_spans, table_blocks


def test_a_row_keeps_its_cells_in_order_and_carries_the_header() -> None:
    header, row = table_blocks([["Alarm", "Severity"], ["LOS", "critical"]], header_rows=1)
    assert (header.kind, header.text) == (BlockKind.TABLE_HEADER, "Alarm — Severity")
    assert (row.kind, row.text) == (BlockKind.TABLE_ROW, "LOS — critical")
    assert row.header == ("Alarm", "Severity")


def test_a_cell_that_spans_is_repeated_in_every_place_it_covers() -> None:
    grid = expand_spans(
        [
            [Cell("Port", rowspan=2), Cell("Power", colspan=2)],
            [Cell("min"), Cell("max")],
            [Cell("1"), Cell("2 W"), Cell("4 W")],
        ]
    )
    assert grid == [["Port", "Power", "Power"], ["Port", "min", "max"], ["1", "2 W", "4 W"]]


def test_an_empty_cell_keeps_its_column_and_an_empty_row_goes() -> None:
    _, row = table_blocks([["a", "b", "c"], ["1", "", "3"], ["", "", ""]], header_rows=1)
    assert row.text.split(CELL_DELIMITER) == ["1", "", "3"]


def test_a_cell_above_all_columns_is_the_title_and_no_header() -> None:
    title, row = table_blocks([["Codes", "Codes"], ["-1", "busy"]], header_rows=1)
    assert (title.kind, title.text) == (BlockKind.PARAGRAPH, "Codes")
    assert row.header == ()


def test_a_delimiter_inside_a_cell_makes_no_new_column() -> None:
    (row,) = table_blocks([["on — off", "x"]], header_rows=0)
    assert row.text.split(CELL_DELIMITER) == ["on – off", "x"]


def test_absurd_spans_neither_fail_nor_fill_the_memory() -> None:
    grid = expand_spans([[Cell("a", rowspan=0, colspan=999_999)], [Cell("b", rowspan=10**9)]])
    assert len(grid) == 2
    assert len(grid[0]) == 1000


@given(st.lists(st.lists(st.text(max_size=8), min_size=3, max_size=3), min_size=1, max_size=8))
def test_every_row_is_one_line_with_as_many_cells_as_the_table(rows: list[list[str]]) -> None:
    for block in table_blocks(rows, header_rows=1):
        assert "\n" not in block.text
        if block.kind is BlockKind.PARAGRAPH:
            continue
        assert len(block.text.split(CELL_DELIMITER)) == 3


cells = st.builds(
    Cell,
    text=st.sampled_from("abc"),
    rowspan=st.integers(0, 4),
    colspan=st.integers(0, 4),
)


@given(st.lists(st.lists(cells, max_size=4), max_size=6))
def test_expanding_gives_a_rectangle_with_a_line_for_each_row(rows: list[list[Cell]]) -> None:
    grid = expand_spans(rows)
    assert len(grid) == len(rows)
    assert len({len(line) for line in grid}) <= 1
