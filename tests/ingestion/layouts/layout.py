"""A page as its author laid it out, and what a reader takes from it."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent

from ingestion.page import Document


@dataclass(frozen=True)
class Layout:
    """A file, and its blocks as lines: the kind, then the text with ⏎ where a line ends."""

    file: str
    data: bytes
    expected: str

    @classmethod
    def of(cls, file: str, text: str, expected: str) -> Layout:
        """A layout in a file of text, written with the indentation of the code around it."""
        return cls(file, dedent(text).encode(), expected)

    @property
    def lines(self) -> list[str]:
        return [line for line in dedent(self.expected).strip("\n").split("\n") if line]


def read_lines(document: Document) -> list[str]:
    """The blocks of a document in the form in which layouts expect them; a page begins with #."""
    lines = []
    for page in document.pages:
        if page.number > 1:
            lines.append(f"# {page.number}")
        for block in page.blocks:
            lines.append(f"{block.kind.value} {block.text}".replace("\n", "⏎"))
    return lines
