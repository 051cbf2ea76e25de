"""HTML files, above all sites written by Sphinx, become documents."""

import re

from bs4.dammit import EncodingDetector
from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.html_blocks import read_blocks
from ingestion.html_content import link_share, main_content, without_furniture
from ingestion.html_parts import line
from ingestion.page import Block, BlockKind, Document, NothingToRead, UnreadableFile

_GENERATED_INDEX = etree.XPath(
    "boolean(.//table[contains(@class, 'indextable')] | .//*[@id='search-results'])"
)
_SITE_NAME = re.compile(r"\s+[—–|·»:-]+\s+")
_NO_TITLE = "<no title>"
_FEW_WORDS = 60
_MOSTLY_LINKS = 0.8
_PROSE = {BlockKind.PARAGRAPH, BlockKind.DEFINITION, BlockKind.CODE, BlockKind.SIGNATURE}


def load(data: bytes, file: str) -> Document:
    """Read an HTML file into pages cut along its headings.

    Raises NothingToRead for generated indexes and pages that hold only links, UnreadableFile
    where there is no text or the bytes are not HTML.
    """
    declared = EncodingDetector.find_declared_encoding(data, is_html=True)
    root = _parsed(decode(data, declared=declared))
    if _GENERATED_INDEX(root):
        raise NothingToRead("a generated index or search page: nothing but links")
    heading = root.find("head/title")
    site_title = line(heading) if heading is not None else ""
    content = main_content(root)
    blocks = without_furniture(read_blocks(content))
    _require_prose(content, blocks)
    return flowing_document(data, file, _title(content, site_title), blocks)


def fragment_blocks(markup: str) -> list[Block]:
    """Read HTML that another format was turned into."""
    return read_blocks(main_content(_parsed(f"<html><body><main>{markup}</main></body></html>")))


def _parsed(text: str) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = document_fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except etree.ParserError as error:
        raise UnreadableFile(f"no HTML was found in it ({error})") from error
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise UnreadableFile("its elements are nested too deeply to be read; the file is broken")
    return root


def _require_prose(content: HtmlElement, blocks: list[Block]) -> None:
    if not blocks:
        raise NothingToRead("the page's main content holds no text")
    prose = sum(len(block.text) for block in blocks if block.kind in _PROSE)
    if prose < _FEW_WORDS and link_share(content) > _MOSTLY_LINKS:
        raise NothingToRead("a page of links to other pages: nothing to read by itself")


def _title(content: HtmlElement, site_title: str) -> str:
    heading = next((line(h1) for h1 in content.iter("h1") if line(h1)), "")
    return heading or _SITE_NAME.split(site_title.removeprefix(_NO_TITLE))[0].strip()
