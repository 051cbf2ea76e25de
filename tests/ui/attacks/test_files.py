"""Files that were made to break whatever reads them: each is refused with a reason."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from chatbot.models.gguf_file import NotGguf, read_header
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
    with pytest.raises(NotGguf, match="model.gguf is a damaged GGUF file"):
        read_header(file)


CASES = [*MODELS]
