"""HTML files become documents: what stands around the text goes, the rest is read as blocks."""

import re
from collections.abc import Sequence

from bs4.dammit import EncodingDetector
from lxml import etree
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.figures import marked_figures, with_figures
from ingestion.html_blocks import read_blocks
from ingestion.html_furniture import (
    link_share,
    remove_contents,
    remove_furniture,
    remove_permalinks,
    remove_version_banner,
    without_banner,
    without_furniture,
)
from ingestion.html_parts import is_layout, line, raw_text
from ingestion.html_rewriting import rewrite
from ingestion.html_sheets import apply_sheets
from ingestion.html_shown import UNNAMED, show
from ingestion.html_tree import OF_CLASS, found, put_first
from ingestion.messages import counted, message
from ingestion.page import (
    CELL_DELIMITER,
    Block,
    BlockKind,
    Document,
    NothingToRead,
    UnreadableFile,
    collapse,
)
from ingestion.superscripts import superscript

_NEVER_TEXT = (
    *("script", "style", "noscript", "template", "link", "meta", "annotation"),
    *("button", "input", "select", "textarea", "datalist", "dialog"),
    *("iframe", "embed", "audio", "video", "canvas"),
)
_MACHINERY = (
    ".//span[@class='linenos' or @class='lineno' or @class='backrefs']"
    " | .//td[contains(@class, 'linenos') or contains(@class, 'gutter')]"
    " | .//pre//span[@class='boring']"
    " | .//a[@href='#details' and normalize-space()='More...']"
    " | .//ruby[not(.//rp)]//rt[not(.//rb or .//rt)]"
)
"""Line numbers, ways back from a footnote, lines that only make an example run (mdBook), the way to
what stands below (Doxygen), and how letters are read aloud, where no brackets part it from them."""
_CODE = ("code", "kbd", "samp", "tt", "var", "pre")
_CONTAINERS = (
    *("docs-body", "body", "document", "rst-content", "markdown-body", "main-content"),
    *("page-content", "article-content", "content", "contents"),
)
_CONTENT = (
    *(".//*[@role='main']", ".//main", ".//article"),
    *(f".//div[{OF_CLASS.format(name)} or @id='{name}']" for name in _CONTAINERS),
)
_MARKED_AS_MAIN = 2
_OWN_TEXT = ".//text()[not(ancestor::a or ancestor::nav or ancestor::script or ancestor::style)]"
_BESIDE = ".//h1 | .//*[@id='footnotes']"
"""What is of the text wherever it stands: the title, and the notes of Asciidoctor."""
_GENERATED_INDEX = etree.XPath(
    "boolean(.//table[contains(@class, 'indextable')] | .//*[@id='search-results'])"
)
_NO_XML = re.compile(
    r"[\x0b\x0c\ufdd0\ufdd1\ufffe\uffff]|&#(?:0*(?:[1-8]|1[124-9]|2\d|3[01]|6497[67]|6553[45])"
    r"|x0*(?:[1-8bcef]|1[0-9a-f]|fdd[01]|fff[ef]))(?![0-9a-f]);?",
    re.IGNORECASE,
)
"""Control characters: the parser lets them pass, and no text that is set then may hold them.

Nor the two that mark where figures stand.
"""
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
    remarks = apply_sheets(root)
    if _GENERATED_INDEX(root):
        raise NothingToRead("a generated index or search page: nothing but links")
    site_title = next(map(line, root.findall("head/title")), "").removeprefix(_NO_TITLE)
    body = root.find("body")
    body = root if body is None else body
    remove_version_banner(body)
    rewrite(body)
    content = _container(body)
    _bring_in(content, body, site_title)
    remove_furniture(content)
    code = {line(element) for element in content.iter(*_CODE)}
    blocks = without_furniture(without_banner(_blocks(content)), code)
    if not blocks:
        raise NothingToRead("the page's main content holds no text")
    prose = sum(len(block.text) for block in blocks if block.kind in _PROSE)
    if prose < _FEW_WORDS and link_share(content) > _MOSTLY_LINKS:
        raise NothingToRead("a page of links to other pages: nothing to read by itself")
    heading = next(filter(None, map(line, content.iter("h1"))), "")
    title = heading or _SITE_NAME.split(site_title)[0].strip()
    return flowing_document(data, file, title, blocks, (*remarks, *_unnamed(blocks)))


