from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from chatbot.retrieval.records import records, sentences
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

PATH = ("Engines", "create_engine")


def test_every_record_stands_letter_for_letter_on_its_page() -> None:
    page = stored_page(
        Block(BlockKind.HEADING, "Engines", ("Engines",), "engines"),
        Block(
            BlockKind.PARAGRAPH, "An engine connects. It is made once, e.g. at start.", ("Engines",)
        ),
        Block(BlockKind.SIGNATURE, "create_engine(url, *, pool_size=5)", PATH, "create_engine"),
        Block(BlockKind.DEFINITION, "pool_size=5 – connections kept open.", PATH, "create_engine"),
        Block(BlockKind.CODE, "engine = create_engine(url)\nengine.connect()", PATH),
    )
    found = records(page)
    assert all(record.quote in page.text for record in found)
    assert [r.label for r in found] == ["Engines", "Engines", "create_engine", "create_engine"]


def test_short_neighbours_of_one_owner_are_read_together() -> None:
    page = stored_page(
        Block(BlockKind.SIGNATURE, "rc.fast_reduce", ("rc", "fast_reduce")),
        Block(BlockKind.PARAGRAPH, "Use tree-based reductions.", ("rc", "fast_reduce")),
        Block(BlockKind.PARAGRAPH, "Default: True", ("rc", "fast_reduce")),
        Block(BlockKind.PARAGRAPH, "Something else.", ("rc", "errors")),
    )
    assert [r.reading for r in records(page)] == [
        "rc.fast_reduce\nUse tree-based reductions.\nDefault: True",
        "Something else.",
    ]


def test_a_table_row_is_read_with_its_headers() -> None:
    header = ("Port", "Rate", "Note")
    page = stored_page(
        Block(BlockKind.TABLE_HEADER, "Port — Rate — Note", header=header),
        Block(BlockKind.TABLE_ROW, "XF-1 — 10 Gbit/s — ", header=header),
    )
    (row,) = records(page)
    assert row.reading == "Port: XF-1; Rate: 10 Gbit/s"
    assert row.quote == "XF-1 — 10 Gbit/s — "


def test_a_list_item_is_read_with_the_sentence_that_leads_to_it() -> None:
    page = stored_page(
        Block(BlockKind.PARAGRAPH, "Restart is needed. These need a licence:"),
        Block(BlockKind.LIST_ITEM, "- protection switching"),
        Block(BlockKind.PARAGRAPH, "Nothing else does."),
        Block(BlockKind.LIST_ITEM, "- another list"),
    )
    readings = [r.reading for r in records(page)]
    assert "These need a licence: - protection switching" in readings
    assert "- another list" in readings


def test_a_long_description_keeps_the_name_with_every_sentence() -> None:
    text = "timeout – seconds to wait. " + "It is counted from the first byte of the reply. " * 10
    page = stored_page(Block(BlockKind.DEFINITION, text.strip(), PATH))
    readings = [r.reading for r in records(page)]
    assert len(readings) > 1
    assert all(r.startswith("timeout") for r in readings)


def test_abbreviations_and_decimals_end_no_sentence() -> None:
    text = "Use e.g. Version 2.0 of the driver, i.e. The new one. Then restart the whole system."
    assert sentences(text) == [
        "Use e.g. Version 2.0 of the driver, i.e. The new one.",
        "Then restart the whole system.",
    ]


@given(st.text(alphabet="ab.!? X\"'", max_size=200))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
