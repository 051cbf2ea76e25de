"""One loader a format, chosen by the file's suffix."""

from importlib import import_module
from pathlib import PurePosixPath
from typing import cast

from ingestion.ocr import Ocr
from ingestion.page import Document, UnreadableFile

_SUFFIXES = {
    "pdf": (".pdf",),
    "html": (".html", ".htm", ".xhtml"),
    "office": (".docx", ".docm", ".pptx", ".pptm"),
    "svg": (".svg",),
    "markdown": (".md", ".markdown"),
    "text": (".rst", ".txt", ".text"),
}
LOADERS = {suffix: module for module, suffixes in _SUFFIXES.items() for suffix in suffixes}
"""Which module of this package reads which suffix."""


def load(data: bytes, file: str, ocr: Ocr | None = None) -> Document:
    """Read a document with the loader of its suffix.

    `file` is the path relative to what was ingested; `ocr` says how scanned pages are read, which
    are left out without it. Raises UnreadableFile where the suffix is unknown or the content
    cannot be read; the message says why and what to do.
    """
    suffix = PurePosixPath(file).suffix.lower()
    if suffix not in LOADERS:
        raise UnreadableFile(
            f"nothing reads {suffix or 'a file without a suffix'}; known are {', '.join(LOADERS)}"
        )
    loader = import_module(f"ingestion.loaders.{LOADERS[suffix]}")
    how = {"ocr": ocr} if suffix == ".pdf" else {}
    return cast(Document, loader.load(data, file, **how))
