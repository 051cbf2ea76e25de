"""Where a reader of HTML stands: under which headings and owners, and after which anchor."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lxml import etree

from ingestion.html_text import raw_text

_LONGEST_NAME = 80
"""What is longer is a sentence and names nothing."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the reader stands: the owner's path, the headings below it, the anchor there."""

    owner: tuple[str, ...] = ()
    headings: tuple[tuple[int, str, str | None], ...] = ()
    owner_anchor: str | None = None

    @property
    def path(self) -> tuple[str, ...]:
        """The owner's path and the headings that are open in it."""
        return (*self.owner, *(text for _, text, _ in self.headings))

    @property
    def anchor(self) -> str | None:
        """The nearest heading's anchor, else the owner's."""
        anchors = (anchor for _, _, anchor in reversed(self.headings) if anchor)
        return next(anchors, self.owner_anchor)

    def under(self, name: str, anchor: str | None = None) -> Scope:
        """Step inside something named, such as a class or a parameter."""
        name = name if len(name) <= _LONGEST_NAME else ""
        path = (*self.path, name) if name else self.path
        return Scope(path, (), anchor or self.anchor)

    def titled(self, level: int, text: str, anchor: str | None) -> Scope:
        """Open a heading, closing those of its level and below."""
        above = tuple(heading for heading in self.headings if heading[0] < level)
        return replace(self, headings=(*above, (level, text, anchor)))

    def anchored(self, anchor: str | None) -> Scope:
        """Stay in place, but let what follows be found at another anchor."""
        if anchor is None:
            return self
        unmarked = tuple((level, text, None) for level, text, _ in self.headings)
        return replace(self, headings=unmarked, owner_anchor=anchor)


def heading_anchor(heading: etree._Element) -> str | None:
    """Find the id that a permalink to this heading would use: its section's, else its own."""
    section = heading.getparent()
    if section is not None and section.get("id") and is_section(section):
        above = (e for e in section.iterchildren() if e is heading or raw_text(e).strip())
        if next(above) is heading:
            return section.get("id")
    marks = [heading, *heading.iter("a", "span")]
    before = heading.getprevious()
    if before is not None and before.tag in {"a", "span"} and not raw_text(before).strip():
        marks.append(before)
    return next((i for mark in marks if (i := mark.get("id") or mark.get("name"))), None)


def is_section(element: etree._Element) -> bool:
    """Say whether an element is a section, in the marks of any Sphinx release."""
    return (
        element.tag in {"section", "article"} or "section" in (element.get("class") or "").split()
    )
