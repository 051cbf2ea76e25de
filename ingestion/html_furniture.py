"""What stands on a page beside its text: navigation, search, footers, tools, banners.

It is told by its role, by how much of it is links, and by its place at the page's edge. Names of
classes and ids are a hint that one of these has to bear out.
"""

import re
from collections.abc import Iterator, Sequence

from lxml.html import HtmlElement

from ingestion.boilerplate import is_legal
from ingestion.html_parts import line, raw_text
from ingestion.html_tree import found
from ingestion.page import Block, BlockKind, collapse

_LANDMARKS = (
    ".//*[@role='navigation' or @role='search' or @role='banner' or @role='contentinfo'"
    " or @aria-label='Breadcrumb' or self::nav"
    " or @role='doc-pagebreak' or @*[name()='epub:type']='pagebreak'"
    " or @class='navheader' or @class='navfooter' or self::p[starts-with(@class, 'MsoToc')]"
    " or self::span[@class='lang'][../pre]"
    " or self::form[.//input][string-length(normalize-space()) < 100]"
    " or self::ul[parent::li[starts-with(@class, 'toctree-l')]]]"
)
"""What says itself that it is none of the text (DocBook's and Word's by their classes), search
boxes, nested contents, and the language above a listing (VitePress)."""
_OLD_VERSION = ".//*[contains(@class, 'theme-doc-version-ba')]"
"""The banner and the badge of an old version (Docusaurus)."""
_HINTED = (
    ".//*[self::div or self::ul or self::ol or self::aside or self::header or self::footer"
    " or self::form or self::p or self::table or self::section][@class or @id or self::footer]"
)
_NAMES = {
    *("nav", "navbar", "navigation", "sidebar", "sphinxsidebar", "sidenav", "breadcrumb"),
    *("breadcrumbs", "footer", "toc", "pagination", "pager", "searchbox", "search", "navheader"),
    *("navfooter", "menu", "topbar", "toolbar", "prev", "prevnext", "related", "copyright"),
    *("cookie", "cookies", "contents", "index", "navbox", "catlinks", "printfooter"),
}
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt", "caption")
_SECTIONS = ("section", "blockquote", "figure", "details", "td", "li", "dd")
_TITLES = ("sidebar-title", "topic-title", "admonition-title")
_MOSTLY_LINKS = 0.4
_NOTHING_BUT_LINKS = 0.95
_LONGEST_AT_EDGE = 600
_PERMALINK_CLASSES = {"headerlink", "permalink", "anchor-link", "anchorjs-link", "viewcode-link"}
_PERMALINK_TEXTS = {"¶", "#", "§", "◆", "\U0001f517", "[source]", "[docs]", "[edit]", "↑", "↩", "↩︎"}
_NEWEST = re.compile(r"(?:^|/)(?:latest|stable|current|main|master)(?:/|$)")
_COPYRIGHT = re.compile(
    r"^(©|copyright\b(?!.*\blicen[sc]e)|\(c\) ?\d{4}|created using\b|built with\b|last updated on\b"
    r"|(documentation )?last generated\b|(previous|next|prev|up|contents|index)\b ?[:|»])",
    re.IGNORECASE,
)
_PAGE_TOOLS = re.compile(
    r"^(edit (this page|on \w+)|(view|show) (page )?source|report (a bug|an issue)( on \w+)?"
    r"|(skip|jump) to (main |the )?(content|navigation|search)|back to top"
    r"|table of contents|on this page|improve this page"
    r"|suggest (an )?edits?|print|copy( page)?|[«‹<]? ?previous|next ?[»›>]?|toggle .{1,40}"
    r"|(previous|next) ?[:|].{0,200}|was this (page|article) helpful\??)$",
    re.IGNORECASE,
)
_BANNER = re.compile(
    r"\byou(?:['’]re| are)(?: currently)? (?:reading|viewing|looking at|browsing|using|on)\b"
    r".{0,80}\b(?:docs|documentation|page|manual|version of this)\b"
    r"|\byou(?:['’]re| are)(?: currently)? (?:reading|viewing|looking at|browsing) an? "
    r"(?:old(?:er)?|outdated|archived|unsupported|unreleased) (?:version|release)\b"
    r"|\bth(?:is|ese) (?:(?:docs?|documentation|document|page|manual|site)\b.{0,40} (?:is|are)"
    r"|(?:is|are) (?:\w+ ){0,3}(?:docs|documentation|manual|page)\b).{0,120}"
    r"\b(?:no longer|old(?:er)?|outdated|archived|unsupported|unreleased|in development"
    r"|not (?:the )?(?:latest|current|newest|stable)|development version)\b",
    re.IGNORECASE,
)
_NEWER = re.compile(
    r"\b(?:latest|newe(?:r|st)|current|stable|up-to-date|recent|old(?:er)?|outdated|archived)\b",
    re.IGNORECASE,
)
_CONTENTS = re.compile(
    r"(?:table of contents|contents|toc|(?:on|in) this (?:page|article|document)|inhalt|目次|目录"
    r"|inhaltsverzeichnis|sommaire|table des matières|contenido|índice)(?: generated with doctoc)?",
    re.IGNORECASE,
)
"""What stands above a list of sections."""
_LONGEST_BANNER = 400
_BEFORE_TEXT = 6