def _unnamed(blocks: Sequence[Block]) -> tuple[str, ...]:
    """A remark on icons of which no name tells what they mean."""
    rows = [block for block in blocks if UNNAMED in block.text.split(CELL_DELIMITER)]
    if not rows:
        return ()
    number = sum(row.text.split(CELL_DELIMITER).count(UNNAMED) for row in rows)
    place = rows[0].path[-1] if rows[0].path else message("its first lines")
    remark = counted(
        "{number} icon has no name, so what it means was not read (first in “{place}”: {row})",
        "{number} icons have no name, so what they mean was not read (first in “{place}”: {row})",
        number,
        place=place,
        row=rows[0].text,
    )
    return (remark,)


def fragment_document(
    data: bytes, file: str, title: str, markup: str, remarks: tuple[str, ...] = ()
) -> Document:
    """Make a document of HTML that another format was turned into, as `flowing_document` does."""
    blocks, own = _fragment(markup)
    return flowing_document(data, file, title, blocks, (*remarks, *own, *_unnamed(blocks)))


def fragment_blocks(markup: str) -> list[Block]:
    """Read HTML that a part of another format was turned into."""
    return _fragment(markup)[0]


def _fragment(markup: str) -> tuple[list[Block], tuple[str, ...]]:
    root = _parsed(f"<html><body><main>{markup}</main></body></html>")
    remarks = apply_sheets(root)
    body = root.find("body")
    rewrite(body)
    return without_banner(_blocks(body)), remarks


def _container(body: HtmlElement) -> HtmlElement:
    """Return the first of the usual containers that holds enough of the words, else the body."""
    most = _words(body) // 2
    for place, path in enumerate(_CONTENT):
        elements = found(body, path)
        if len(elements) != 1 or not all(map(is_layout, elements[0].iterancestors("table"))):
            continue
        if _words(elements[0]) >= (1 if place < _MARKED_AS_MAIN else most):
            return elements[0]
    return body


def _words(element: HtmlElement) -> int:
    """Count the characters of an element's text, links to other places aside."""
    return len(collapse("".join(map(str, element.xpath(_OWN_TEXT)))))


def _bring_in(content: HtmlElement, body: HtmlElement, site_title: str) -> None:
    """Let the content hold the page's title and footnotes where these stand outside it."""
    untitled = next(content.iter("h1"), None) is None
    for part in found(body, _BESIDE):
        if part is content or content in part.iterancestors() or part in content.iterancestors():
            continue
        if part.tag != "h1":
            part.drop_tree()
            content.append(part)
        elif untitled and line(part) and line(part) in site_title:
            part.drop_tree()
            put_first(content, part)


def _blocks(content: HtmlElement) -> list[Block]:
    """Read what is shown, pictures by their description."""
    show(content)
    remove_permalinks(content)
    remove_contents(content)
    etree.strip_elements(content, *_NEVER_TEXT, with_tail=False)
    for element in found(content, _MACHINERY):
        if element.getparent() is not None:
            element.drop_tree()
    for classifier in found(content, ".//dt/span[@class='classifier']"):
        # The style sheet parts the type of a documented name from it.
        classifier.text = f" : {classifier.text or ''}"
    figures = marked_figures(content)
    for raised in list(content.iter("sup")):
        before = str(raised.xpath("string(preceding-sibling::node()[1])"))
        if written := superscript(raw_text(raised), before):
            raised[:], raised.text = [], written
    for line_break in content.iter("br"):
        in_code = next(line_break.iterancestors("pre"), None) is not None
        line_break.tail = ("\n" if in_code else " ") + (line_break.tail or "")
    return with_figures(read_blocks(content), figures)


def _parsed(text: str) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = document_fromstring(
            _NO_XML.sub(" ", text).encode("utf-8", errors="replace"), parser=parser
        )
    except etree.ParserError as error:
        raise UnreadableFile("no HTML was found in it ({error})", error=error) from error
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise UnreadableFile("its elements are nested too deeply to be read; the file is broken")
    return root
