import pytest

from ingestion.loaders.text import load
from ingestion.page import UnreadableFile


def test_the_first_heading_is_the_title_else_the_file_name() -> None:
    assert load(b"Text.\n\nPorts\n=====\n", "a.txt").title == "Ports"
    assert load(b"Text.\n", "doc/a.txt").title == "a.txt"


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\x00\x01" * 50, b"\x89PNG\r\n"])
def test_what_is_no_text_says_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match=r"empty|binary|PNG"):
        load(data, "x.txt")


def test_a_line_of_five_megabytes_becomes_pages() -> None:
    pages = load(b"x" * 5_000_000, "x.txt").pages
    assert max(len(page.text) for page in pages) <= 3000
    assert sum(len(page.text) for page in pages) == 5_000_000
