"""Elements of an HTML tree: found by a path or a class, put first, replaced."""

from typing import cast

from lxml.html import HtmlElement

OF_CLASS = "contains(concat(' ', normalize-space(@class), ' '), ' {} ')"
"""In XPath, whether an element is of a class."""


def has_class(element: HtmlElement, name: str) -> bool:
    """Say whether an element is of a class."""
    return name in (element.get("class") or "").split()


def found(body: HtmlElement, path: str) -> list[HtmlElement]:
    """Return the elements that an XPath leads to."""
    return cast("list[HtmlElement]", body.xpath(path))


def put_first(element: HtmlElement, first: HtmlElement) -> None:
    """Let an element begin with another, before its text."""
    first.tail, element.text = element.text, None
    element.insert(0, first)


def replace(old: HtmlElement, new: HtmlElement) -> None:
    """Put one element in place of another, and let the text after it stand."""
    new.tail = old.tail
    old.getparent().replace(old, new)
