from __future__ import annotations

import pytest

from ingestion.loaders.text import load
from ingestion.page import Block, BlockKind, UnreadableFile


def read(text: str) -> list[Block]:
    return [block for page in load(text.encode(), "x.txt").pages for block in page.blocks]


def test_a_blank_line_ends_a_paragraph() -> None:
    assert [b.text for b in read("One\nline.\n\n\nAnother.\n")] == ["One line.", "Another."]


def test_headings_are_underlined_numbered_or_in_capitals() -> None:
    text = "MANUAL\n\nPorts\n=====\nText.\n\nSlots\n-----\nMore.\n\n1.2 Cabling of ports\n\nEnd.\n"
    assert [b.path for b in read(text) if b.kind is BlockKind.PARAGRAPH] == [
        ("MANUAL", "Ports"),
        ("MANUAL", "Ports", "Slots"),
        ("MANUAL", "Ports", "Slots", "1.2 Cabling of ports"),
    ]


def test_the_first_heading_is_the_title_else_the_file_name() -> None:
    assert load(b"Text.\n\nPorts\n=====\n", "a.txt").title == "Ports"
    assert load(b"Text.\n", "doc/a.txt").title == "a.txt"


def test_indented_text_stays_as_it_is() -> None:
    blocks = read("Do:\n\n    stop  all\n      now\n\n    start\n\nDone.\n")
    assert [(b.kind, b.text) for b in blocks] == [
        (BlockKind.PARAGRAPH, "Do:"),
        (BlockKind.CODE, "    stop  all\n      now\n\n    start"),
        (BlockKind.PARAGRAPH, "Done."),
    ]


def test_columns_made_of_spaces_stay_as_they_are() -> None:
    table = "Name      Port\nssh       22\nhttp      80"
    assert [(b.kind, b.text) for b in read(table)] == [(BlockKind.CODE, table)]


def test_list_items_are_marked() -> None:
    assert [b.text for b in read("* one\n  goes on\n* two\n\n1) first\n2) second\n")] == [
        "- one goes on",
        "- two",
        "1. first",
        "2. second",
    ]


def test_a_form_feed_ends_a_paragraph() -> None:
    assert [b.text for b in read("One.\fTwo.")] == ["One.", "Two."]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\x00\x01" * 50, b"\x89PNG\r\n"])
def test_what_is_no_text_says_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"empty|binary|PNG"):
        load(data, "x.txt")


def test_a_line_of_five_megabytes_becomes_pages() -> None:
    pages = load(b"x" * 5_000_000, "x.txt").pages
    assert max(len(page.text) for page in pages) <= 3000
    assert sum(len(page.text) for page in pages) == 5_000_000


def test_what_is_written_as_restructured_text_is_read_as_such() -> None:
    text = (
        b"Signals\n=======\n\n.. versionadded:: 3.2\n\n.. code-block:: python\n\n    connect(f)\n"
    )
    document = load(text, "signals.txt")
    kinds = [block.kind for page in document.pages for block in page.blocks]
    assert BlockKind.CODE in kinds
    assert ".. " not in "".join(page.text for page in document.pages)


def test_the_options_of_a_command_are_definitions_each_with_what_it_does() -> None:
    text = b"""usage: lamp [options]

options:
  -h, --help            show this help
  --level LEVEL, -l LEVEL
                        how bright it is, in
                        percent (default: 70)
                        --fade may change it
  -q                    be quiet

- an item
"""
    blocks = [block for page in load(text, "help.txt").pages for block in page.blocks]
    assert [block.text for block in blocks if block.kind is BlockKind.DEFINITION] == [
        "-h, --help – show this help",
        "--level LEVEL, -l LEVEL – how bright it is, in percent (default: 70) --fade may change it",
        "-q – be quiet",
    ]
    assert blocks[-1].text == "- an item"
