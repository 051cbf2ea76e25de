"""Files that were made to break whatever reads them: each is refused with a reason."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from chatbot.models.gguf_file import NotGguf, read_header
from ingestion.loaders import load
from ingestion.page import UnreadableFile
from tests.ingestion.hostile_inputs import _zip
from tests.ui.attacks.attack import Attack

_ARRAY = 9


def _gguf(value: bytes, kind: int = _ARRAY) -> bytes:
    """A GGUF file with one key."""
    return b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", kind) + value


MODELS = [
    Attack(f"gguf-{id}", "file", "model file", _gguf(value), "its header holds the process",
           "a header has no arrays in arrays, and its counts are held against its length")
    for id, value in {
        "nested-arrays": struct.pack("<IQ", _ARRAY, 1) * 100_000,
        "endless-arrays": struct.pack("<IQ", _ARRAY, (1 << 64) - 1),
        "endless-numbers": struct.pack("<IQ", 10, (1 << 64) - 1),
        "endless-strings": struct.pack("<IQ", 8, (1 << 64) - 1),
        "unknown-kind": struct.pack("<IQ", 99, 1),
    }.items()
]  # fmt: skip


@pytest.mark.parametrize("case", MODELS, ids=str)
def test_a_model_file_is_refused_with_its_name(tmp_path: Path, case: Attack) -> None:
    file = tmp_path / "model.gguf"
    file.write_bytes(case.payload)
    with pytest.raises(NotGguf, match=r"model\.gguf is a damaged GGUF file"):
        read_header(file)


OFFICE = [
    Attack(f"office-{id}", "file", file, _zip(*parts), "memory is used up",
           "what parts of an Office file inflate to from next to nothing is bounded together")
    for id, file, parts in (
        ("one-part", "bomb.pptx", [("ppt/slides/slide1.xml", b"<a:tc/>" * 4_000_000)]),
        ("many-parts", "bomb.pptx",
         [(f"ppt/slides/slide{n}.xml", b"<a:tc/>" * 140_000) for n in range(25)]),
        ("many-parts-of-word", "bomb.docx",
         [(f"word/{n}.xml", b"<w:p/>" * 160_000) for n in range(25)]),
    )
]  # fmt: skip


@pytest.mark.parametrize("case", OFFICE, ids=str)
def test_an_office_file_that_inflates_from_next_to_nothing_is_a_bomb(case: Attack) -> None:
    with pytest.raises(UnreadableFile, match="a bomb"):
        load(case.payload, case.door)


CASES = [*MODELS, *OFFICE]
