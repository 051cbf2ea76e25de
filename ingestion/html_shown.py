"""What a page shows, and what a reader hears of it: neither struck out nor hidden text, but names.

The name of an icon, of a picture or of a mark is its text.
"""

import re
from collections.abc import Iterator

from lxml import etree
from lxml.html import HtmlElement

from ingestion.html_parts import raw_text
from ingestion.html_sheets import STRUCK, hides, strikes_out
from ingestion.html_tree import OF_CLASS, found, has_class
from ingestion.page import collapse

_STRUCK_TAGS = {"del", "s", "strike"}
_STRUCK_CLASSES = {STRUCK, "strike", "strikethrough", "struck", "strike-through", "del"}
_LINK_OF_CARD = "sd-hide-link-text"
"""What sphinx-design lays over a card that leads somewhere, with the name of the page."""
_HEARD_CLASSES = {
    *(
        "sr-only",
        "visually-hidden",
        "visuallyhidden",
        "visually-hidden-focusable",
        "sr-only-focusable",
    ),
    *(
        "screen-reader-text",
        "screen-reader-only",
        "show-for-sr",
        "cdk-visually-hidden",
        "a11y-hidden",
    ),
}
"""Text that only a screen reader tells."""
UNNAMED = "(icon)"
"""What a cell holds that shows a drawing without a name."""
_MARKS = ("i", "span", "em", "b", "svg", "div")
_NO_TEXT = {"script", "style", "svg"}
_CELLS = ("td", "th", "dt", "dd", "li")
_ICON_CLASS = re.compile(
    r"(?:fa|icon|icons|mdi|bi|glyphicon|octicon|codicon|ti|lucide|anticon|ri|pi|ion|dashicons)-+(.+)"
)
_ICON_STYLE = re.compile(
    r"(?:solid|regular|brands|light|thin|fw|lg|sm|xs|[0-9]+x?|spin|inline|wrapper|xl|large|small)$"
)
_SHORT_CODE = re.compile(r":([a-z0-9_+-]+):")
_ICON_SET = re.compile(r"(?:material|fontawesome|octicons|simple|fas?|far|mdi|bi|tabler|lucide)-")
_STYLE_OF_ICON = re.compile(r"^(?:brands|solid|regular|outline|round|sharp)-|-(?:\d+|outline)$")
_ICON_ROLE = re.compile(r"octicon|fa[bsr]?|material-\w+")
_PICTURE = re.compile(
    r"(?:.*/)?([^/?#]+)\.(?:png|jpe?g|gif|svg|webp|bmp|ico)(?:[?#].*)?$", re.IGNORECASE
)


def strikes(role: str) -> bool:
    """Say whether a role of MyST or reStructuredText strikes out its text, by the role's name."""
    return role in _STRUCK_CLASSES | _STRUCK_TAGS


def icon_of_role(role: str, text: str) -> str | None:
    """The class of the icon that a role of sphinx-design shows ("check;1em"); None of others."""
    return f"icon-{text.partition(';')[0].strip()}" if _ICON_ROLE.fullmatch(role) else None


def icon_of_code(code: str) -> str | None:
    """The icon of one of the usual sets that a short code names ("material-check": "check")."""
    name = _ICON_SET.sub("", code, count=1)
    if name == code:
        return None
    while (shorter := _STYLE_OF_ICON.sub("", name)) != name:
        name = shorter
    return name


def is_picture_file(name: str) -> bool:
    """Say whether what should describe a picture is the name of its file."""
    return " " not in name and _PICTURE.match(name) is not None


def show(body: HtmlElement) -> None:
    """Remove what is struck out or hidden, and write the names of icons and marks as text."""
    _remove_struck(body)
    for box in found(body, ".//input[@type='checkbox'][ancestor::li]"):
        box.tag, box.text = "span", "[ ] " if box.get("checked") is None else "[x] "
    for task in found(body, f".//ul[{OF_CLASS.format('inline-task-list')}]/li[not(.//input)]"):
        task.text = f"[{'x' if has_class(task, 'checked') else ' '}] {task.text or ''}"
    for cell in list(body.iter(*_CELLS)):
        _name_cell(cell)
    for element in list(body.iter(*_MARKS)):
        if _is_named_mark(element):
            name = element.get("aria-label") or element.get("title")
            element[:], element.text, element.tag = [], f" {name} ", "span"
    for element in [e for e in body.iter() if _is_heard(e) and _speaks_for_icon(e)]:
        element.attrib.pop("class")
    for element in [e for e in body.iter() if e is not body and _is_unread(e)]:
        _drop(element)


def _classes(element: HtmlElement) -> set[str]:
    return set((element.get("class") or "").split())


def _is_struck(element: HtmlElement) -> bool:
    return (
        element.tag in _STRUCK_TAGS
        or not _STRUCK_CLASSES.isdisjoint(_classes(element))
        or strikes_out(element.get("style"))
    )


def _is_hidden(element: HtmlElement) -> bool:
    if element.get("role") == "tabpanel":
        return False
    if _LINK_OF_CARD in _classes(element):
        return True
    hidden = element.get("hidden")
    return (hidden is not None and hidden != "until-found") or hides(element.get("style"))


