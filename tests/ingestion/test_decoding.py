from __future__ import annotations

import pytest

from ingestion.decoding import decode
from ingestion.page import UnreadableFile

WORDS = "Grüße aus Köln: 5 €"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "windows-1252"])
def test_text_is_decoded_without_being_told_how(encoding: str) -> None:
    assert decode(WORDS.encode(encoding)) == WORDS


def test_utf_16_is_recognised_without_its_mark() -> None:
    assert decode("Latin letters".encode("utf-16-le")) == "Latin letters"
    assert decode("Latin letters".encode("utf-16-be")) == "Latin letters"


def test_what_the_file_declares_is_believed() -> None:
    assert decode("Привет".encode("koi8-r"), declared="koi8-r") == "Привет"


@pytest.mark.parametrize("declared", ["ascii", "no-such-encoding", "utf-16"])
def test_a_false_declaration_does_no_harm(declared: str) -> None:
    assert decode("é is a letter".encode(), declared=declared) == "é is a letter"


def test_line_ends_become_newlines_and_the_invisible_goes() -> None:
    assert decode("a\r\nb\rc\u200b\ufeff\x00d\u00ade".encode()) == "a\nb\ncde"


@pytest.mark.parametrize("data", [b"", b" \n\t "])
def test_an_empty_file_says_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="empty"):
        decode(data)


def test_binary_data_says_so() -> None:
    with pytest.raises(UnreadableFile, match="binary"):
        decode(bytes(range(256)) * 20)


def test_a_mislabelled_file_is_named_for_what_it_is() -> None:
    with pytest.raises(UnreadableFile, match="a PDF and not text"):
        decode(b"%PDF-1.7 and so on")
