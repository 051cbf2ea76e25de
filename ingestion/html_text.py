"""The words of HTML elements: lines, code and signatures, as a browser would show them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

BLOCK_TAGS = [
    "address",
    "article",
    "aside",
    "blockquote",
    "body",
    "caption",
    "center",
    "dd",
    "details",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "html",
    "li",
    "main",
    "menu",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "svg",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
]
"""Elements that start a line of their own."""

_BLOCKS = frozenset(BLOCK_TAGS)
_OBJECT_WORDS = frozenset(
    [
        "class",
        "function",
        "method",
        "attribute",
        "property",
        "exception",
        "data",
        "module",
        "object",
        "variable",
        "type",
    ]
)


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


def _spaced(element: etree._Element) -> Iterator[str]:
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag in _BLOCKS:
            yield " "
        if event == "start":
            yield node.text or ""
        elif node is not element:
            yield node.tail or ""


def code(pre: etree._Element) -> str:
    """Return a listing letter for letter, without blank lines around it."""
    rows = list(pre.iter("div", "li", "p"))
    if rows and not any(has_blocks(row) for row in rows):
        text = "\n".join(raw_text(row).strip("\n") for row in rows)
    else:
        text = raw_text(pre)
    lines = [row.rstrip() for row in text.split("\n")]
    return "\n".join(lines).strip("\n")


def signature(dt: etree._Element) -> str:
    """Return a documented object's signature letter for letter.

    The word for the sort of object ("class", "method") goes; words that are part of the
    declaration ("async", "classmethod", "static") stay.
    """
    parts = [dt.text or ""]
    for child in dt:
        text = raw_text(child)
        if "property" in (child.get("class") or "").split() and not text.lstrip().startswith(
            (":", "=")
        ):
            text = "".join(f"{word} " for word in text.split() if word not in _OBJECT_WORDS)
        parts += [text, child.tail or ""]
    joined = collapse("".join(parts))
    if dt.find(".//dl") is not None:
        joined = re.sub(r",? ?(?=[)\]])", "", re.sub(r"(?<=[(\[]) ", "", joined))
    return joined
