"""What a page says about addresses: its links, which address it is a copy of, its base."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

_MOST_LINKS = 20_000
_BLOCK = 64 << 10
_MOVED = re.compile(r"url\s*=\s*['\"]?([^'\"\s]+)", re.IGNORECASE)
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)")


@dataclass
class Markup:
    """The addresses in a page of HTML, as they are written there."""

    base: str = ""
    canonical: str = ""
    links: list[str] = field(default_factory=list)


def read_markup(file: Path, charset: str = "") -> Markup:
    """Read a page of HTML piece by piece, without building its tree."""
    target: Any = _Target()
    parser = etree.HTMLParser(target=target, encoding=_known(charset))
    try:
        with file.open("rb") as page:
            while data := page.read(_BLOCK):
                parser.feed(data)
        parser.close()
    except (etree.XMLSyntaxError, UnicodeError):
        pass  # What was found until there counts; whether the page can be read is told later.
    found: Markup = target.found
    return found


def _led_to(tag: str, attributes: Mapping[str, str]) -> str:
    """The address that an element leads to: a link, a choice in a menu, or where a page moved."""
    if tag in ("a", "area", "base", "link"):
        return attributes.get("href") or ""
    if tag == "option":
        value = attributes.get("value") or ""
        return value if "/" in value else ""
    if tag == "meta" and (attributes.get("http-equiv") or "").lower() == "refresh":
        moved = _MOVED.search(attributes.get("content") or "")
        return moved[1] if moved else ""
    return ""


def markdown_links(text: str) -> list[str]:
    """The addresses that a text in Markdown links to, in its order."""
    return list(dict.fromkeys(_LINK.findall(text)))[:_MOST_LINKS]


class _Target:
    """Gets the elements of a page as they are read."""

    def __init__(self) -> None:
        self.found = Markup()
        self._links: dict[str, None] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        address = _led_to(tag, attributes).strip()
        if not address:
            return
        if tag == "base":
            self.found.base = self.found.base or address
        elif tag != "link":
            if len(self._links) < _MOST_LINKS:
                self._links.setdefault(address.partition("#")[0])
        elif "canonical" in (attributes.get("rel") or "").lower().split():
            self.found.canonical = self.found.canonical or address

    def end(self, tag: str) -> None:
        pass

    def close(self) -> None:
        self.found.links = [address for address in self._links if address]


def _known(charset: str) -> str | None:
    try:
        etree.HTMLParser(encoding=charset or None)
    except LookupError:
        return None
    return charset or None
