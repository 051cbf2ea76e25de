"""What the bytes of a file are, and the text that they stand for."""

import re
from pathlib import PurePosixPath

from ingestion.messages import message, message_noop
from ingestion.page import UnreadableFile

_OLD_OFFICE = b"\xd0\xcf\x11\xe0"
_BINARY = (
    (b"%PDF-", message_noop("a PDF")),
    (b"PK\x03\x04", message_noop("a zip archive or an Office file")),
    (b"\x89PNG", message_noop("a PNG image")),
    (b"\xff\xd8\xff", message_noop("a JPEG image")),
    (b"GIF8", message_noop("a GIF image")),
    (_OLD_OFFICE, message_noop("an old Office file")),
    (b"\x1f\x8b", message_noop("gzip data")),
    (b"7z\xbc\xaf", message_noop("a 7z archive")),
    (b"Rar!", message_noop("a RAR archive")),
    (b"\x7fELF", message_noop("a program")),
    (b"{\\rtf", message_noop("a rich text file")),
)
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.IGNORECASE)
_COMMENT = re.compile(rb"\s*(?:<!--|<\?)")
_HTML_SUFFIXES = frozenset({".html", ".htm", ".xhtml"})
_OFFICE_SUFFIXES = frozenset({".docx", ".docm", ".pptx", ".pptm", ".xlsx", ".xlsm", ".epub"})


def objection(data: bytes, file: str) -> str | None:
    """Return why a file should not be parsed: empty, or not what its suffix says.

    None means that nothing speaks against it.
    """
    suffix = PurePosixPath(file).suffix.lower()
    if not data.strip():
        return message("empty file")
    content = _content(data)
    if suffix == ".pdf":
        if b"%PDF-" in data[:1024]:
            return None
        if content is None:
            return message("not a valid PDF; download it again or rename it")
        return message(
            "not a valid PDF but {content}; download it again or rename it", content=content
        )
    if suffix in _OFFICE_SUFFIXES:
        if data.startswith(b"PK"):
            return None
        if data.startswith(_OLD_OFFICE):
            return message("locked with a password, or in an older format; save a copy without one")
        if content is None:
            return message("not a {suffix} file; save it again", suffix=suffix)
        return message(
            "not a {suffix} file but {content}; save it again", suffix=suffix, content=content
        )
    if content is None or (content == "an HTML page" and suffix in _HTML_SUFFIXES):
        return None
    return message(
        "not a {suffix} file but {content}; rename it or leave it out",
        suffix=suffix,
        content=content,
    )


def binary_format(data: bytes) -> str | None:
    """Name the format that a file's first bytes are the signature of, if it is none of text."""
    found = (name for signature, name in _BINARY if data.startswith(signature))
    return next(map(message, found), None)


def _content(data: bytes) -> str | None:
    """Name what the content plainly is; None for text."""
    from bs4.dammit import EncodingDetector

    start, encoding = EncodingDetector.strip_byte_order_mark(data[:4096])
    if name := binary_format(start):
        return name
    if b"\0" in start and not (encoding or _unmarked_utf16(start)):
        return message("binary data")
    return message("an HTML page") if _HTML.match(_without_comments(start)) else None


def _without_comments(start: bytes) -> bytes:
    """Drop what may stand before the first element: space, comments, instructions."""
    while opening := _COMMENT.match(start):
        end = b"-->" if opening[0].endswith(b"--") else b"?>"
        start = start[opening.end() :].partition(end)[2]
    return start.lstrip()


_UNBELIEVABLE = re.compile(r"(us-)?ascii|utf-?(16|32).*", re.IGNORECASE)
_LATIN_1 = re.compile(r"iso[-_]?8859-1|latin-?1", re.IGNORECASE)
_WIDE_LETTERS = b"\x1b$"
"""How ISO-2022 announces letters of two bytes, which would all pass for ASCII."""

_DOUBTFUL = 0.08
"""Below this the detector only says what is not impossible; decision 24 has the figures."""

_FEW = 5
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_INVISIBLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufeff\u200b\u2060\u00ad]")


def decode(data: bytes, *, declared: str | None = None) -> str:
    """Decode by byte order mark, as UTF-8, by what the file declares, or by its letters.

    Line ends become newlines; control characters, soft hyphens and zero-width spaces go. As in
    browsers (WHATWG Encoding), a declared Latin-1 means Windows-1252, and a declared UTF-16
    cannot be true where the declaration itself was readable. What tells nothing is Windows-1252.
    Raises UnreadableFile for empty files and for bytes that are no text.
    """
    if not data.strip():
        raise UnreadableFile("the file is empty")
    if name := binary_format(data):
        raise UnreadableFile(
            "this is {name} and not text; give it the suffix of its format", name=name
        )
    text = _decoded(data, declared)
    if len(_CONTROL.findall(text)) > max(len(text) // 50, _FEW):
        raise UnreadableFile("this is binary data and not text; check the file's suffix")
    return printable(text)


def printable(text: str) -> str:
    """Return a text without control characters and what nobody sees, line ends as newlines."""
    return seen(text.replace("\r\n", "\n").replace("\r", "\n"))


def seen(text: str) -> str:
    """Return a text without what nobody sees: control characters, places for a line's end."""
    return _INVISIBLE.sub("", text)


def _decoded(data: bytes, declared: str | None) -> str:
    from bs4.dammit import EncodingDetector
    from chardet import detect

    data, marked = EncodingDetector.strip_byte_order_mark(data)
    if marked:
        return data.decode(marked, errors="replace")
    if declared and _UNBELIEVABLE.fullmatch(declared):
        declared = None
    elif declared and _LATIN_1.fullmatch(declared):
        declared = "windows-1252"
    ascii_is_text = _WIDE_LETTERS not in data
    unmarked = (_unmarked_utf16(data), "utf-8") if ascii_is_text else ()
    for encoding in filter(None, (*unmarked, declared)):
        try:
            return data.decode(encoding)
        except (LookupError, UnicodeError):
            continue
    # It differs from Windows-1252 in eight signs alone, which English text does not tell apart.
    found = detect(data, exclude_encodings=("iso8859-15",))
    known = found["encoding"] if found["confidence"] >= _DOUBTFUL else None
    return data.decode(known or "windows-1252", errors="replace")


def _unmarked_utf16(data: bytes) -> str | None:
    """Recognise UTF-16 without a mark by the zero bytes beside Latin letters."""
    head = data[:2000]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < len(head) * 0.15 or min(even, odd) > len(head) * 0.01:
        return None
    return "utf-16-be" if even > odd else "utf-16-le"
