"""What Javadoc, Doxygen, TypeDoc, JSDoc and pdoc make of members becomes plain HTML."""

import re
from itertools import takewhile

from lxml.builder import E
from lxml.html import HtmlElement

from ingestion.html_parts import line, raw_text
from ingestion.html_tree import OF_CLASS, found, has_class, replace

_GRIDS = f".//div[{OF_CLASS.format('summary-table')}]"
_OF_PDOC = f".//dl/dt[{OF_CLASS.format('attr')}]"
_OWN = f"self::dl/dt[{OF_CLASS.format('attr')}]"
_DECLARED = {
    f".//div[{OF_CLASS.format('member-signature')} or {OF_CLASS.format('type-signature')}]": (
        f".//*[{OF_CLASS.format('element-name')}]"
    ),
    f".//div[{OF_CLASS.format('tsd-signature')}]": ".//span[starts-with(@class, 'tsd-kind-')]",
    f".//div[{OF_CLASS.format('attr')}]": "./span[@class='name']",
}
"""What declares a member, and the name in it."""
_IN_HEADING = "[parent::h1 or parent::h2 or parent::h3 or parent::h4 or parent::h5 or parent::h6]"
_BADGES = f".//*[{OF_CLASS.format('tsd-tag')}]{_IN_HEADING}"
_LABELS = f".//*[{OF_CLASS.format('doc-labels')}]{_IN_HEADING}"
_NOTES = f".//dl[{OF_CLASS.format('notes')} or dt/span[contains(@class, 'Label')]]"
_FIELDS = ".//dl[@class='params' or @class='retval' or @class='tparams' or @class='exception']"
_MORE = ".//td[starts-with(@class, 'mdesc')]/a[normalize-space() = 'More...']"
_RUST = f".//details[{OF_CLASS.format('toggle')}]"
_RUST_TOOLS = (
    ".//a[@class='src' or contains(@class, 'anchor')] | .//*[contains(@class, 'rightside')]"
    " | .//summary[@class='hideme'] | .//a[. = 'Read more'] | .//*[@id='blanket-implementations']"
    " | .//*[@id='blanket-implementations-list']"
)
"""Links to the source, and what is said of every type there is."""
_OVERLOADED = re.compile(r"\s*\[\d+/\d+\]$")


def rewrite_members(body: HtmlElement) -> None:
    """Put plain HTML in place of what these generators make of classes and their members."""
    for part in (
        *(_titles, _summaries, _member_lists, _badges, _declarations, _members_of_pdoc),
        *(_prototypes, _fields, _code),
    ):
        part(body)


def rewrite_rustdoc(body: HtmlElement) -> None:
    """Make signatures, and what is told of them, of what rustdoc lets a reader open and close."""
    members = found(body, f"{_RUST}/summary/section/*[{OF_CLASS.format('code-header')}]")
    if not members and not found(body, ".//rustdoc-toolbar"):
        return
    for tool in found(body, _RUST_TOOLS):
        if tool.getparent() is not None:
            tool.drop_tree()
    for header in members:
        section = header.getparent()
        summary = section.getparent()
        details = summary.getparent()
        told = [*section.itersiblings(), *summary.itersiblings()]
        details.tag = "div"
        if header.tag == "h3":
            header.set("id", section.get("id", ""))
            replace(summary, header)
            continue
        _describe(summary, line(header), section.get("id", ""), told)
    for field in found(body, ".//span[@class='structfield section-header']"):
        docs = list(field.itersiblings())[:1]
        told = [one for one in docs if has_class(one, "docblock")]
        _describe(field, line(field), field.get("id", ""), told)
    for details in found(body, _RUST):
        details.tag = "div"


def _describe(place: HtmlElement, declared: str, anchor: str, told: list[HtmlElement]) -> None:
    """Put a signature, the name of which ends its anchor, and what is told of it, in a place."""
    name = re.sub(r"-\d+$", "", anchor.rpartition(".")[2])
    before, name, after = _parted(declared, name)
    term = E.dt(before, E.code(name, {"class": "descname"}), after, {"id": anchor})
    replace(place, E.dl(term, E.dd(*told), {"class": "cpp"}))


def _titles(body: HtmlElement) -> None:
    for title in found(body, ".//div[@class='headertitle']/div[@class='title']"):
        title.tag = "h1"


def _summaries(body: HtmlElement) -> None:
    """Make tables of Javadoc's grids, whose cells stand side by side without rows."""
    for grid in found(body, _GRIDS):
        cells = list(grid)
        columns = sum(has_class(cell, "table-header") for cell in cells)
        if not columns or len(cells) % columns:
            continue
        for cell in cells:
            cell.tag = "th" if has_class(cell, "table-header") else "td"
        rows = [E.tr(*cells[at : at + columns]) for at in range(0, len(cells), columns)]
        replace(grid, E.table(*rows))


def _member_lists(body: HtmlElement) -> None:
    """Let a row of Doxygen's overviews hold the brief description that stands below it."""
    for link in found(body, _MORE):
        link.drop_tree()
    for table in found(body, f".//table[{OF_CLASS.format('memberdecls')}]"):
        row = None
        for tr in table.findall(".//tr"):
            kind = (tr.get("class") or "").partition(":")[0].split(" ")[0]
            if kind == "heading":
                for heading in tr.findall(".//h2"):
                    table.addprevious(heading)
            elif kind == "memdesc" and row is not None:
                row.extend(tr[-1:])
            elif kind == "memitem":
                row = tr
            if kind in {"heading", "memdesc", "separator"}:
                tr.drop_tree()


