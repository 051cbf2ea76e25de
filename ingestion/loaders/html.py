"""HTML files become documents: what stands around the text goes, the rest is read as blocks."""

import re
from typing import cast

from bs4.dammit import EncodingDetector
from lxml import etree
from lxml.builder import E
from lxml.html import HtmlElement, HTMLParser, document_fromstring

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.html_blocks import read_blocks
from ingestion.html_parts import line, raw_text
from ingestion.page import Block, BlockKind, Document, NothingToRead, UnreadableFile, collapse

_OF_CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
_STRIPS = f".//*[@role='tablist' or {_OF_CLASS.format('tabbed-labels')}]"
_PANEL = f"*[@role='tabpanel' or {_OF_CLASS.format('tabbed-block')}]"
_OUTER_PANELS = f".//{_PANEL}[count(ancestor::{_PANEL}) = $depth]"
_NOTES = f".//*[{_OF_CLASS.format('admonitionblock')}]"
_MEMBERS = f".//*[{_OF_CLASS.format('memitem')} or {_OF_CLASS.format('member-signature')}]"
_MARK = re.compile(r"\[?(\d{1,3}|[a-z*†‡])\]?")
_NAME = re.compile(r"(?P<before>.*?)(?P<name>[\w:~.]+)(?P<after>\s*\(.*|)$", re.DOTALL)


def _tabs(body: HtmlElement) -> None:
    for strip in _found(body, _STRIPS):
        labels = [tab for tab in strip.xpath(".//*[@role='tab']") or strip if line(tab)]
        around = strip.getparent()
        depth = len(strip.xpath(f"ancestor::{_PANEL}"))
        panels = around.xpath(_OUTER_PANELS, depth=depth)
        if len(labels) == len(panels):
            for label, panel in zip(labels, panels, strict=True):
                _entitle(panel, line(label))
            strip.drop_tree()
    for label in _found(body, ".//label[preceding-sibling::*[1][self::input]]"):
        panel = label.getnext()
        if panel is not None and panel.tag == "div" and line(label):
            _entitle(panel, line(label))
            label.drop_tree()


def _boxes(body: HtmlElement) -> None:
    for summary in _found(body, ".//details/summary[not(contains(@class, '-title'))]"):
        details = summary.getparent()
        label = line(summary)
        summary.drop_tree()
        _entitle(details, label)
    for note in _found(body, _NOTES):
        icon, content = note.find(".//td[@class='icon']"), note.find(".//td[@class='content']")
        if icon is not None and content is not None:
            named = next((e.get("title") or e.get("alt") for e in icon), None) or line(icon)
            content.tag = "div"
            content.set("class", "admonition")
            _put_first(content, E.p(named, {"class": "admonition-title"}))
            _replace(note, content)


def _footnotes(body: HtmlElement) -> None:
    """Mark what refers to a footnote, and let each footnote begin with its mark."""
    marks: dict[str, str] = {}
    for link in _found(body, ".//sup//a[starts-with(@href, '#')]"):
        if mark := _MARK.fullmatch(raw_text(link).strip()):
            marks.setdefault(link.get("href", "")[1:], mark[1])
            link.clear(keep_tail=True)
            link.text = f"[{mark[1]}]"
    for item in _found(body, ".//ol/li[@id]"):
        if mark_of_note := marks.get(item.get("id", "")):
            item.tag = item.getparent().tag = "div"
            item.set("class", "footnote")
            _put_first(item, E.p(f"[{mark_of_note}]"))


def _signatures(body: HtmlElement) -> None:
    for member in _found(body, _MEMBERS):
        proto = member.find("div[@class='memproto']")
        declared = line(member if proto is None else proto)
        declared = re.sub(r"\(\s+", "(", re.sub(r"\s+([(),])", r"\1", declared))
        if not (named := _NAME.match(declared)):
            continue
        name = E.code(named["name"], {"class": "descname"})
        term = E.dt(named["before"], name, named["after"])
        described = [E.dd(*member.findall("div[@class='memdoc']"))] if proto is not None else []
        _replace(member, E.dl(term, *described, {"class": "cpp"}))


def _formulas(body: HtmlElement) -> None:
    for tex in _found(body, ".//math//annotation[@encoding='application/x-tex']"):
        math = next(tex.iterancestors("math"))
        text = raw_text(tex)
        math.clear(keep_tail=True)
        math.text = text


def _numbered_code(body: HtmlElement) -> None:
    for table in _found(body, ".//table[.//td[@data-line-number]]"):
        rows = [row.findall("td") for row in table.iter("tr")]
        if all(row and any(cell.get("data-line-number") for cell in row) for row in rows):
            listing = "\n".join(raw_text(row[-1]).strip("\n") for row in rows)
            _replace(table, E.pre(listing))


