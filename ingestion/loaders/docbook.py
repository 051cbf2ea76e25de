"""DocBook, DITA and Doxygen's XML become documents, by way of the HTML that they stand for."""

import re
from dataclasses import replace
from html.entities import html5

from lxml import etree

from ingestion import doxygen
from ingestion.docbook_names import BOXES, PREFORMATTED, ROOTS, SECTIONS, STRUCK, TAGS, UNREAD
from ingestion.documents import flowing_document
from ingestion.html_parts import line, whole_number
from ingestion.loaders.html import fragment_blocks, fragment_document
from ingestion.messages import message
from ingestion.ordinals import NUMERATIONS
from ingestion.page import (
    BlockKind,
    Document,
    NotDocumentation,
    NothingToRead,
    UnreadableFile,
    collapse,
)
from ingestion.superscripts import superscript

_OWN_SUFFIXES = (".dita", ".docbook", ".dbk")
_DECLARED = re.compile(rb"<!DOCTYPE[^>\[]*(docbook|dita)|docbook\.org/ns/docbook", re.IGNORECASE)
_NAMESPACE = "http://docbook.org/ns/docbook"
_ID = "{http://www.w3.org/XML/1998/namespace}id"
_INCLUDE = "{http://www.w3.org/2001/XInclude}include"
_ENTITY = re.compile(rb"<!ENTITY\s+([A-Za-z_][\w.-]*)\s+(SYSTEM|PUBLIC)?")
_REFERENCE = re.compile(rb"<!\[CDATA\[.*?\]\]>|&(?P<name>[A-Za-z_][\w.-]*);", re.DOTALL)
_XML_NAMES = {b"amp", b"lt", b"gt", b"quot", b"apos"}
_TYPICAL = ("para", "simpara", "informaltable", "variablelist", "conbody", "taskbody", "refbody")
_GLOSSARIES = {"glosslist", "glossdiv", "glossary", "section"}
_COUNTED = ("orderedlist", "procedure", "substeps", "ol", "steps")
_AROUND = {"opt": ("[", "]"), "req": ("{", "}")}
_BETWEEN = {"cmdsynopsis": " ", "group": "|"}
_MENUS = {"menuchoice": " > ", "menucascade": " > ", "keycombo": "+"}


def load(data: bytes, file: str) -> Document:
    """Read DocBook, DITA or what Doxygen writes as XML into pages cut along its sections.

    Entities that the file itself defines are put in place; what lies in other files is not, which
    a remark says. Raises NotDocumentation for other XML, UnreadableFile where it is broken.
    """
    is_own = file.lower().endswith(_OWN_SUFFIXES) or _DECLARED.search(data[:2000]) is not None
    # Entities of the file itself are resolved, and no others.
    parser = etree.XMLParser(no_network=True, load_dtd=False, remove_comments=True, remove_pis=True)
    lettered, elsewhere = _with_letters(data)
    try:
        root = etree.fromstring(lettered, parser)
    except etree.XMLSyntaxError as error:
        if not is_own:
            raise NotDocumentation("XML, and neither DocBook nor DITA") from error
        raise UnreadableFile(
            "its XML is broken ({error}); correct it", error=collapse(str(error))[:150]
        ) from error
    is_docbook = etree.QName(root).namespace == _NAMESPACE
    includes = elsewhere + len(list(root.iter(_INCLUDE)))
    for element in root.iter(etree.Element):
        element.tag = etree.QName(element).localname
    if root.tag == "doxygen":
        blocks = fragment_blocks(doxygen.html(root))
        if all(block.kind is BlockKind.HEADING for block in blocks):
            raise NothingToRead("it names what there is, and tells nothing of it")
        return flowing_document(data, file, "", blocks)
    if root.tag == "doxygenindex":
        raise NothingToRead("a generated index: nothing but names")
    typical = next(root.iter(*_TYPICAL), None) is not None
    if root.tag not in ROOTS or not (is_own or is_docbook or typical):
        raise NotDocumentation("XML, and neither DocBook nor DITA")
    includes += sum({"conref", "conkeyref"} & {*one.keys()} != set() for one in root.iter())
    for rewrite in (
        _hoist_titles,
        _letters,
        _synopses,
        _references,
        _sections,
        _tables,
        _lists,
        _marks,
    ):
        rewrite(root)
    markup = etree.tostring(root, method="html", encoding="unicode")
    read = fragment_document(data, file, "", markup)
    remark = message(
        "parts that lie in other files are not read in their place: {number}", number=includes
    )
    return replace(read, remarks=(*read.remarks, remark)) if includes else read


