import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.retrieval.records import records, row_in_words, sentences
from chatbot.turn import Record
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


def of_table(header: str, row: str, *more: Block) -> list[Record]:
    names = tuple(header.split(" — "))
    rows = (BlockKind.TABLE_HEADER, header), (BlockKind.TABLE_ROW, row)
    return records(stored_page(*(Block(*of, header=names) for of in rows), *more))


def test_a_table_row_is_read_with_its_headers() -> None:
    (row,) = of_table("Port — Rate — Note", "XF-1 — 10 Gbit/s — ")
    assert row.reading == "Port: XF-1; Rate: 10 Gbit/s"
    assert row.quote == "XF-1 — 10 Gbit/s — "


def test_a_listing_that_a_cell_holds_is_read_in_its_row_alone() -> None:
    listings = (Block(BlockKind.CODE, f"cd {folder}\nmake") for folder in ("/opt", "/srv"))
    found = of_table("System — Commands", "Fedora — cd /opt ⏎ make", *listings)
    read = [record.reading for record in found]
    assert read == ["System: Fedora; Commands: cd /opt ⏎ make", "cd /srv\nmake"]


@pytest.mark.parametrize(
    ("header", "row", "words"),
    [
        # No cell is lost whose header is another's.
        (
            "Port — Rate — Rate — Default — Default",
            "XF-1 — 10 — 25 — on — off",
            "The default of `XF-1` is on; rate 10, rate 25, default off",
        ),
        # A description that is no sentence stands in the same one.
        (
            "Name — Default — Meaning",
            "max_load — 5 — the largest load",
            "The default of `max_load` is 5; the largest load",
        ),
    ],
)
def test_a_row_in_words(header: str, row: str, words: str) -> None:
    assert [row_in_words(record) for record in of_table(header, row)] == [words]


@given(st.text(alphabet="ab.!? X\"'", max_size=200))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
