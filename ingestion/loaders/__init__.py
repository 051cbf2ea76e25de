"""One loader a format, chosen by the file's suffix: ours, and those that packages add."""

from functools import cache
from importlib import import_module
from pathlib import PurePosixPath
from typing import Protocol

from ingestion.messages import message
from ingestion.ocr import Ocr
from ingestion.page import Document, UnreadableFile
from ingestion.plugins import BadPlugin, ExtensionPoint

_SUFFIXES = {
    "pdf": (".pdf",),
    "html": (".html", ".htm", ".xhtml"),
    "office": (".docx", ".docm", ".pptx", ".pptm"),
    "svg": (".svg",),
    "markdown": (
        *(".md", ".markdown", ".mdx", ".mdown", ".mkd", ".mkdn", ".mdwn", ".mdtext"),
        *(".qmd", ".rmd"),
    ),
    "asciidoc": (".adoc", ".asciidoc", ".asc"),
    "delimited": (".csv", ".tsv"),
    "workbook": (".xlsx", ".xlsm"),
    "epub": (".epub",),
    "man": (".man", *(f".{section}" for section in range(1, 10))),
    "docbook": (".dita", ".dbk", ".docbook", ".xml"),
    "notebook": (".ipynb",),
    "openapi": (".yaml", ".yml", ".json"),
    "text": (".rst", ".txt", ".text"),
}
LOADERS = {suffix: module for module, suffixes in _SUFFIXES.items() for suffix in suffixes}
"""Which module of this package reads which suffix."""
_POINT = ExtensionPoint("strata.loaders", tuple(LOADERS))


class Loader(Protocol):
    """What reads one format; `strata.loaders` is the group of entry points, the suffix the name."""

    def __call__(self, data: bytes, file: str) -> Document:
        """Read a document.

        Args:
            data: The bytes of the file.
            file: Its path relative to what was ingested.

        Raises:
            UnreadableFile: with a reason that a person can act on.
        """


@cache
def known_suffixes() -> tuple[str, ...]:
    """All suffixes that something reads. Raises BadPlugin where two packages read one."""
    added = _POINT.added()
    for name, point in added.items():
        if not name.startswith(".") or name != name.lower():
            raise BadPlugin(
                f"{point.value} is registered for {name}, which is not a suffix such as .toy"
            )
    return (*LOADERS, *added)


@cache
def added_loaders() -> dict[str, Loader | BadPlugin]:
    """The loaders of packages by suffix, or why one cannot be used."""
    found: dict[str, Loader | BadPlugin] = {}
    for suffix in known_suffixes()[len(LOADERS) :]:
        try:
            found[suffix] = _POINT.load(suffix)
        except BadPlugin as error:
            found[suffix] = error
    return found


def load(data: bytes, file: str, ocr: Ocr | None = None) -> Document:
    """Read a document with the loader of its suffix.

    `file` is the path relative to what was ingested; `ocr` says how scanned pages are read, which
    are left out without it. Raises UnreadableFile where the suffix is unknown or the content
    cannot be read; the message says why and what to do.
    """
    suffix = PurePosixPath(file).suffix.lower()
    how = {"ocr": ocr} if suffix == ".pdf" else {}
    if suffix in LOADERS:
        loader: Loader | BadPlugin = import_module(f"ingestion.loaders.{LOADERS[suffix]}").load
    elif suffix in added_loaders():
        loader = added_loaders()[suffix]
    else:
        known = ", ".join(known_suffixes())
        raise UnreadableFile(
            "Strata cannot read {suffix}; known are {known}",
            suffix=suffix or message("a file without a suffix"),
            known=known,
        )
    if isinstance(loader, BadPlugin):
        raise UnreadableFile(str(loader)) from loader
    return loader(data, file, **how)
