"""The bytes of a text file become a string, whatever they were encoded in."""

import codecs
import re

from ingestion.page import UnreadableFile
from ingestion.sniffing import binary_format

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNBELIEVABLE = re.compile(r"(us-)?ascii|(iso-?8859-1|latin-?1)|utf-?(16|32).*", re.IGNORECASE)
_FEW = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff\u200b\u00ad]")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Decode by byte order mark, then by what the file declares, then UTF-8, then Windows-1252.

    Line ends become newlines; control characters, soft hyphens and zero-width spaces go. As in
    browsers (WHATWG Encoding), a declared Latin-1 means Windows-1252, and a declared UTF-16
    cannot be true where the declaration itself was readable. Raises UnreadableFile for empty
    files and for bytes that are no text.
    """
    if not data.strip():
        raise UnreadableFile("the file is empty")
    if name := binary_format(data):
        raise UnreadableFile(f"this is {name} and not text; give it the suffix of its format")
    text = _decoded(data, declared)
    if len(_CONTROL.findall(text)) > max(len(text) // 50, _FEW):
        raise UnreadableFile("this is binary data and not text; check the file's suffix")
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _decoded(data: bytes, declared: str | None) -> str:
    for mark, marked in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(marked, errors="replace")
    if declared and _UNBELIEVABLE.fullmatch(declared):
        declared = None
    for encoding in filter(None, (_unmarked_utf16(data), declared, "utf-8")):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeError):
            continue
    return data.decode("windows-1252", errors="replace")


def _unmarked_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by the zero bytes beside Latin letters."""
    head = data[:2000]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < len(head) * 0.3:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"
