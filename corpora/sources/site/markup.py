"""What a page says about addresses: its links, which address it is a copy of, its base."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

_MOST_LINKS = 20_000
_BLOCK = 64 << 10
_MOVED = re.compile(r"url\s*=\s*['\"]?([^'\"\s]+)", re.IGNORECASE)
_MOST_PICTURES = 200
"""Of a page, whose state they are part of."""
_LONGEST_PICTURE = 500
_PICTURE = re.compile(r"!\[[^\]]*\]\(\s*<?([^()\s<>]+)")
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)")


@dataclass
class Markup:
    """The addresses in a page of HTML, as they are written there."""

    base: str = ""
    canonical: str = ""
    links: list[str] = field(default_factory=list)
    pictures: list[str] = field(default_factory=list)


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


def markdown_pictures(text: str) -> tuple[str, ...]:
    """The addresses of the pictures that a text in Markdown shows."""
    return tuple(filter(_is_kept, dict.fromkeys(_PICTURE.findall(text))))[:_MOST_PICTURES]


def _is_kept(source: str) -> bool:
    return 0 < len(source) <= _LONGEST_PICTURE and not source.startswith("data:")


class _Target:
    """Gets the elements of a page as they are read."""

    def __init__(self) -> None:
        self.found = Markup()
        self._links: dict[str, None] = {}
        self._pictures: dict[str, None] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "img":
            source = (attributes.get("src") or "").strip()
            if _is_kept(source) and len(self._pictures) < _MOST_PICTURES:
                self._pictures.setdefault(source)
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
        self.found.pictures = [*self._pictures]


def _known(charset: str) -> str | None:
    try:
        etree.HTMLParser(encoding=charset or None)
    except LookupError:
        return None
    return charset or None
