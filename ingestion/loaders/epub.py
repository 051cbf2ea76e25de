"""Electronic books become documents: their chapters in reading order, each by the HTML loader."""

import posixpath
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from urllib.parse import unquote

from lxml import etree

from ingestion.archives import Archive
from ingestion.documents import document
from ingestion.figures import WITHIN, paths_of
from ingestion.loaders import html
from ingestion.messages import message
from ingestion.page import Document, Figure, NothingToRead, Page, UnreadableFile, collapse

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_LARGEST_CHAPTER = 50_000_000
_MOST_BYTES = 200_000_000
_MARKUP = {"application/xhtml+xml", "text/html", "application/xml"}


def load(data: bytes, file: str) -> Document:
    """Read an EPUB into pages, chapter by chapter in the order of its spine.

    What stands aside of the reading order, such as notes, follows; its contents page is left out.
    Raises UnreadableFile where it is damaged, locked, or inflates to more than 200 MB.
    """
    with closing(Archive(data, max_bytes=_MOST_BYTES)) as book:
        package_name = next(_values(_part(book, _CONTAINER), "rootfile", "full-path"), "")
        package = _part(book, package_name)
        locked = set(_values(_part(book, _ENCRYPTION), "CipherReference", "URI"))
        pages: list[Page] = []
        missing = []
        for name in _spine(package, posixpath.dirname(package_name)):
            if name in locked:
                raise UnreadableFile("copy-protected (DRM); use a copy without protection")
            content = book.named(name, _LARGEST_CHAPTER)
            if content is None:
                missing.append(name)
                continue
            with suppress(NothingToRead):
                pages += (_with_parts(page, name) for page in html.load(content, name).pages)
    named = ", ".join(missing[:5])
    remark = message("chapters that are not there or too large: {names}", names=named)
    if not pages:
        raise UnreadableFile(remark if missing else message("there is no text in it"))
    numbered = [replace(page, number=number) for number, page in enumerate(pages, start=1)]
    title = next((collapse(t.text or "") for t in _elements(package, "title")), "")
    remarks = (remark,) if missing else ()
    return document(data, file, title or file.rpartition("/")[2], numbered, remarks)


def _with_parts(page: Page, chapter: str) -> Page:
    """Let the figures of a chapter be found in the book."""
    if not page.figures:
        return page
    blocks = (
        replace(block, figures=tuple(_in_book(figure, chapter) for figure in block.figures))
        for block in page.blocks
    )
    return replace(page, blocks=tuple(blocks))


def _in_book(figure: Figure, chapter: str) -> Figure:
    path = next(paths_of(figure.place, chapter), "")
    within = figure.place.startswith(WITHIN)
    return figure if within else replace(figure, place=f"part:{path}")


def _part(book: Archive, name: str) -> etree._Element:
    """Parse a part of the book; an empty element where it has none."""
    content = book.named(name, _LARGEST_CHAPTER)
    if content is None:
        if name != _ENCRYPTION:
            raise UnreadableFile("damaged, or not an EPUB: its list of chapters is missing")
        return etree.Element("none")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile("damaged: its list of chapters cannot be read") from error


def _spine(package: etree._Element, folder: str) -> Iterator[str]:
    """Yield the chapters by their paths in the archive, in reading order."""
    items = {item.get("id"): item for item in _elements(package, "item")}
    references = _elements(package, "itemref")
    for reference in sorted(references, key=lambda one: one.get("linear") == "no"):
        item = items.get(reference.get("idref"))
        if item is None:
            continue
        is_contents = "nav" in (item.get("properties") or "").split()
        if item.get("media-type") in _MARKUP and not is_contents:
            path = unquote((item.get("href") or "").partition("#")[0])
            yield posixpath.normpath(posixpath.join(folder, path))


def _elements(root: etree._Element, name: str) -> Iterator[etree._Element]:
    yield from root.iter(f"{{*}}{name}")


def _values(root: etree._Element, name: str, attribute: str) -> Iterator[str]:
    yield from (value for one in _elements(root, name) if (value := one.get(attribute)))