def _badges(body: HtmlElement) -> None:
    """Set what stands as a badge beside a name ("Readonly", "property") apart, in brackets."""
    for badge in found(body, _BADGES):
        name, label = badge.getparent(), line(badge)
        badge.drop_tree()
        if label and name.tag not in {"span", "small"}:
            name.append(E.span(f" ({label})"))
    for labels in found(body, _LABELS):
        # Of a name, and no part of it: "class-attribute", "instance-attribute".
        heading, said = labels.getparent(), ", ".join(filter(None, map(line, labels)))
        labels.drop_tree()
        if said:
            heading.addnext(E.p(said))
    for badge in found(body, ".//span[@class='signature-attributes']"):
        badge.text = f" ({line(badge)})"


def _declarations(body: HtmlElement) -> None:
    """Make a signature with its name of what Javadoc, TypeDoc and pdoc declare."""
    for path, path_of_name in _DECLARED.items():
        for declared in found(body, path):
            for name in found(declared, path_of_name)[:1]:
                name.set("class", "descname")
                described = E.dl({"class": "cpp"})
                replace(declared, described)
                declared.tag = "dt"
                described.append(declared)


def _members_of_pdoc(body: HtmlElement) -> None:
    """Let a member of pdoc hold what is told of it, and a class its members."""
    for declared in reversed(found(body, _OF_PDOC)):
        described = declared.getparent()
        for tool in found(declared, ".//label"):
            tool.drop_tree()
        for number, parameter in enumerate(found(declared, ".//span[@class='param']")):
            parameter.text = " " if number else None
        declared.attrib.update({"id": described.getparent().get("id", "")})
        # Members that stand side by side are not told of each other.
        told = E.dd(*takewhile(lambda element: not found(element, _OWN), described.itersiblings()))
        for docstring in told.findall("div[@class='docstring']"):
            docstring.tag = "section"
        described.append(told)


def _prototypes(body: HtmlElement) -> None:
    """Make of what Doxygen declares a signature with its name and what is told of it."""
    for member in found(body, f".//div[{OF_CLASS.format('memitem')}]"):
        title, prototype = member.getprevious(), member.find("div[@class='memproto']")
        if title is None or not has_class(title, "memtitle") or prototype is None:
            continue
        for mark in found(title, ".//*[@class='permalink']"):
            mark.drop_tree()
        title.tag = "h3"
        for label in found(prototype, ".//span[@class='mlabel']"):
            label.tail = " "
        declared = re.sub(r"\(\s+", "(", re.sub(r"\s+([(),])", r"\1", line(prototype)))
        name = _OVERLOADED.sub("", line(title)).removesuffix("()")
        before, name, after = _parted(declared, name)
        term = E.dt(before, E.code(name, {"class": "descname"}), after)
        told = E.dd(*member.findall("div[@class='memdoc']"))
        replace(member, E.dl(term, told, {"class": "cpp"}))


def _parted(declared: str, name: str) -> tuple[str, str, str]:
    """Part a declaration before and after the name that it declares."""
    head, bracket, arguments = declared.partition("(")
    before, found_name, after = head.rpartition(name)
    return (
        (before, found_name, f"{after}{bracket}{arguments}") if found_name else ("", declared, "")
    )


def _fields(body: HtmlElement) -> None:
    """Make lists of fields, as Sphinx has them, of what is told of parameters and exceptions."""
    for notes in found(body, _NOTES):
        notes.set("class", "field-list")
        for term in notes.findall("dt"):
            told = list(takewhile(lambda element: element.tag == "dd", term.itersiblings()))
            for code in (code for description in told for code in description.findall("code")[:1]):
                code.tail = re.sub(r"^\s+-\s+", " – ", code.tail or "")
            if len(told) > 1:
                items = E.ul(*told)
                for item in items:
                    item.tag = "li"
                term.addnext(E.dd(items))
    for fields in found(body, _FIELDS):
        fields.set("class", "field-list")
        for table in found(fields, "./dd/table"):
            replace(table, E.ul(*(_field(row.findall("td")) for row in table.iter("tr"))))


def _field(cells: list[HtmlElement]) -> HtmlElement:
    """Return "name – [in] what it is" for a row of the direction, the name and the text."""
    named = [cell for cell in cells if has_class(cell, "paramname")]
    others = [cell for cell in cells if cell not in named]
    for cell in others:
        cell.tag = "span"
        cell.tail = " "
    item = E.li(" ".join(map(line, named)), " – ")
    item.extend(others)
    return item


def _code(body: HtmlElement) -> None:
    """Make listings of Doxygen's fragments, each line of which is an element."""
    for fragment in found(body, ".//div[@class='fragment']"):
        for number in found(fragment, ".//span[@class='lineno']"):
            number.drop_tree()
        lines = found(fragment, ".//div[@class='line']")
        replace(fragment, E.pre("\n".join(raw_text(row).strip("\n") for row in lines)))