def _with_letters(data: bytes) -> tuple[bytes, int]:
    """Put numbers in place of HTML's names for letters, and count what names other files.

    A name that nothing in the file defines stays as it is written.
    """
    declared = {name: bool(outside) for name, outside in _ENTITY.findall(data)}
    elsewhere = 0

    def letter(match: re.Match[bytes]) -> bytes:
        nonlocal elsewhere
        name = match["name"]
        if name is None or name in _XML_NAMES or declared.get(name) is False:
            return match[0]
        if name in declared:
            elsewhere += 1
            return b""
        letters = html5.get(f"{name.decode()};", "")
        return b"".join(b"&#%d;" % ord(sign) for sign in letters) or b"&amp;%b;" % name

    return _REFERENCE.sub(letter, data), elsewhere


def _replace_by_text(node: etree._Element, text: str) -> None:
    parent, before = node.getparent(), node.getprevious()
    text += node.tail or ""
    if parent is None:
        return
    if before is None:
        parent.text = (parent.text or "") + text
    else:
        before.tail = (before.tail or "") + text
    node.tail = None
    parent.remove(node)


def _hoist_titles(root: etree._Element) -> None:
    """Move the title of what tells about a section to the section, and take out what is unread."""
    for info in list(root.iter(*(name for name in UNREAD if name.endswith("info")))):
        parent, title = info.getparent(), info.find("title")
        if title is not None and parent is not None and parent.find("title") is None:
            parent.insert(0, title)
    for element in list(root.iter(*UNREAD)):
        is_step = element.tag == "info" and _parent(element) in {"step", "substep", "choice"}
        if element is not root and not is_step:
            _replace_by_text(element, "")


def _letters(root: etree._Element) -> None:
    """Write powers as they are typed, and take out what is struck."""
    for element in list(root.iter(etree.Element)):
        if STRUCK & {element.get("role"), element.tag}:
            _replace_by_text(element, "")
        elif element.tag in {"superscript", "sup"} and len(element) == 0:
            before = str(element.xpath("string(preceding-sibling::node()[1])"))
            element.text = superscript(element.text or "", before) or element.text


def _synopses(root: etree._Element) -> None:
    """Write the brackets around what a command may be called with, and the bars between."""
    for part in [part for of in root.iter("cmdsynopsis") for part in of.iterdescendants()][::-1]:
        inside, is_last = _parent(part), part.getnext() is None
        if inside in _BETWEEN:
            part.tail = "" if is_last else _BETWEEN[inside]
        if part.tag in {"arg", "group"}:
            usual = "plain" if inside == "group" else "opt"
            opening, closing = _AROUND.get(part.get("choice", usual), ("", ""))
            closing = f"...{closing}" if part.get("rep") == "repeat" else closing
            part.text = opening + (part.text or "").lstrip()
            if len(part):
                part[-1].tail = (part[-1].tail or "").rstrip() + closing
            else:
                part.text = part.text.rstrip() + closing


def _references(root: etree._Element) -> None:
    """Write what a reference without words is shown as."""
    titles = {
        element.get("id") or element.get(_ID): line(title)
        for element in root.iter()
        if (title := element.find("title")) is not None
    }
    for element in root.iter("xref", "link", "ulink", "uri"):
        if not line(element):
            target = element.get("linkend") or element.get("url") or element.get("href") or ""
            element.text = titles.get(target.rpartition("/")[2].lstrip("#"), target)
    for name, sign in _MENUS.items():
        for menu in root.iter(name):
            menu.text = (menu.text or "").strip()
            for item in menu:
                item.tail = sign if item.getnext() is not None else item.tail
    for footnote in root.iter("footnote", "fn"):
        footnote.text = f" ({line(footnote)})"
        del footnote[:]