def _found(body: HtmlElement, path: str) -> list[HtmlElement]:
    return cast("list[HtmlElement]", body.xpath(path))


def _entitle(part: HtmlElement, label: str) -> None:
    """Make of a part that is shown on demand a section with its label as the heading."""
    for name in ("hidden", "aria-hidden", "style", "role"):
        part.attrib.pop(name, None)
    part.tag = "section"
    _put_first(part, E.p(label, {"class": "rubric"}))


def _put_first(element: HtmlElement, first: HtmlElement) -> None:
    first.tail, element.text = element.text, None
    element.insert(0, first)


def _replace(old: HtmlElement, new: HtmlElement) -> None:
    new.tail = old.tail
    old.getparent().replace(old, new)


_NEVER_TEXT = (
    *("script", "style", "noscript", "template", "link", "meta", "nav", "annotation"),
    *("button", "input", "select", "textarea", "datalist", "dialog"),
    *("iframe", "embed", "audio", "video", "canvas"),
)
_UNREAD = (
    ".//*[@role='navigation' or @role='search' or @role='banner' or @role='contentinfo'"
    " or not(@role='tabpanel') and (@hidden or @aria-hidden='true'"
    " or contains(translate(@style, ' ', ''), 'display:none'))]"
    " | .//span[@class='linenos' or @class='lineno' or @class='backrefs']"
    " | .//*[@class='sr-only' or @class='visually-hidden']"
    " | .//td[contains(@class, 'linenos') or contains(@class, 'gutter')]"
    " | .//li[starts-with(@class, 'toctree-l')]/ul"
)
"""What is hidden, line numbers and nested contents."""
_MARKED = (
    ".//*[self::div or self::ul or self::ol or self::aside or self::header or self::footer"
    " or self::form or self::p or self::table or self::section][@class or @id]"
)
_PERMALINK_CLASSES = {"headerlink", "permalink", "anchor-link", "anchorjs-link", "viewcode-link"}
_PERMALINK_TEXTS = {"¶", "#", "§", "\U0001f517", "[source]", "[docs]", "[edit]", "↑", "↩", "↩︎"}
_FURNITURE = re.compile(
    r"^(nav|navbar|navigation|sidebar|sphinxsidebar|sidenav|breadcrumbs?|footer|toc|pagination|"
    r"pager|searchbox|search|navheader|navfooter|menu|topbar|toolbar|prev-next|prevnext|related|copyright|cookie)$"
)
_KEPT_TITLES = ("sidebar-title", "topic-title", "admonition-title")
_CONTAINERS = (
    *("docs-body", "body", "document", "rst-content", "markdown-body", "main-content"),
    *("page-content", "article-content", "content", "contents"),
)
_CONTENT = (
    *(".//*[@role='main']", ".//main", ".//article"),
    *(f".//div[{_OF_CLASS.format(name)} or @id='{name}']" for name in _CONTAINERS),
)
_MARKED_AS_MAIN = 2
_PICTURE_FILE = re.compile(r"^\S*\.(png|jpe?g|gif|svg|webp|bmp|ico)$", re.IGNORECASE)
_EXPONENT = re.compile(r"^[-−+]?\d+$")
_COPYRIGHT = re.compile(
    r"^(©|copyright\b(?!.*\blicen[sc]e)|\(c\) ?\d{4}|created using\b|built with\b|last updated on\b"
    r"|(documentation )?last generated\b|(previous|next|prev|up|contents|index)\b ?[:|»])",
    re.IGNORECASE,
)
_PAGE_TOOLS = re.compile(
    r"^(edit (this page|on \w+)|(view|show) (page )?source|report (a bug|an issue)( on \w+)?"
    r"|skip to (main )?content|back to top|table of contents|on this page|improve this page"
    r"|suggest (an )?edits?|print|copy( page)?|[«‹<]? ?previous|next ?[»›>]?|toggle .{1,40}"
    r"|(previous|next) ?[:|].{0,200}|was this (page|article) helpful\??)$",
    re.IGNORECASE,
)


