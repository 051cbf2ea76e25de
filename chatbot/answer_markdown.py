"""An answer's text as Markdown: its own few marks are kept, everything else shows as text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

_LEAD = re.compile(r"\*\*([^*\n]+)\*\*")
_SHORT = 80
_CODE = re.compile(r"`([^`\n]+)`")
# Before a bracket or a colon it could be the beginning of a link.
_MARK = re.compile(r"[ \t]*\[(\d{1,3})\](?![(:])")
_LAST_MARK = re.compile(r"^(?P<quoted>.*\S)(?P<mark>[ \t]\[\d{1,3}\])$", re.DOTALL)
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


@dataclass(frozen=True)
class Escaping:
    """How text is written for a reader of Markdown that is to show it letter for letter.

    `line` writes a run of text on one line, `code` one that stood in a code span, `block` several
    lines as one paragraph, and `mark` the number of a citation.
    """

    line: Callable[[str], str]
    code: Callable[[str], str]
    block: Callable[[str], str]
    mark: Callable[[int], str]


@dataclass(frozen=True)
class AnswerMarkdown:
    """Writes texts of `chatbot.turn.Answer` in which the marks of so many citations stand out.

    Of Markdown a text may use quotes ("> "), lists ("- "), tables, code spans, and bold at the
    start of a line; "[1]" is the mark of a citation. What is quoted comes from documents and is
    shown letter for letter. A short line before its evidence is set in bold.
    """

    escaping: Escaping
    citations: int = 0

    def whole(self, text: str) -> str:
        """Write a text that holds no invisible character."""
        return "\n\n".join(self._paragraphs(text))

    def line(self, text: str) -> str:
        """Write a line of one, or a part of it."""
        parts = _CODE.split(text)
        return "".join(
            self.escaping.code(part) if i % 2 else self._with_marks(part)
            for i, part in enumerate(parts)
        )

    def _paragraphs(self, text: str) -> Iterator[str]:
        groups = [(kind, list(lines)) for kind, lines in groupby(text.split("\n"), key=_kind)]
        groups = [(kind, lines) for kind, lines in groups if kind != "blank"]
        for (kind, lines), (following, _) in zip(groups, [*groups[1:], ("", [])], strict=True):
            if kind == "quote":
                yield from self._quotes([line[1:].removeprefix(" ") for line in lines])
            elif kind == "list":
                yield "\n".join(f"- {self._formatted(line[2:])}" for line in lines)
            elif kind == "row" and _is_table(lines):
                yield self._table([_cells(lines[0]), *map(_cells, lines[2:])])
            elif following == "quote" and _is_value(lines):
                yield f"**{self.escaping.line(lines[0].strip())}**"
            else:
                yield "\\\n".join(self._formatted(line) for line in lines)

    def _quotes(self, lines: list[str]) -> Iterator[str]:
        """Each quote apart: an empty line stands between two of them, or inside one."""
        paragraphs = "\n".join(lines).split("\n\n")
        quoted = [self._quote(paragraph).replace("\n", "\n> ") for paragraph in paragraphs]
        yield "\n>\n".join(f"> {paragraph}" for paragraph in quoted if paragraph)

    def _quote(self, text: str) -> str:
        """Of a quote only the mark at its end is ours."""
        if marked := _LAST_MARK.match(text):
            return self.escaping.block(marked["quoted"]) + self._with_marks(marked["mark"])
        return self.escaping.block(text)

    def _table(self, rows: Sequence[Sequence[str]]) -> str:
        width = len(rows[0])
        cut = [[*row, *[""] * width][:width] for row in rows]
        # A bar ends a cell even inside a code span.
        lines = [[_BETWEEN_CELLS.sub(r"\\|", self._formatted(cell)) for cell in row] for row in cut]
        return "\n".join(
            f"| {' | '.join(cells)} |" for cells in (lines[0], ["---"] * width, *lines[1:])
        )

    def _formatted(self, line: str) -> str:
        line = line.strip()
        if lead := _LEAD.match(line):
            return f"**{self.escaping.line(lead[1].strip())}**{self.line(line[lead.end() :])}"
        return self.line(line)

    def _with_marks(self, text: str) -> str:
        parts: list[str] = []
        end = 0
        for mark in _MARK.finditer(text):
            if 1 <= int(mark[1]) <= self.citations:
                # A mark does not begin a line.
                space = "\u00a0" if mark[0][0] != "[" else ""
                parts += [
                    self.escaping.line(text[end : mark.start()]),
                    f"{space}{self.escaping.mark(int(mark[1]))}",
                ]
                end = mark.end()
        return "".join([*parts, self.escaping.line(text[end:])])


def _is_value(lines: list[str]) -> bool:
    """Say whether this is the short answer that its evidence follows."""
    line = lines[0].strip()
    return len(lines) == 1 and len(line) <= _SHORT and not line.endswith(":") and "**" not in line


def _is_table(lines: list[str]) -> bool:
    return len(lines) > 1 and _RULE.fullmatch(lines[1].strip()) is not None


def _cells(row: str) -> list[str]:
    inside = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(inside)]


def _kind(line: str) -> str:
    for begin, kind in ((">", "quote"), ("- ", "list"), ("|", "row")):
        if line.startswith(begin):
            return kind
    return "text" if line.strip() else "blank"
