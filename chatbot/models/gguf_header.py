"""What a GGUF file says of its model: only the few keys that Strata needs, without its weights.

The `gguf` package reads a file as a whole, which takes nine seconds for a vocabulary of 150,000
words; this takes a tenth of one.
"""

import struct
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

_NUMBERS = dict(enumerate("BbHhIif?")) | {10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class NotGguf(ValueError):
    """A file cannot be read as a GGUF model; the message says why."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """The longest request that a model was made for, in tokens, and whether it knows chats."""

    context: int
    has_chat_template: bool


def read_header(path: Path) -> GgufHeader:
    """Read the keys of a GGUF file (versions 2 and 3). Raises NotGguf, and OSError."""
    with path.open("rb") as file:
        if file.read(4) != b"GGUF":
            raise NotGguf(f"{path} is no GGUF file: it does not begin with GGUF")
        with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
            data.seek(4)
            try:
                version, _, count = (_number(data, kind) for kind in "IQQ")
                if version not in (2, 3):
                    raise KeyError(version)
                keys = {_text(data): _value(data, _number(data, "I")) for _ in range(count)}
            except (struct.error, KeyError, ValueError, OverflowError) as error:
                raise NotGguf(
                    f"{path} is a damaged GGUF file, or cut off: fetch it again"
                ) from error
    context = keys.get(f"{keys.get('general.architecture')}.context_length")
    if not isinstance(context, int):
        raise NotGguf(f"{path} does not tell the length of its context: it is no language model")
    return GgufHeader(context, bool(keys.get("tokenizer.chat_template")))


def _value(data: mmap, kind: int) -> Any:
    """A value as it stands in the file; None for an array, which is passed over."""
    if kind == _STRING:
        return _text(data)
    if kind != _ARRAY:
        return _number(data, _NUMBERS[kind])
    kind, count = _number(data, "I"), _number(data, "Q")
    if kind in _NUMBERS:
        data.seek(count * struct.calcsize(_NUMBERS[kind]), 1)
        return None
    for _ in range(count):
        if kind == _STRING:
            data.seek(struct.unpack("<Q", data.read(8))[0], 1)
        else:
            _value(data, kind)
    return None


def _text(data: mmap) -> str:
    length = _number(data, "Q")
    text: bytes = struct.unpack(f"{length}s", data.read(length))[0]
    return text.decode("utf-8")


def _number(data: mmap, kind: str) -> Any:
    return struct.unpack(f"<{kind}", data.read(struct.calcsize(f"<{kind}")))[0]
