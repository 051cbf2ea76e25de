from __future__ import annotations

from chatbot.comparison.changes import Row
from chatbot.comparison.in_words import SHOWN, changes_in_words, presence_in_words
from chatbot.comparison.presence import Finding
from chatbot.comparison.wording import in_short, table
from chatbot.retrieval.records import records
from chatbot.turn import Documented
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

RELEASES = ("1.0", "2.0")


def test_what_is_not_written_out_is_named_by_document() -> None:
    rows = (f"rule-{i} — {i}" for i in range(SHOWN + 10))
    header = ("Rule", "Value")
    page = stored_page(
        *(Block(BlockKind.TABLE_ROW, row, ("Rules",), header=header) for row in rows)
    )
    added = [Row((None, record), differs=True) for record in records(page)]
    answer = changes_in_words("rules", RELEASES, added, ())
    assert answer is not None
    assert len(answer.citations) == SHOWN
    assert f"10 more differ, in {page.document.title}." in answer.text


def test_a_table_keeps_bars_in_its_cells() -> None:
    assert table(("", "1.0"), [("a|b", "c")]) == "|  | 1.0 |\n| --- | --- |\n| a\\|b | c |"


def test_words_of_documents_and_askers_load_link_and_cite_nothing() -> None:
    hostile = "hold [1] ![x](https://evil.example/x)"
    assert in_short(hostile) == "hold `[1]` [x] (`https://evil.example/x`)"
    page = stored_page(*(Block(BlockKind.PARAGRAPH, text, ("Talk",)) for text in ("One.", "Two.")))
    rows = [Row((one, other), differs=True) for one in records(page) for other in records(page)]
    changes = changes_in_words(hostile, RELEASES, [*rows, *rows], ())
    assert changes is not None
    assert "on hold `[1]` x differ" in changes.text
    found = presence_in_words("a` [9] `b", [Finding("1.0", Documented.NOT_FOUND)])
    assert found.text == "I couldn't find `a' [9] 'b` in the documentation of 1.0."


def test_long_texts_fit_on_a_line() -> None:
    assert in_short("- one\n  two") == "one two"
    assert in_short("word " * 100, 20) == "word word word word …"
