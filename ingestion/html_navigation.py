"""What stands around a page's text: bars, breadcrumbs, search boxes, permalinks, copyright."""

import re
from typing import cast

from lxml import etree
from lxml.html import HtmlElement

from ingestion.html_idioms import as_plain_html
from ingestion.html_text import collapse, line, raw_text
from ingestion.page import Block, BlockKind

_NEVER_TEXT = [
    "script",
    "style",
    "noscript",
    "template",
    "nav",
    "button",
    "input",
    "select",
    "textarea",
    "iframe",
    "embed",
    "audio",
    "video",
    "canvas",
    "dialog",
    "link",
    "meta",
    "annotation",
    "datalist",
]
_HIDDEN = etree.XPath(
    ".//*[@role='navigation' or @role='search' or @role='banner' or @role='contentinfo'"
    " or not(@role='tabpanel') and (@hidden or @aria-hidden='true'"
    " or contains(translate(@style, ' ', ''), 'display:none'))]"
)
_MARKED = etree.XPath(
    ".//*[self::div or self::ul or self::ol or self::aside or self::header or self::footer"
    " or self::form or self::p or self::table or self::section][@class or @id]"
)
_SIDE_MARKS = etree.XPath(
    ".//span[@class='linenos' or @class='lineno' or @class='backrefs']"
    " | .//*[@class='sr-only' or @class='visually-hidden']"
    " | .//td[contains(@class, 'linenos') or contains(@class, 'gutter')]"
)
_NESTED_CONTENTS = etree.XPath(".//li[starts-with(@class, 'toctree-l')]/ul")
_PERMALINK_CLASSES = {"headerlink", "permalink", "anchor-link", "anchorjs-link", "viewcode-link"}
_PERMALINK_TEXTS = {"¶", "#", "§", "\U0001f517", "[source]", "[docs]", "[edit]", "↑", "↩", "↩︎"}
_FURNITURE = re.compile(
    r"^(nav|navbar|navigation|sidebar|sphinxsidebar|sidenav|breadcrumbs?|footer|toc|pagination|"
    r"pager|searchbox|search|navheader|navfooter|menu|topbar|toolbar|prev-next|prevnext|related|copyright|cookie)$"
)
_KEPT_TITLES = ("sidebar-title", "topic-title", "admonition-title")
_CONTENT = [
    etree.XPath(path)
    for path in (
        ".//*[@role='main']",
        ".//main",
        ".//article",
        *(
            f".//div[contains(concat(' ', @class, ' '), ' {name} ') or @id='{name}']"
            for name in [
                "docs-body",
                "body",
                "document",
                "rst-content",
                "markdown-body",
                "main-content",
                "page-content",
                "article-content",
                "content",
                "contents",
            ]
        ),
    )
]
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


def main_content(root: HtmlElement) -> HtmlElement:
    """Remove what is not text to read from the tree and return the element that holds the rest.

    That is the first of the usual containers that holds most of the body's words, else the body.
    """
    body = root.find("body")
    body = root if body is None else body
    as_plain_html(body)
    etree.strip_elements(body, *_NEVER_TEXT, with_tail=False)
    content = _container(body)
    for unwanted in (_HIDDEN, _SIDE_MARKS, _NESTED_CONTENTS):
        for element in _found(unwanted, content):
            element.drop_tree()
    for element in _found(_MARKED, content):
        if _is_furniture(element):
            element.drop_tree()
    for link in list(content.iter("a")):
        if _is_permalink(link):
            _silence(link)
    for picture in list(content.iter("img")):
        picture.tail = f" {_description(picture)} {picture.tail or ''}"
    for power in content.iter("sup"):
        if _EXPONENT.match(power.text or "") and len(power) == 0:
            power.text = f"^{power.text}"
    for line_break in content.iter("br"):
        line_break.tail = f"\n{line_break.tail or ''}"
    return content


def _found(find: etree.XPath, element: HtmlElement) -> list[HtmlElement]:
    return cast("list[HtmlElement]", find(element))


def _container(body: HtmlElement) -> HtmlElement:
    most = len(collapse(raw_text(body))) // 4
    for place, find in enumerate(_CONTENT):
        found = _found(find, body)
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
    return _is_short_or_links(element)


def _is_short_or_links(element: HtmlElement) -> bool:
    words = len(collapse(raw_text(element)))
    return words < 300 or link_share(element) > 0.4


def link_share(element: HtmlElement) -> float:
    """Return the part of an element's text that is the text of links, 0 to 1; headings aside."""
    words = len(collapse(raw_text(element)))
    headings = sum(len(line(h)) for h in element.iter("h1", "h2", "h3"))
    linked = sum(len(line(a)) for a in element.iter("a") if a.get("href"))
    return min(linked / max(words - headings, 1), 1.0)


def _is_permalink(link: HtmlElement) -> bool:
    if _PERMALINK_CLASSES & set((link.get("class") or "").split()):
        return True
    return raw_text(link).strip() in _PERMALINK_TEXTS


def _silence(link: HtmlElement) -> None:
    """Take a permalink's sign away; some sites give the anchor's id to the link itself."""
    if not link.get("id") and not link.get("name"):
        link.drop_tree()
        return
    for child in list(link):
        child.drop_tree()
    link.text = None


def _description(picture: HtmlElement) -> str:
    alt = collapse(picture.get("alt") or "")
    return "" if _PICTURE_FILE.match(alt) else alt


def without_furniture(blocks: list[Block]) -> list[Block]:
    """Leave out lines that are tools of the page, and the copyright lines at its end."""
    paragraphs = BlockKind.PARAGRAPH
    kept = [b for b in blocks if b.kind is not paragraphs or not _PAGE_TOOLS.match(b.text)]
    while kept and kept[-1].kind is paragraphs and _COPYRIGHT.match(kept[-1].text):
        kept.pop()
    return kept
