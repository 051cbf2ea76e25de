"""The words of HTML elements, as lines and as code, as a browser would show them."""

from collections.abc import Iterator

from lxml import etree
from lxml.html import defs

BLOCK_TAGS = frozenset(
    {
        *(defs.list_tags | defs.table_tags | (defs.general_block_tags - {"del", "ins"})),
        *("article", "aside", "body", "details", "fieldset", "figcaption", "figure", "footer"),
        *("form", "header", "html", "main", "section", "summary", "svg"),
    }
)
"""Elements that start a line of their own."""


def has_blocks(element: etree._Element) -> bool:
    """Say whether the element holds anything that starts a line of its own, itself aside."""
    inside = element.iter(*BLOCK_TAGS)
    first = next(inside, None)
    return (next(inside, None) if first is element else first) is not None


def collapse(text: str) -> str:
    """Join runs of white space, non-breaking spaces among them, to single spaces."""
    return " ".join(text.split())


def raw_text(element: etree._Element) -> str:
    """Return an element's text as it stands in the source, without its tail."""
    return "".join(element.itertext())  # type: ignore[arg-type]


def line(element: etree._Element) -> str:
    """Return an element's text on one line, blocks inside it set apart by a space."""
    if not has_blocks(element):
        return collapse(raw_text(element))
    return collapse("".join(_spaced(element)))


def whole_number(text: str | None, default: int) -> int:
    """Read an attribute such as `rowspan`; anything but a small whole number is the default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else default


def _spaced(element: etree._Element) -> Iterator[str]:
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag in BLOCK_TAGS:
            yield " "
        if event == "start":
            yield node.text or ""
        elif node is not element:
            yield node.tail or ""


def code(pre: etree._Element) -> str:
    """Return a listing letter for letter, without blank lines around it."""
    variants = pre.findall("code")
    parts: list[str] = []
    for event, node in etree.iterwalk(pre, events=("start", "end")):
        own_lines = node.tag in BLOCK_TAGS or (len(variants) > 1 and node in variants)
        if own_lines and parts and not parts[-1].endswith("\n"):
            parts.append("\n")
        text = node.text if event == "start" else node.tail if node is not pre else ""
        if text:
            parts.append(text)
    lines = [row.rstrip() for row in "".join(parts).split("\n")]
    return "\n".join(lines).strip("\n")
