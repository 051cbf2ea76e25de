"""The numbers that Asciidoctor gives to sections, tables, figures and examples."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile

from ingestion.asciidoc.marks import ATTRIBUTES, DELIMITER, HEADING, TITLE, attribute_list
from ingestion.ordinals import letters

CAPTIONS = {"table-caption": "Table", "figure-caption": "Figure", "example-caption": "Example"}
"""What stands before the numbers, where a document says nothing else."""
APPENDIX = "appendix-caption"
_CAPTIONED = re.compile(r"^(?:(?P<table>[|,:]={3,})|(?P<figure>image::\S.*)|(?P<example>={4,}))$")
_NO_SECTION = {"discrete", "float"}
_DEEPEST = 3


@dataclass(slots=True)
class _Section:
    level: int
    number: str = ""
    special: bool = False
    inside: int = 0


@dataclass
class Numbers:
    """Counts, line by line, what is numbered where it is shown."""

    _open: list[_Section] = field(default_factory=lambda: [_Section(-1)])
    _counts: dict[str, int] = field(default_factory=dict)

    def above(self, line: str, before: Sequence[str], values: Mapping[str, str]) -> str:
        """Return the line of attributes that says the number of what begins here, or "".

        `before` are the lines that are read already, `values` the document's attributes.
        """
        heading, captioned = HEADING.match(line), _CAPTIONED.match(line)
        if not heading and not captioned:
            return ""
        over = [*takewhile(lambda one: ATTRIBUTES.match(one) or TITLE.match(one), before[:-9:-1])]
        given: dict[str, str] = {}
        for found in filter(None, map(ATTRIBUTES.match, over)):
            given |= attribute_list(found["list"] or "")
        style = given.get("1", "")
        if heading:
            above = "".join(before[: len(before) - len(over)][-1:])
            is_text = above and not (HEADING.match(above) or DELIMITER.match(above))
            number = "" if is_text else self._section(len(heading["level"]) - 1, style, values)
            return f'[sectnum="{number}"]' if number else ""
        kind = f"{captioned.lastgroup}-caption" if captioned else ""
        is_other = kind == "example-caption" and (
            style or "collapsible" in given.get("options", "")
        )
        is_titled = any(map(TITLE.match, over)) and "caption" not in given
        if is_other or not is_titled or not values.get(kind):
            return ""
        return f'[caption="{values[kind]} {self._next(kind)}."]'

    def _section(self, level: int, style: str, values: Mapping[str, str]) -> str:
        if style in _NO_SECTION:
            return ""
        is_appendix = style == "appendix"
        level = max(level, 1) if is_appendix else level
        while self._open[-1].level >= level:
            self._open.pop()
        parent = self._open[-1]
        special = bool(style) or parent.special
        section = _Section(level, special=special)
        self._open.append(section)
        wanted = values.get("sectnums", values.get("numbered"))
        if is_appendix:
            letter = letters(self._next("appendix")).upper()
            section.number, caption = f"{letter}.", values.get(APPENDIX)
            return f"{caption} {letter}:" if caption else section.number
        if style:
            is_numbered = wanted == "all"
        else:
            is_numbered = wanted is not None and (not parent.special or bool(parent.number))
        if level < 1 or not is_numbered:
            return ""
        if level == 1:
            # Chapters are counted on through the parts of a book.
            section.number = f"{self._next('chapter')}."
        else:
            parent.inside += 1
            section.number = f"{parent.number}{parent.inside}."
        deepest = values.get("sectnumlevels", "")
        if level > (int(deepest) if re.fullmatch(r"\d", deepest) else _DEEPEST):
            return ""
        is_chapter = level == 1 and values.get("doctype") == "book"
        signifier = values.get("chapter-signifier", "") if is_chapter else ""
        return f"{signifier} {section.number}".strip()

    def _next(self, name: str) -> int:
        self._counts[name] = self._counts.get(name, 0) + 1
        return self._counts[name]