def remove_furniture(content: HtmlElement) -> None:
    """Remove from the tree what stands beside the text."""
    for element in _still_in(content, found(content, _LANDMARKS)):
        element.drop_tree()
    hinted = found(content, _HINTED)
    for element in _still_in(content, [*hinted, *reversed(hinted)]):
        if _is_furniture(element, content):
            element.drop_tree()
    for element in _still_in(content, _above_title(content)):
        if _leads_away(element):
            element.drop_tree()
    for link in _still_in(content, found(content, ".//a[@href]")):
        if _NEWEST.search(link.get("href", "")):
            _remove_banner(link, content)


def remove_version_banner(body: HtmlElement) -> None:
    """Remove what says itself that it tells of the version, before it is taken for a warning."""
    for element in found(body, _OLD_VERSION):
        element.drop_tree()


def remove_permalinks(content: HtmlElement) -> None:
    """Remove links that only lead to where they stand, and keep the anchors of those that are.

    One to edit a section may stand in brackets of its own (MediaWiki).
    """
    for link in [*content.iter("a"), *found(content, ".//span[count(a) = 1]")]:
        if _is_permalink(link):
            if anchor := link.get("id") or link.get("name"):
                link[:], link.text = [], None
                link.attrib.clear()
                link.set("id", anchor)
            else:
                link.drop_tree()


def remove_contents(content: HtmlElement) -> None:
    """Remove lists of the page's own sections below a title that calls them so.

    Kramdown writes such a list itself in place of an item.
    """
    for listed in _still_in(content, found(content, ".//*[self::ul or self::ol or self::dl]")):
        title, items = listed.getprevious(), listed.findall("li")
        titled = title is not None and bool(_CONTENTS.fullmatch(line(title)))
        links = found(listed, ".//a[starts-with(@href, '#')]")
        of_page = titled and _letters("".join(map(line, links))) == _letters(line(listed))
        if of_page or (len(items) == 1 and _CONTENTS.fullmatch(line(items[0]))):
            listed.drop_tree()
            if titled and title is not None:
                title.drop_tree()


def link_share(element: HtmlElement) -> float:
    """Return the part of an element's text that is the text of links, 0 to 1; headings aside."""
    words = len(collapse(raw_text(element)))
    headings = sum(len(line(h)) for h in element.iter("h1", "h2", "h3"))
    linked = sum(len(line(a)) for a in element.iter("a") if a.get("href"))
    return min(linked / max(words - headings, 1), 1.0)


def without_furniture(blocks: Sequence[Block], code: set[str]) -> list[Block]:
    """Leave out lines that are tools of the page, and the copyright lines at its end.

    `code` are the texts that are set as code: what reads "print" there is no tool.
    """
    kept = [
        block
        for block in blocks
        if block.kind is not BlockKind.PARAGRAPH
        or block.text in code
        or not _PAGE_TOOLS.match(block.text)
    ]
    while kept and kept[-1].kind is BlockKind.PARAGRAPH and _is_imprint(kept[-1].text):
        kept.pop()
    return kept


def without_banner(blocks: Sequence[Block]) -> list[Block]:
    """Leave out what tells, before the text begins, that it is not of the newest version."""
    first = [block for block in blocks[:_BEFORE_TEXT] if not _is_banner(block)]
    return [*first, *blocks[_BEFORE_TEXT:]]


def _is_banner(block: Block) -> bool:
    text = block.text
    return (
        block.kind is BlockKind.PARAGRAPH
        and len(text) <= _LONGEST_BANNER
        and bool(_BANNER.search(text) and _NEWER.search(text))
    )


