"""Files that were made to break whatever reads them: each is refused with a reason."""

import struct
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest

from chatbot.models.gguf_file import NotGguf, read_header
from ingestion import reading
from ingestion.archives import Archive
from ingestion.listing import list_files
from ingestion.loaders import load
from ingestion.page import Document, Rejected, UnreadableFile
from ingestion.sandbox import Sandbox
from tests.ingestion.office_files import zipped
from tests.ui.attacks.conftest import each

_ARRAY = 9


def _gguf(value: bytes, kind: int = _ARRAY) -> bytes:
    """A GGUF file with one key."""
    return b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", kind) + value


MODELS = {
    "nested-arrays": struct.pack("<IQ", _ARRAY, 1) * 100_000,
    "endless-arrays": struct.pack("<IQ", _ARRAY, (1 << 64) - 1),
    "endless-numbers": struct.pack("<IQ", 10, (1 << 64) - 1),
    "endless-strings": struct.pack("<IQ", 8, (1 << 64) - 1),
    "unknown-kind": struct.pack("<IQ", 99, 1),
}


@each(MODELS)
def test_a_model_file_is_refused_with_its_name(tmp_path: Path, case: bytes) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(_gguf(case))
    with pytest.raises(NotGguf, match=r"model\.gguf is a damaged GGUF file"):
        read_header(file)


OFFICE = {
    "one-part": ("bomb.pptx", [("ppt/slides/slide1.xml", b"<a:tc/>" * 4_000_000)]),
    "many-parts": (
        "bomb.pptx",
        [(f"ppt/slides/slide{n}.xml", b"<a:tc/>" * 140_000) for n in range(25)],
    ),
    "many-parts-of-word": (
        "bomb.docx",
        [(f"word/{n}.xml", b"<w:p/>" * 160_000) for n in range(25)],
    ),
}


@each(OFFICE)
def test_an_office_file_that_inflates_from_next_to_nothing_is_a_bomb(case: Any) -> None:
    file, parts = case
    with pytest.raises(UnreadableFile, match="possible zip bomb"):
        load(zipped(*parts), file)


def _guide(*lines: str) -> tuple[str, bytes]:
    return "guide.rst", "\n\n".join(["Guide", *lines]).encode()


LINE, LONG = ".. literalinclude:: big.inc\n   :lines: 1", b"The valve.\n" + b"x" * 1_000_000
NESTED = b".. include:: %d.inc\n\n"
INCLUDING = {
    "kept-little": [_guide(*[LINE] * 3_000), ("big.inc", LONG)],
    "many": [
        _guide(*(f".. include:: {n}.inc" for n in range(3_000))),
        *((f"{n}.inc", b"x") for n in range(3_000)),
    ],
    "nested": [
        _guide(".. include:: 0.inc"),
        *((f"{n}.inc", NESTED % (n + 1) * 40) for n in range(9)),
    ],
    "indented": [
        _guide(*(" " * 10_000 + ".. include:: lines.inc" for _ in range(100))),
        ("lines.inc", b"x\n" * 10_000),
    ],
}


@each(INCLUDING)
def test_what_a_text_includes_is_bounded_by_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: Any
) -> None:
    read: list[int] = []
    named = Archive.named

    def counted(archive: Archive, *arguments: Any) -> bytes | None:
        data = named(archive, *arguments)
        read.append(len(data or b""))
        return data

    monkeypatch.setattr(Archive, "named", counted)
    monkeypatch.setattr(reading, "Sandbox", Sandbox)
    (tmp_path / "docs.zip").write_bytes(zipped(*case))
    (document,) = reading.read_files(list_files([tmp_path / "docs.zip"]))
    assert isinstance(document, Document)
    assert "too much" in document.remarks[0]
    assert len(read) <= 1_000
    assert sum(read) <= 21_000_000
    assert sum(len(page.text) for page in document.pages) < 21_000_000


def test_putting_a_text_together_ends_with_its_job() -> None:
    sandbox = Sandbox(memory=1 << 30, seconds=60)
    ending = Thread(target=sandbox.close)
    asked: list[str] = []

    def read(name: str) -> bytes:
        asked.append(name)
        if len(asked) == 1:
            ending.start()
            while not sandbox._closed:
                sleep(0.01)
        return b"x"

    answer = sandbox.include(b".. include:: a.inc\n\n" * 900, "guide.rst", read)
    ending.join()
    assert isinstance(answer, Rejected)
    assert len(asked) < 900
    assert sandbox._child is None
