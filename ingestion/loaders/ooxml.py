"""The XML of an Office file, as a program that understands all of it shows it.

Names stand without their namespaces: those of the strict and of the usual form are then the same.
"""

import posixpath
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from lxml import etree

from ingestion.page import UnreadableFile

Element = Any
"""An element whose tag and attributes have lost their namespaces."""

Related = Callable[[str], Element | None]
"""Finds the root of the part that a relationship leads to; None where the file does not hold it."""


def parsed(data: bytes) -> Element:
    """Return the root of a part. Raises UnreadableFile for one that declares entities."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    root: Element = etree.fromstring(data, parser)
    if root.getroottree().docinfo.doctype:
        raise UnreadableFile("damaged: its XML declares entities, which no office program writes")
    choose_alternatives(root)
    for element in root.iter(etree.Element):
        element.tag = _local(element.tag)
        attributes = {_local(name): value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update(attributes)
    return root


def choose_alternatives(root: Element) -> None:
    """Let of several drawings of one thing only the first stay: the one of newer programs."""
    for alternatives in list(root.iter("{*}AlternateContent")):
        parent = alternatives.getparent()
        if parent is not None and len(alternatives):
            for chosen in list(alternatives[0]):
                alternatives.addprevious(chosen)
            parent.remove(alternatives)


def number(text: str | None, default: int = 0) -> int:
    """Read an attribute that counts; anything but a small whole number is the default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else default


def value(element: Element | None) -> str | None:
    """Return what a property is set to."""
    return None if element is None else element.get("val")


def is_on(element: Element | None) -> bool:
    """Whether a property is there and not switched off."""
    return element is not None and element.get("val", "1") not in {"0", "false", "off", "none"}


def _local(name: str) -> str:
    return name.rpartition("}")[2]


@dataclass(frozen=True)
class _Link:
    kind: str
    target: str


@dataclass
class Package:
    """The parts of an Office file, each read when it is asked for, in memory and nowhere else."""

    zip: zipfile.ZipFile
    _links: dict[str, dict[str, _Link]] = field(default_factory=dict)

    @classmethod
    def of(cls, source: BytesIO) -> "Package":
        """Open a file's bytes; raises BadZipFile for what is none."""
        return cls(zipfile.ZipFile(source))

    def main(self) -> str:
        """Return the name of the part that holds the document; raises UnreadableFile without it."""
        if (name := next(self.named("", "officeDocument"), None)) is None:
            raise UnreadableFile("damaged, or not an Office file; save it again")
        return name

    def named(self, part: str, kind: str) -> Iterator[str]:
        """Yield the names of the parts of a kind ("styles") that a part is linked to."""
        yield from (link.target for link in self._linked(part).values() if link.kind == kind)

    def root(self, part: str) -> Element | None:
        """Return the root of a part, None where the file has none of that name."""
        return parsed(self.zip.read(part)) if part in self.zip.NameToInfo else None

    def related(self, part: str) -> Related:
        """Return what finds the parts that a part's relationships lead to."""

        def found(relation: str) -> Element | None:
            link = self._linked(part).get(relation)
            return self.root(link.target) if link else None

        return found

    def name_of(self, part: str) -> Callable[[str], str]:
        """Return what names the parts that a part's relationships lead to, "" where to none."""

        def found(relation: str) -> str:
            link = self._linked(part).get(relation)
            return link.target if link else ""

        return found

    def _linked(self, part: str) -> dict[str, _Link]:
        if part not in self._links:
            folder, name = posixpath.split(part)
            links = self.root(posixpath.join(folder, "_rels", f"{name}.rels"))
            self._links[part] = {
                link.get("Id", ""): _Link(
                    link.get("Type", "").rpartition("/")[2],
                    posixpath.normpath(posixpath.join("/", folder, link.get("Target", "")))[1:],
                )
                for link in (() if links is None else links)
                if link.get("TargetMode") != "External"
            }
        return self._links[part]