def _is_unheard(element: HtmlElement) -> bool:
    return bool(element.get("aria-hidden") == "true" and element.get("role") != "tabpanel")


def _is_heard(element: HtmlElement) -> bool:
    return not _HEARD_CLASSES.isdisjoint(_classes(element))


def _drop(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _remove_struck(body: HtmlElement) -> None:
    """Remove struck out text; with a name that was struck out goes what is said of it.

    A heading stays, with a word of it, since it parts what follows from what stands above.
    """
    for element in [e for e in body.iter() if e is not body and _is_struck(e)]:
        holders = ("td", "th", "dt", "h1", "h2", "h3", "h4", "h5", "h6")
        holder = element if element.tag in holders else next(element.iterancestors(*holders), None)
        words = collapse(raw_text(element))
        if holder is None or holder is element:
            _drop(element)
            continue
        _drop(element)
        if not words or raw_text(holder).strip() or holder.getparent() is None:
            continue
        if holder.tag.startswith("h"):
            holder.text = f"{words} (struck out)"
        elif holder.tag == "dt":
            for described in list(holder.itersiblings()):
                if described.tag == "dt":
                    break
                _drop(described)
            _drop(holder)
        elif holder.getprevious() is None:
            _drop(holder.getparent())


def _is_unread(element: HtmlElement) -> bool:
    return _is_hidden(element) or _is_unheard(element) or _is_heard(element)


def _texts(element: HtmlElement) -> Iterator[str]:
    """Yield what an element shows, its drawings aside."""
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            yield "" if node is element else node.tail or ""
        elif node is not element and (_is_unread(node) or node.tag in _NO_TEXT):
            walk.skip_subtree()
        else:
            yield node.text or ""


def _name(element: HtmlElement) -> str:
    """Return what a screen reader tells of an element that shows no words."""
    parts: list[str] = []
    titles: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        if event == "end":
            parts.append("" if node is element else node.tail or "")
            continue
        label = node.get("aria-label") or node.get("alt")
        is_whole = node.tag in {"script", "style"} or _is_hidden(node) or _is_unheard(node)
        if is_whole or label:
            parts.append("" if is_whole or is_picture_file(label) else label)
            walk.skip_subtree()
        elif node.tag == "input" and node.get("type") in {"checkbox", "radio"}:
            parts.append("not checked" if node.get("checked") is None else "checked")
        else:
            titles.append(node.get("title") or "")
            parts.append(node.text or "")
    told = collapse(" ".join(parts))
    told = told if _has_words(told) else collapse(" ".join(titles)) or told
    code = _SHORT_CODE.fullmatch(told)
    return (icon_of_code(code[1]) or code[1]).replace("-", " ") if code else told


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _name_cell(cell: HtmlElement) -> None:
    """Let a cell that shows no words hold the name of what it shows."""
    code = _SHORT_CODE.fullmatch("".join(_texts(cell)).strip())
    is_icon = code and icon_of_code(code[1]) and next(cell.iter("code", "pre"), None) is None
    if is_icon or not any(map(_has_words, _texts(cell))):
        name = _name(cell) or _last_resort(cell)
        if name and name != collapse(" ".join(_texts(cell))):
            pictures = list(cell.iter("img"))
            for picture in pictures:
                # Its name is read out as the cell's text.
                picture.tail = None
                picture.attrib.pop("alt", None)
                picture.set("title", name)
            cell[:], cell.text = pictures, name


def _last_resort(cell: HtmlElement) -> str:
    """Return what a cell shows to the eye alone: hidden from readers, a font's icon, a file."""
    unheard = [raw_text(e) for e in cell.iter() if _is_unheard(e) and e.tag not in _NO_TEXT]
    if told := collapse(" ".join(unheard)):
        return told
    for element in cell.iter():
        names = [element.get("data-icon") or "", *map(_icon, _classes(element))]
        if element.tag == "use":
            link = (element.get("href") or element.get("xlink:href") or "").rpartition("#")[2]
            names.append(_icon(link) or link)
        if element.tag == "img" and (file := _PICTURE.match(element.get("src") or "")):
            names.append(file[1])
        if name := next(filter(None, names), ""):
            return re.sub(r"[-_]+", " ", name)
    return UNNAMED if cell.find(".//svg") is not None else ""


def _icon(token: str) -> str:
    named = _ICON_CLASS.fullmatch(token)
    return named[1] if named and not _ICON_STYLE.match(named[1]) else ""


def _is_named_mark(element: HtmlElement) -> bool:
    """Say whether an element stands in the text for its name."""
    if not (element.get("aria-label") or element.get("title")) or _is_unheard(element):
        return False
    if next(element.iterancestors("a", "button", "nav", "pre", "code"), None) is not None:
        return False
    return element.get("role") == "img" or not raw_text(element).strip("\u200b\ufeff \n\t")


def _speaks_for_icon(element: HtmlElement) -> bool:
    """Say whether text for screen readers stands alone, or beside something without a text."""
    if any(e.tag in {"a", "button", "label"} for e in element.iterancestors()):
        return False
    beside = [e for e in (element.getprevious(), element.getnext()) if e is not None]
    around = element.getparent()
    alone = around is not None and not "".join(_texts(around)).strip()
    return alone or any(_is_unheard(e) or e.tag in {"i", "svg"} for e in beside)
