"""What generators of sites make of tabs, boxes, footnotes and signatures becomes plain HTML."""

import re

from lxml.builder import E
from lxml.html import HtmlElement

from ingestion.html_members import rewrite_members, rewrite_rustdoc
from ingestion.html_parts import line, raw_text, whole_number
from ingestion.html_tree import OF_CLASS, found, put_first, replace

_STRIPS = (
    f".//*[@role='tablist' or {OF_CLASS.format('tabbed-labels')} or {OF_CLASS.format('tablist')}]"
)
_TABS = f".//*[@role='tab' or {OF_CLASS.format('tab')}]"
_PANEL = (
    f"*[@role='tabpanel' or {OF_CLASS.format('tabbed-block')} or {OF_CLASS.format('tabpanel')}]"
)
_OUTER_PANELS = f".//{_PANEL}[count(ancestor::{_PANEL}) = $depth]"
_NOTES = f".//*[{OF_CLASS.format('admonitionblock')}]"
_NOTE_KINDS = {
    *("note", "tip", "warning", "caution", "important", "danger", "info", "hint", "attention"),
}
_NOTE_CLASSES = _NOTE_KINDS | {
    *("custom-block", "markdown-alert", "starlight-aside", "callout", "alert", "panel"),
    *("confluence-information-macro", "pageinfo", "blockquote-tag"),
}
_COLLAPSIBLE = ".//*[re:test(@class, '(^|[ _-])(collaps|expand|accordion)', 'i')]"
_CONTROLS = (
    ".//*[@aria-expanded or @data-toggle='collapse' or @data-bs-toggle='collapse'"
    " or @data-mc-targets]"
    "[not(ancestor::nav or ancestor::header or ancestor::li)]"
)
_TARGETS = ("aria-controls", "data-bs-target", "data-target", "data-mc-targets", "href")
_REGEX = {"re": "http://exslt.org/regular-expressions"}
_ROLES = {
    "table": "table",
    "grid": "table",
    "rowgroup": "tbody",
    "row": "tr",
    "columnheader": "th",
    "rowheader": "th",
    "cell": "td",
    "gridcell": "td",
    "list": "ul",
    "listitem": "li",
}
_COMMENT_SIGN = re.compile(r"(?<!\S)(?://|#|--|;;|<!--) ?\Z")
_ANNOTATION = re.compile(r"(?://|#|--|;|%|<!--|/\*) ?\(\d{1,2}\)!?(?: ?(?:\*/|-->))?")
"""A mark of Material for MkDocs, which the list below the listing explains."""
_ANNOTATED = (
    ".//pre[following-sibling::*[1][self::ol] or ancestor::div[following-sibling::*[1][self::ol]]]"
    "//span[starts-with(@class, 'c')]"
)
_TO_NOTES = (
    ".//a[ancestor::sup and starts-with(@href, '#')"
    " or @role='doc-noteref' or @*[name()='epub:type']='noteref']"
)
_MARK = re.compile(r"\[?(\d{1,3}|[a-z*†‡])\]?")


def rewrite(body: HtmlElement) -> None:
    """Put plain HTML in place of tabs, boxes, footnotes, signatures, formulas, marks in code.

    What is hidden until somebody clicks stands under the label that opens it then.
    """
    for part in (
        *(rewrite_rustdoc, _tabs, _collapsed, _boxes, _notes, _footnotes),
        *(rewrite_members, _grids, _formulas, _numbered_code, _callouts, _menus),
    ):
        part(body)


def _tabs(body: HtmlElement) -> None:
    for strip in found(body, _STRIPS):
        labels = [tab for tab in strip.xpath(_TABS) or strip if line(tab)]
        around = strip.getparent()
        depth = len(strip.xpath(f"ancestor::{_PANEL}"))
        panels = around.xpath(_OUTER_PANELS, depth=depth)
        if len(labels) == len(panels):
            for label, panel in zip(labels, panels, strict=True):
                _entitle(panel, line(label))
            strip.drop_tree()
    for label in found(body, ".//label[preceding-sibling::*[1][self::input]]"):
        panel = label.getnext()
        if panel is not None and panel.tag == "div" and line(label):
            _entitle(panel, line(label))
            label.drop_tree()


def _collapsed(body: HtmlElement) -> None:
    """Open what a details element, its class or the control before it says opens on a click."""
    for panel in body.xpath(_COLLAPSIBLE, namespaces=_REGEX):
        _open(panel)
    for control in found(body, _CONTROLS):
        target = next(filter(None, map(control.get, _TARGETS)), "").removeprefix("#")
        before = (e for e in (control, *control.iterancestors()) if e.getnext() is not None)
        panel = next((e.getnext() for e in before), None)
        names = () if panel is None else map(panel.get, ("id", "data-mc-target-name"))
        if target and panel is not None and target in names and line(control):
            _entitle(panel, line(control))
            control.drop_tree()
    for summary in found(body, ".//details/summary[not(contains(@class, '-title'))]"):
        details = summary.getparent()
        label = line(summary)
        summary.drop_tree()
        whole = line(details)
        for inner in details.iterdescendants():
            if line(inner) != whole:
                break
            _open(inner)
        _entitle(details, label)


