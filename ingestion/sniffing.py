"""Whether a file's content agrees with its name."""

import codecs
import re
from pathlib import PurePosixPath

_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_BINARY = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a zip archive or an Office file"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (_OLD_OFFICE, "an old Office file"),
    (b"\x1f\x8b", "gzip data"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"Rar!", "a RAR archive"),
    (b"\x7fELF", "a program"),
    (b"{\\rtf", "a rich text file"),
)
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_COMMENT = re.compile(rb"\s*(?:<!--|<\?)")
_WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_OFFICE_SUFFIXES = frozenset({".docx", ".docm", ".pptx", ".pptm"})


def objection(data: bytes, file: str) -> str | None:
    """Return why a file should not be parsed: empty, or not what its suffix says.

    None means that nothing speaks against it.
    """
    suffix = PurePosixPath(file).suffix.lower()
    if not data.strip():
        return "empty file"
    content = _content(data)
    if suffix == ".pdf":
        if b"%PDF-" in data[:1024]:
            return None
        return (
            f"not a valid PDF{f' but {content}' if content else ''}; download it again or rename it"
        )
    if suffix in _OFFICE_SUFFIXES:
        if data.startswith(b"PK"):
            return None
        if data.startswith(_OLD_OFFICE):
            return "locked with a password, or in an older format; save a copy without one"
        return f"not a {suffix} file{f' but {content}' if content else ''}; save it again"
    if content is None or (content == "an HTML page" and suffix in _HTML_SUFFIXES):
        return None
    return f"not a {suffix} file but {content}; rename it or leave it out"


def binary_format(data: bytes) -> str | None:
    """Name the format that a file's first bytes are the signature of, if it is none of text."""
    return next((name for signature, name in _BINARY if data.startswith(signature)), None)


def _content(data: bytes) -> str | None:
    """Name what the content plainly is; None for text."""
    start = data[:4096]
    if name := binary_format(start):
        return name
    if b"\0" in start and not _is_wide(start):
        return "binary data"
    return "an HTML page" if _HTML.match(_without_comments(start)) else None


def _without_comments(start: bytes) -> bytes:
    """Drop what may stand before the first element: space, comments, instructions."""
    start = start.removeprefix(codecs.BOM_UTF8)
    while opening := _COMMENT.match(start):
        end = b"-->" if opening[0].endswith(b"--") else b"?>"
        start = start[opening.end() :].partition(end)[2]
    return start.lstrip()


def _is_wide(start: bytes) -> bool:
    """Whether zero bytes belong to letters of two or four bytes."""
    if start.startswith(_WIDE):
        return True
    even, odd = start[::2].count(0), start[1::2].count(0)
    return min(even, odd) == 0 and max(even, odd) > 0.3 * len(start) / 2
