"""The marks by which AsciiDoc's blocks are told apart, and what is written above a block."""

import re
from collections.abc import Sequence

from ingestion.asciidoc.inline import inline

ATTRIBUTES = re.compile(r"^\[(?P<list>[^\[\]].*|)\]$|^\[\[(?P<id>[\w:.-]+)(?:,.*)?\]\]$")
TITLE = re.compile(r"^\.(?P<title>[^\s.].*)$")
HEADING = re.compile(r"^(?P<level>={1,6}|#{1,6})[ \t]+(?P<text>\S.*?)(?:[ \t]+\1)?$")
DELIMITER = re.compile(
    r"^(?:(?P<fence>```+)[\w,+#. -]*|(?P<same>-{4,}|\.{4,}|\+{4,}|={4,}|\*{4,}|_{4,}|--|~{4,})"
    r"|(?P<table>[|,:!]={3,}))$"
)
ITEM = re.compile(
    r"^\s*(?P<mark>\*{1,6}|-|\.{1,6}|\d{1,4}\.|[a-zA-Z]\.|<(?:\d{1,3}|\.)>)[ \t]+(?P<text>\S.*)$"
)
_TERM = re.compile(r"^\s*(?P<term>[^\s:;].*?)(?P<mark>:{2,4}|;;)(?:[ \t]+(?P<text>.*))?$")
NOTE = re.compile(r"^(?P<kind>NOTE|TIP|IMPORTANT|WARNING|CAUTION):[ \t]+(?P<text>.*)$")
NOTES = {"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"}
MACRO = re.compile(
    r"^(?P<name>(?!ifn?def:|ifeval:|endif:)[a-z]\w*)::(?P<target>[^\s\[]*)\[(?P<words>.*)\]$"
)
"""A block's macro; a condition that is left, behind a "\\", is text."""
RULE = re.compile(r"^('{3,}|<{3,}|-{3}|\*{3})$")
_NAMED = re.compile(
    r"\s*(?P<name>[\w-]+)\s*=\s*(?:\"(?P<quoted>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^,]*))"
)
_PLACED = re.compile(r"\s*(?:\"(?P<quoted>[^\"]+)\"\s*(?:,|$)|(?P<bare>[^,]*)(?:,|$))")
_OWN_ANCHOR = re.compile(r"\s*\[\[(?P<id>[\w:.-]+)\]\]$")
CHECK = re.compile(r"^\[(?P<state>[ *xX])\]\s+")


def section_titles(lines: Sequence[str], anchors: tuple[str, str]) -> dict[str, str]:
    """Find what references without words are shown as: headings and titles by their anchors."""
    titles: dict[str, str] = {}
    anchor, shown = "", ""
    for line in lines:
        if above := ATTRIBUTES.match(line):
            anchor = above["id"] or attribute_list(above["list"] or "").get("id") or anchor
        elif title := TITLE.match(line):
            shown = title["title"]
        else:
            if heading := HEADING.match(line):
                own = _OWN_ANCHOR.search(heading["text"])
                shown = heading["text"][: own.start()] if own else heading["text"]
                anchor = own["id"] if own else anchor
                titles.setdefault(anchor_of(shown, anchors), shown)
            if anchor and shown:
                titles.setdefault(anchor, shown)
            anchor, shown = "", ""
    return {anchor: inline(title, {}) for anchor, title in titles.items()}


def anchor_of(title: str, anchors: tuple[str, str]) -> str:
    """Return the anchor that Asciidoctor gives to a heading without one of its own."""
    before, between = anchors
    words = re.sub(r"[^\w\s.-]", "", re.sub(r"<[^>]*>|`", "", title)).lower()
    return before + re.sub(r"[\s.-]+", between or "", words).strip(between or " ")


def attribute_list(written: str) -> dict[str, str]:
    """Read `source,yaml,role=x` or `#id.role%header,cols="1,2"`; what has no name is numbered."""
    found: dict[str, str] = {}
    place = 1
    while written:
        named = _NAMED.match(written)
        if named:
            value = next(named[g] for g in ("quoted", "single", "bare") if named[g] is not None)
            name = "options" if named["name"] == "opts" else named["name"]
            found[name] = f"{found.get(name, '')} {value}".strip()
            written = written[named.end() :].partition(",")[2]
            continue
        placed = _PLACED.match(written)
        first = (placed["quoted"] or placed["bare"]) if placed else ""
        written = written[placed.end() :] if placed else ""
        if place == 1:
            style, *marks = re.split(r"(?=[#.%])", first.strip())
            first = style
            for mark in marks:
                key = {"#": "id", ".": "role", "%": "options"}[mark[0]]
                found[key] = f"{found.get(key, '')} {mark[1:]}".strip()
        found[str(place)] = first.strip()
        place += 1
    return found


def kind_of(mark: str) -> str:
    """Marks that begin items of one list: any number is one kind, any letter another."""
    return re.sub(r"^<.*>$", "<>", re.sub(r"^[a-zA-Z]\.$", "a.", re.sub(r"^\d+\.$", "1.", mark)))


def term_of(line: str) -> re.Match[str] | None:
    """Match a line that begins the description of a term, such as `port:: 6120`."""
    return None if MACRO.match(line) or line.startswith(("//", "|")) else _TERM.match(line)