def _boxes(body: HtmlElement) -> None:
    for note in found(body, _NOTES):
        icon, content = note.find(".//td[@class='icon']"), note.find(".//td[@class='content']")
        if icon is not None and content is not None:
            named = next((e.get("title") or e.get("alt") for e in icon), None) or line(icon)
            content.tag = "div"
            content.set("class", "admonition")
            put_first(content, E.p(named, {"class": "admonition-title"}))
            replace(note, content)


def _notes(body: HtmlElement) -> None:
    """Let a box that its class or role calls a note begin with its title, else with its kind."""
    for box in found(body, ".//*[self::div or self::aside or self::blockquote][@class or @role]"):
        names = (box.get("class") or "").split()
        parts = [part for name in names for part in re.split(r"[-_]+", name)]
        is_note = box.get("role") == "note" or not _NOTE_CLASSES.isdisjoint(names)
        if not is_note or "admonition" in parts:
            continue
        headings = box.xpath(".//*[self::h1 or self::h2 or self::h3 or self::h4 or self::h5]")
        titles = (
            box.xpath(".//*[re:test(@class, '(title|heading)$')]", namespaces=_REGEX) or headings
        )
        if len(headings) > 1 or (headings and headings[0] is not titles[0]):
            continue
        kind = next((part for part in reversed(parts) if part in _NOTE_KINDS), "").capitalize()
        title = line(titles[0]) if titles else box.get("aria-label") or kind
        for empty in [*titles[:1], *(e for e in box if e.tag in {"div", "span"} and not line(e))]:
            empty.drop_tree()
        if title and not line(box).lower().startswith(title.lower()):
            box.tag = "div"
            box.set("class", "admonition")
            put_first(box, E.p(title, {"class": "admonition-title"}))


def _footnotes(body: HtmlElement) -> None:
    """Mark what refers to a footnote, and let each footnote begin with its mark."""
    marks: dict[str, str] = {}
    for link in found(body, _TO_NOTES):
        if mark := _MARK.fullmatch(raw_text(link).strip()):
            marks.setdefault(link.get("href", "").partition("#")[2], mark[1])
            link.clear(keep_tail=True)
            link.text = f"[{mark[1]}]"
    for item in found(body, ".//*[self::aside or self::li[parent::ol]][@id]"):
        mark_of_note = marks.get(item.get("id", ""))
        if mark_of_note and not line(item).startswith("["):
            if item.tag == "li":
                item.getparent().tag = "div"
            item.tag = "div"
            item.set("class", "footnote")
            put_first(item, E.p(f"[{mark_of_note}]"))


def _grids(body: HtmlElement) -> None:
    """Make tables, lists and headings of what says by its role that it is one."""
    for role, tag in _ROLES.items():
        for element in found(body, f".//*[@role='{role}'][self::div or self::span]"):
            element.tag = tag
    for title in found(body, ".//*[@role='heading'][self::div or self::span or self::p]"):
        title.tag = f"h{min(max(whole_number(title.get('aria-level'), 2), 1), 6)}"


def _formulas(body: HtmlElement) -> None:
    for tex in found(body, ".//math//annotation[@encoding='application/x-tex']"):
        math = next(tex.iterancestors("math"))
        text = raw_text(tex)
        math.clear(keep_tail=True)
        math.text = text
    for part in found(body, ".//math//*"):
        part.tail = (part.tail or "").strip()
        if part.tag in {"msup", "msubsup"} and len(part):
            part[-1].tag = "sup"
        elif part.tag == "mfrac" and len(part) == 2:
            part.text, part[0].tail, part[1].tail = "(", ")/(", ")"
        elif part.tag == "msqrt":
            part.text, part.tail = "√(", f"){part.tail}"


def _numbered_code(body: HtmlElement) -> None:
    for table in found(body, ".//table[.//td[@data-line-number]]"):
        rows = [row.findall("td") for row in table.iter("tr")]
        if all(row and any(cell.get("data-line-number") for cell in row) for row in rows):
            listing = "\n".join(raw_text(row[-1]).strip("\n") for row in rows)
            replace(table, E.pre(listing))


def _menus(body: HtmlElement) -> None:
    """Write between the parts of a menu what Asciidoctor may draw there."""
    for caret in found(body, ".//span[@class='menuseq']/*[contains(@class, 'caret')]"):
        caret.tail = f">{caret.tail or ''}"
        caret.drop_tree()


def _callouts(body: HtmlElement) -> None:
    """Leave marks of callouts, and the comments that hide them, out of code that is copied."""
    for comment in found(body, _ANNOTATED):
        if _ANNOTATION.fullmatch(raw_text(comment).strip()):
            comment.clear(keep_tail=True)
    for mark in found(body, ".//pre//*[@class='conum']"):
        number = mark.getnext()
        if mark.tag == "i" and number is not None and number.tag == "b":
            number.drop_tree()
        before, around = mark.getprevious(), mark.getparent()
        if before is not None:
            before.tail = _COMMENT_SIGN.sub("", before.tail or "")
        else:
            around.text = _COMMENT_SIGN.sub("", around.text or "")
        mark.drop_tree()


def _entitle(part: HtmlElement, label: str) -> None:
    """Make of a part that is shown on demand a section with its label as the heading."""
    _open(part)
    part.attrib.pop("role", None)
    part.tag = "section"
    put_first(part, E.p(label, {"class": "rubric"}))


def _open(part: HtmlElement) -> None:
    for name in ("hidden", "aria-hidden", "style"):
        part.attrib.pop(name, None)
