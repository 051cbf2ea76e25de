"""What generators of documentation build out of divs and tables, written as plain HTML again."""

import re
from typing import cast

from lxml.builder import E
from lxml.html import HtmlElement

from ingestion.html_text import line, raw_text

_OF_CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
_STRIPS = f".//*[@role='tablist' or {_OF_CLASS.format('tabbed-labels')}]"
_PANEL = f"*[@role='tabpanel' or {_OF_CLASS.format('tabbed-block')}]"
_OUTER_PANELS = f".//{_PANEL}[count(ancestor::{_PANEL}) = $depth]"
_NOTES = f".//*[{_OF_CLASS.format('admonitionblock')}]"
_MEMBERS = f".//*[{_OF_CLASS.format('memitem')} or {_OF_CLASS.format('member-signature')}]"
_MARK = re.compile(r"\[?(\d{1,3}|[a-z*†‡])\]?")
_NAME = re.compile(r"(?P<before>.*?)(?P<name>[\w:~.]+)(?P<after>\s*\(.*|)$", re.DOTALL)


def as_plain_html(body: HtmlElement) -> None:
    """Rewrite tabs, boxes, footnotes, signatures, formulas and numbered code in place.

    What is hidden until somebody clicks is read too, each part under the label that opens it.
    """
    for rewrite in (_tabs, _boxes, _footnotes, _types, _signatures, _formulas, _numbered_code):
        rewrite(body)


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


def _types(body: HtmlElement) -> None:
    """Part the type of a documented name from it, as the style sheet does."""
    for classifier in _found(body, ".//dt/span[@class='classifier']"):
        classifier.text = f" : {classifier.text or ''}"


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