def _is_imprint(text: str) -> bool:
    return bool(_COPYRIGHT.match(text)) or is_legal(text)


def _still_in(content: HtmlElement, elements: Sequence[HtmlElement]) -> Iterator[HtmlElement]:
    """Yield the elements that did not go, until their turn, with one around them."""
    for element in elements:
        if content in element.iterancestors():
            yield element


def _is_furniture(element: HtmlElement, content: HtmlElement) -> bool:
    classes = (element.get("class") or "").lower().replace(",", " ").split()
    if element.tag == "section" or "section" in classes:
        return False
    share = link_share(element)
    if element.tag == "footer":
        around = next(element.iterancestors(*_SECTIONS), None)
        return around is None or share > _MOSTLY_LINKS
    names = {part for name in classes for part in re.split(r"[-_]+", name)}
    names |= set(re.split(r"[-_]+", (element.get("id") or "").lower()))
    if names.isdisjoint(_NAMES):
        return False
    if any((child.get("class") or "").startswith(_TITLES) for child in element):
        return "contents" in classes and share > _MOSTLY_LINKS
    if _is_headed(element):
        return share > _NOTHING_BUT_LINKS and len(element.findall(".//a[@href]")) > 1
    if share > _MOSTLY_LINKS:
        return True
    return _is_plain(element) and _is_at_edge(element, content)


def _above_title(content: HtmlElement) -> list[HtmlElement]:
    """What stands before the page's title, beside it or beside what it is in."""
    title = content.find(".//h1")
    if title is None:
        return []
    around = [title, *(e for e in title.iterancestors() if content in e.iterancestors())]
    return [e for one in around for e in one.itersiblings(preceding=True)]


def _leads_away(element: HtmlElement) -> bool:
    """Say whether what stands above a title is a logo or a way there: links and little else.

    On the page that a way ends at, its last link leads nowhere.
    """
    links = [a for a in element.iter("a") if a.get("href") or not (a.get("id") or a.get("name"))]
    linked, words = map(_letters, ("".join(map(line, links)), line(element)))
    named = set(re.split(r"[\s_-]+", (element.get("class") or "").lower()))
    is_way = linked == words or not named.isdisjoint(_NAMES)
    return linked > 0 and is_way and _is_plain(element)


def _letters(text: str) -> int:
    return sum(map(str.isalnum, text))


def _is_headed(element: HtmlElement) -> bool:
    """Say whether an element begins with a heading: its id is that heading's anchor then."""
    first = next((e for e in element.iter() if (e.text or "").strip()), None)
    if first is None:
        return False
    return first.tag in _HEADINGS or next(first.iterancestors(*_HEADINGS), None) is not None


def _is_plain(element: HtmlElement) -> bool:
    is_long = len(collapse(raw_text(element))) > _LONGEST_AT_EDGE
    structured = (*_HEADINGS, "pre", "code", "dl", "table")
    return not is_long and element.tag != "table" and next(element.iter(*structured), None) is None


def _is_at_edge(element: HtmlElement, content: HtmlElement) -> bool:
    return not any(map(_has_text, _before(element, content))) or not any(
        map(_has_text, _after(element, content))
    )


def _before(element: HtmlElement, content: HtmlElement) -> Iterator[str]:
    while element is not content:
        for other in element.itersiblings(preceding=True):
            yield f"{raw_text(other)} {other.tail or ''}"
        element = element.getparent()
        yield element.text or ""


def _after(element: HtmlElement, content: HtmlElement) -> Iterator[str]:
    while element is not content:
        yield element.tail or ""
        for other in element.itersiblings():
            yield f"{raw_text(other)} {other.tail or ''}"
        element = element.getparent()


def _has_text(text: str) -> bool:
    text = collapse(text)
    return bool(text) and not _is_imprint(text)


def _remove_banner(link: HtmlElement, content: HtmlElement) -> None:
    """Remove what stands before the text and leads to another version of it."""
    banner = None
    for element in link.iterancestors():
        if element is content or len(collapse(raw_text(element))) > _LONGEST_BANNER:
            break
        if next(element.iter(*_HEADINGS), None) is not None:
            break
        if element.tag in {"div", "p", "aside", "section"}:
            banner = element
    if banner is not None and not any(map(_has_text, _before(banner, content))):
        banner.drop_tree()


def _is_permalink(link: HtmlElement) -> bool:
    classes = set((link.get("class") or "").split())
    return bool(_PERMALINK_CLASSES & classes) or raw_text(link).strip() in _PERMALINK_TEXTS
