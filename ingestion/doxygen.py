"""What Doxygen writes as XML becomes the HTML that it stands for."""

from lxml import etree
from lxml.builder import E

from ingestion.html_parts import line, raw_text

_TAGS = {
    "para": "div",
    "simplesect": "div",
    "parblock": "div",
    "internal": "div",
    "computeroutput": "code",
    "bold": "b",
    "emphasis": "i",
    "superscript": "sup",
    "subscript": "sub",
    "ulink": "a",
    "strike": "del",
    "underline": "u",
    "linebreak": "br",
    "itemizedlist": "ul",
    "orderedlist": "ol",
    "listitem": "li",
    "blockquote": "blockquote",
    "variablelist": "dl",
    "term": "dt",
    "table": "table",
    "caption": "caption",
    "row": "tr",
    "verbatim": "pre",
    "preformatted": "pre",
    "title": "h3",
    "heading": "h3",
}
"""The others are marks in a line, or only hold what is in them."""
_SIGNS = {"sp": " ", "nonbreakablespace": "\u00a0", "ndash": "–", "mdash": "—", "copy": "©"}
_UNREAD = ("image", "dot", "msc", "plantuml", "anchor", "indexentry", "htmlonly", "latexonly")
_FIELDS = {
    "param": "Parameters",
    "retval": "Return values",
    "exception": "Throws",
    "templateparam": "Template parameters",
    "return": "Returns",
    "result": "Returns",
    "see": "See also",
    "since": "Since",
    "version": "Version",
    "author": "Author",
    "pre": "Precondition",
    "post": "Postcondition",
    "invariant": "Invariant",
}
_NOTES = {"note", "warning", "attention", "remark", "remarks", "important", "todo"}
_HIDDEN = {"private", "package"}


def html(root: etree._Element) -> str:
    """Return the HTML of the compounds (classes, files, groups, pages) of a file of Doxygen."""
    parts = [_compound(compound) for compound in root.findall("compounddef")]
    return "".join(etree.tostring(part, method="html", encoding="unicode") for part in parts)


def _compound(compound: etree._Element) -> etree._Element:
    name = compound.findtext("title") or compound.findtext("compoundname") or ""
    kind = compound.get("kind", "")
    is_named = kind in {"page", "group", "example"}
    shown: etree._Element = E.section(
        E.h1(name if is_named else f"{name} {kind.capitalize()} Reference")
    )
    shown.set("id", compound.get("id", ""))
    shown.extend(_descriptions(compound))
    bases = [line(base) for base in compound.findall("basecompoundref")]
    if bases:
        shown.append(E.p(f"Inherits {', '.join(bases)}."))
    for member in compound.findall("sectiondef/memberdef"):
        if member.get("prot") not in _HIDDEN:
            shown.append(_member(member))
    return shown


def _member(member: etree._Element) -> etree._Element:
    name = member.findtext("name") or ""
    declared = member.findtext("definition") or f"{member.get('kind')} {name}"
    if member.get("kind") == "define":
        arguments = ", ".join(one.text or "" for one in member.findall("param/defname"))
        declared = f"#define {name}{f'({arguments})' if arguments else ''}"
    before, _, after = declared.rpartition(name)
    initial = member.find("initializer")
    value = f" {line(initial)}" if initial is not None else ""
    after += f"{member.findtext('argsstring') or ''}{value}"
    term = E.dt(before, E.code(name, {"class": "descname"}), after, {"id": member.get("id", "")})
    told = E.dd(*_descriptions(member))
    for one in member.findall("enumvalue"):
        words = " ".join(filter(None, (one.findtext("name"), one.findtext("initializer"))))
        told.append(E.dl(E.dt(words), E.dd(*_descriptions(one))))
    described: etree._Element = E.dl(term, told, {"class": "cpp"})
    return described


def _descriptions(of: etree._Element) -> list[etree._Element]:
    found = [of.find("briefdescription"), of.find("detaileddescription")]
    parts = [part for part in found if part is not None and line(part)]
    for part in parts:
        _rewrite(part)
    return parts


def _rewrite(part: etree._Element) -> None:
    etree.strip_elements(part, *_UNREAD, with_tail=False)
    for sign in part.iter(*_SIGNS):
        sign.text = _SIGNS[str(sign.tag)]
    for element in list(part.iter(etree.Element)):
        name, kind = str(element.tag), element.get("kind", "")
        if name == "programlisting":
            code = "\n".join(raw_text(row) for row in element.iter("codeline"))
            _fill(element, "pre")
            element.text = code
        elif name == "parameterlist":
            items = [_parameter(item) for item in element.findall("parameteritem")]
            _fill(element, "dl", E.dt(_FIELDS.get(kind, kind)), E.dd(E.ul(*items)))
            element.set("class", "field-list")
        elif name == "simplesect" and kind in _FIELDS:
            _fill(element, "dl", E.dt(_FIELDS[kind]), E.dd(*list(element)))
            element.set("class", "field-list")
        elif (name == "simplesect" and kind in _NOTES) or name == "xrefsect":
            title = element.findtext("xreftitle") or kind.capitalize()
            inside = [one for one in element if one.tag != "xreftitle"]
            _fill(element, "div", E.p(title, {"class": "admonition-title"}), *inside)
            element.set("class", "admonition")
        elif name == "varlistentry":
            element.tag = "div"
        elif name == "entry":
            element.tag = "th" if element.get("thead") == "yes" else "td"
    for element in part.iter(etree.Element):
        if element.tag == "listitem" and _above(element) in {"variablelist", "dl"}:
            element.tag = "dd"
        if element.tag not in {"dl", "dd", "dt", "ul", "li", "pre", "p", "div", "th", "td", "code"}:
            element.tag = _TAGS.get(str(element.tag), "div" if element is part else "span")


def _parameter(item: etree._Element) -> etree._Element:
    names = item.findall("parameternamelist/parametername")
    way = next((name.get("direction") for name in names if name.get("direction")), "")
    told = item.findall("parameterdescription/*")
    if told and way:
        told[0].text = f"[{way}] {told[0].text or ''}"
    words: etree._Element = E.li(", ".join(map(line, names)), " – ", *told)
    return words


def _fill(element: etree._Element, tag: str, *inside: etree._Element) -> None:
    element.clear(keep_tail=True)  # type: ignore[call-arg]  # the stubs are older
    element.tag = tag
    element.extend(inside)


def _above(element: etree._Element) -> str:
    parent = element.getparent()
    return "" if parent is None else str(parent.tag)