def _sections(root: etree._Element) -> None:
    for element in list(root.iter(*SECTIONS, "example", "refnamediv")):
        depth = sum(above.tag == "section" for above in element.iterancestors()) + 1
        name = "title" if element.tag != "glossentry" else "glossterm"
        is_entry = element.tag == "glossentry" and _parent(element) in _GLOSSARIES
        title = element.find(name)
        if is_entry or (element.tag == "example" and not _is_part(element)):
            continue
        if element.tag == "refnamediv":
            names = element.findall("refname")
            for one in names[:-1]:
                one.tail = ", "
            if names:
                names[-1].tail = " – "
            continue
        if (
            element.tag == "refentry"
            and (meta := element.find("refmeta/refentrytitle")) is not None
        ):
            title = meta
        element.tag = "section"
        if anchor := element.get("id") or element.get(_ID):
            element.set("id", anchor)
        if title is not None:
            title.tag = f"h{min(depth, 6)}"
            title.tail = None
            element.insert(0, title)


def _is_part(example: etree._Element) -> bool:
    """Tell DITA's section of examples from an example of DocBook."""
    return _parent(example) in {"body", "conbody", "taskbody", "refbody"}


def _parent(element: etree._Element) -> str:
    above = element.getparent()
    return above.tag if above is not None else ""


def _tables(root: etree._Element) -> None:
    for group in root.iter("tgroup"):
        names = [spec.get("colname") for spec in group.iter("colspec")]
        spans = {spec.get("spanname"): spec for spec in group.iter("spanspec")}
        for entry in group.iter("entry"):
            entry.set("rowspan", str(whole_number(entry.get("morerows"), 0) + 1))
            span = spans.get(entry.get("spanname"), entry)
            first, last = span.get("namest"), span.get("nameend")
            if first in names and last in names:
                entry.set("colspan", str(max(names.index(last) - names.index(first) + 1, 1)))
    for segments in root.iter("segmentedlist"):
        head = etree.Element("seghead")
        for name in list(segments.iter("segtitle")):
            name.tag = "th"
            head.append(name)
        segments.insert(int(segments.find("title") is not None), head)
    for head in root.iter("thead", "sthead", "prophead", "chhead"):
        for cell in head.iter("entry", "stentry"):
            cell.tag = "th"
    for group in list(root.iter("tgroup")):
        table = group.getparent()
        if table is not None:
            table.extend(list(group))
            table.remove(group)
    for spec in list(root.iter("colspec", "spanspec")):
        _replace_by_text(spec, "")
    for table in root.iter("table", "informaltable", "simpletable", "segmentedlist"):
        for title in table.findall("title"):
            title.tag = "caption"


def _lists(root: etree._Element) -> None:
    for entry in root.iter("varlistentry"):
        for item in entry.findall("listitem"):
            item.tag = "dd"
    for entry in root.iter("glossentry"):
        entry.tag = "div" if _parent(entry) == "glosslist" else "dl"
        for term in entry.findall("glossterm"):
            term.tag = "dt"
        for meaning in entry.findall("glossdef"):
            meaning.tag = "dd"
    for step in root.iter("step", "substep"):
        kind = step.get("importance") or step.get("performance")
        if kind == "optional" and len(step):
            step[0].text = f"Optional: {step[0].text or ''}"
    for counted in root.iter(*_COUNTED):
        depth = sum(above.tag in _COUNTED for above in counted.iterancestors())
        forms = [counted.get("numeration"), NUMERATIONS[depth % len(NUMERATIONS)]]
        counted.set("class", next(filter(None, forms)))


def _marks(root: etree._Element) -> None:
    """Give all other elements the names that they have in HTML."""
    for element in list(root.iter(etree.Element)):
        name = element.tag
        if name in BOXES:
            kind = element.get("type") or name
            title = element.find("title")
            label = line(title) if title is not None else kind.replace("other", "note").capitalize()
            if title is not None:
                element.remove(title)
            box = etree.Element("p", {"class": "admonition-title"})
            box.text, box.tail, element.text = label, element.text, None
            element.insert(0, box)
            element.tag = "div"
            element.set("class", "admonition")
        elif name in PREFORMATTED:
            element.tag = "pre"
        elif name == "title":
            element.tag = "p"
        elif name in TAGS:
            element.tag = TAGS[name] or name
        elif not re.fullmatch(r"h[1-6]|section|div|dd|dt|th|p|pre|caption", name):
            element.tag = "span"