def _main_content(root: HtmlElement) -> HtmlElement:
    """Remove what is not text to read from the tree and return the element that holds the rest.

    That is the first of the usual containers that holds most of the body's words, else the body.
    Tabs, boxes, footnotes, signatures, formulas and numbered code are plain HTML then; what is
    hidden until somebody clicks is read too, each part under the label that opens it.
    """
    body = root.find("body")
    body = root if body is None else body
    for rewrite in (_tabs, _boxes, _footnotes, _signatures, _formulas, _numbered_code):
        rewrite(body)
    etree.strip_elements(body, *_NEVER_TEXT, with_tail=False)
    content = _container(body)
    for element in _found(content, _UNREAD):
        element.drop_tree()
    for element in _found(content, _MARKED):
        if _is_furniture(element):
            element.drop_tree()
    for link in list(content.iter("a")):
        if _is_permalink(link):
            # Some sites give the anchor's id to the link itself.
            if link.get("id") or link.get("name"):
                link.addprevious(E.a(id=link.get("id") or link.get("name")))
            link.drop_tree()
    for classifier in _found(content, ".//dt/span[@class='classifier']"):
        # The style sheet parts the type of a documented name from it.
        classifier.text = f" : {classifier.text or ''}"
    for picture in list(content.iter("img")):
        alt = collapse(picture.get("alt") or "")
        picture.tail = f" {'' if _PICTURE_FILE.match(alt) else alt} {picture.tail or ''}"
    for power in content.iter("sup"):
        if _EXPONENT.match(power.text or "") and len(power) == 0:
            power.text = f"^{power.text}"
    for line_break in content.iter("br"):
        line_break.tail = f"\n{line_break.tail or ''}"
    return content


def _container(body: HtmlElement) -> HtmlElement:
    most = len(collapse(raw_text(body))) // 4
    for place, path in enumerate(_CONTENT):
        found = _found(body, path)
        enough = 1 if place < _MARKED_AS_MAIN else most
        if len(found) == 1 and len(collapse(raw_text(found[0]))) >= enough:
            return found[0]
    return body


def _is_furniture(element: HtmlElement) -> bool:
    classes = (element.get("class") or "").lower()
    tokens = set(classes.split())
    if element.tag == "footer":
        return True
    if element.tag == "section" or "section" in tokens:
        return False
    if tokens & {"contents", "toc"} and tokens & {"topic", "local", "toc"}:
        return True
    names = [*classes.replace(",", " ").split(), (element.get("id") or "").lower()]
    if not any(_FURNITURE.match(part) for name in names for part in re.split(r"[-_]+", name)):
        return False
    if any((child.get("class") or "").startswith(_KEPT_TITLES) for child in element):
        return False
    return len(collapse(raw_text(element))) < 300 or _link_share(element) > 0.4


def _link_share(element: HtmlElement) -> float:
    """Return the part of an element's text that is the text of links, 0 to 1; headings aside."""
    words = len(collapse(raw_text(element)))
    headings = sum(len(line(h)) for h in element.iter("h1", "h2", "h3"))
    linked = sum(len(line(a)) for a in element.iter("a") if a.get("href"))
    return min(linked / max(words - headings, 1), 1.0)


def _is_permalink(link: HtmlElement) -> bool:
    classes = set((link.get("class") or "").split())
    return bool(_PERMALINK_CLASSES & classes) or raw_text(link).strip() in _PERMALINK_TEXTS


def _without_furniture(blocks: list[Block]) -> list[Block]:
    """Leave out lines that are tools of the page, and the copyright lines at its end."""
    paragraphs = BlockKind.PARAGRAPH
    kept = [b for b in blocks if b.kind is not paragraphs or not _PAGE_TOOLS.match(b.text)]
    while kept and kept[-1].kind is paragraphs and _COPYRIGHT.match(kept[-1].text):
        kept.pop()
    return kept


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
    site_title = next(map(line, root.findall("head/title")), "").removeprefix(_NO_TITLE)
    content = _main_content(root)
    blocks = _without_furniture(read_blocks(content))
    if not blocks:
        raise NothingToRead("the page's main content holds no text")
    prose = sum(len(block.text) for block in blocks if block.kind in _PROSE)
    if prose < _FEW_WORDS and _link_share(content) > _MOSTLY_LINKS:
        raise NothingToRead("a page of links to other pages: nothing to read by itself")
    heading = next(filter(None, map(line, content.iter("h1"))), "")
    title = heading or _SITE_NAME.split(site_title)[0].strip()
    return flowing_document(data, file, title, blocks)


def fragment_blocks(markup: str) -> list[Block]:
    """Read HTML that another format was turned into."""
    return read_blocks(_main_content(_parsed(f"<html><body><main>{markup}</main></body></html>")))


def _parsed(text: str) -> HtmlElement:
    parser = HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        root = document_fromstring(text.encode("utf-8", errors="replace"), parser=parser)
    except etree.ParserError as error:
        raise UnreadableFile(f"no HTML was found in it ({error})") from error
    if any("depth" in entry.message.lower() for entry in parser.error_log):
        raise UnreadableFile("its elements are nested too deeply to be read; the file is broken")
    return root
