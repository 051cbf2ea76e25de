from hypothesis import given
from hypothesis import strategies as st

from chatbot.retrieval.records import records, row_in_words, sentences
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


def test_a_table_row_is_read_with_its_headers() -> None:
    header = ("Port", "Rate", "Note")
    page = stored_page(
        Block(BlockKind.TABLE_HEADER, "Port — Rate — Note", header=header),
        Block(BlockKind.TABLE_ROW, "XF-1 — 10 Gbit/s — ", header=header),
    )
    (row,) = records(page)
    assert row.reading == "Port: XF-1; Rate: 10 Gbit/s"
    assert row.quote == "XF-1 — 10 Gbit/s — "


def test_a_listing_that_a_cell_holds_is_read_in_its_row_alone() -> None:
    header = ("System", "Commands")
    page = stored_page(
        Block(BlockKind.TABLE_HEADER, " — ".join(header), header=header),
        Block(BlockKind.TABLE_ROW, "Fedora — cd /opt ⏎ make", header=header),
        Block(BlockKind.CODE, "cd /opt\nmake"),
        Block(BlockKind.CODE, "cd /srv\nmake"),
    )
    read = [record.reading for record in records(page)]
    assert read == ["System: Fedora; Commands: cd /opt ⏎ make", "cd /srv\nmake"]


def test_a_row_in_words_loses_no_cell_whose_header_is_another_s() -> None:
    header = ("Port", "Rate", "Rate", "Default", "Default")
    page = stored_page(
        Block(BlockKind.TABLE_HEADER, " — ".join(header), header=header),
        Block(BlockKind.TABLE_ROW, "XF-1 — 10 — 25 — on — off", header=header),
    )
    (row,) = records(page)
    assert row_in_words(row) == "The default of `XF-1` is on; rate 10, rate 25, default off"


def test_a_row_in_words_tells_a_description_that_is_no_sentence_in_the_same_one() -> None:
    header = ("Name", "Default", "Meaning")
    page = stored_page(
        Block(BlockKind.TABLE_HEADER, " — ".join(header), header=header),
        Block(BlockKind.TABLE_ROW, "max_load — 5 — the largest load", header=header),
    )
    (row,) = records(page)
    assert row_in_words(row) == "The default of `max_load` is 5; the largest load"


@given(st.text(alphabet="ab.!? X\"'", max_size=200))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
