"""Text of any origin as Markdown: of an answer its own few forms are kept, all else is text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from prompts.fencing import visible

CODE = re.compile(r"(`[^`\n]+`)")
"""A code span."""
LISTING = re.compile(
    r"^[ \t]*(?P<fence>`{3,})[ \t]*[\w.+#-]*[ \t]*\n(?P<code>.*?)^[ \t]*(?P=fence)`*[ \t]*$",
    re.M | re.S,
)
"""Code between fences; a fence that nothing closes is none."""
_CODE_OR_MARK = re.compile(rf"{CODE.pattern}|(?P<space>\s*)\[(?P<mark>\d+(?:\s*[,;]\s*\d+)*)\]")
_LEAD = re.compile(r"\*\*([^*\n]+)\*\*")
# Before a bracket, or a colon at the beginning, it could be the beginning of a link.
_MARK = re.compile(r"[ \t]*\[(\d{1,3})\](?!\()")
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-•*]|(?P<number>\d{1,9})[.)])[ \t]+(?=\S)")
_DEEPEST = 5
_BETWEEN_CELLS = re.compile(r"(?<!\\)\|")
# Where a backslash keeps CommonMark and GitHub's dialect from opening something: behind a number,
# and before a sign at the beginning of a line, before others anywhere but for "_" inside a name.
_OPENING = re.compile(
    r"\A\d{1,9}(?=[.)](?:\s|\Z))|\A(?=[>#]|[+-](?:\s|\Z)|-[-\s]*\Z|==*\s*\Z|:-)"
    r"|(?=[\\`*\[\]<|~$]|&#?\w+;|(?<![^\W_])_|_(?![^\W_]))"
)
# Many readers make a link of an address, escaped or not, but not in a code span.
ADDRESS = re.compile(r"(?<![^\s`|])[^\s`|]*(?:://|www\.|mailto:|@)[^\s`|]*", re.IGNORECASE)
_END = ".,;:!?)"


def marks(text: str) -> list[int]:
    """The numbers of the citations that a text claims, in order."""
    return [number for match in _CODE_OR_MARK.finditer(text) for number in _numbers(match)]


def renumbered(text: str, mark: Callable[[int], str]) -> str:
    """The text with the mark of each number as `mark` writes it, which may be empty."""

    def rewritten(match: re.Match[str]) -> str:
        if match["mark"] is None:
            return match[0]
        written = " ".join(filter(None, map(mark, _numbers(match))))
        return f"{match['space']}{written}" if written else ""

    return _CODE_OR_MARK.sub(rewritten, text)


def without_marks(text: str) -> str:
    """The text without its marks, also those that others leave behind: "[[1]2]"."""
    while (bare := renumbered(text, lambda _: "")) != text:
        text = bare
    return text


def with_marks_as_code(text: str) -> str:
    """A document's or an asker's words as they stand in a sentence of ours: "[2]" is no mark."""
    parts = enumerate(CODE.split(text))
    # A code span that does not end would end at the next one's beginning.
    closed = "".join(part if i % 2 else part.replace("`", "'") for i, part in parts)

    def as_code(match: re.Match[str]) -> str:
        bare = " ".join(match[0].split())
        return f"{match['space']}`{bare}`" if match["mark"] else match[0]

    return _CODE_OR_MARK.sub(as_code, closed)


def _numbers(match: re.Match[str]) -> list[int]:
    # Nine digits are more than there are citations, and int() refuses thousands.
    numbers = (match["mark"] or "").replace(";", ",").split(",")
    return [int(number.strip()[:9]) for number in numbers if number]


@dataclass(frozen=True)
class AnswerMarkdown:
    """Writes texts of `chatbot.turn.Answer` for a reader of Markdown, in which marks stand out.

    Of Markdown a text may use numbered and other lists, tables, fenced code, code spans and bold at
    the start of a line; "[1]" is the mark of one of its `citations`. All else is to be shown letter
    for letter: `escape` writes a run of text on one line, `code` one that stood in a code span.
    """

    escape: Callable[[str], str]
    code: Callable[[str], str]
    mark: Callable[[int], str]
    citations: int = 0

    def whole(self, text: str) -> str:
        """Write a text that holds no invisible character."""
        return "\n\n".join(
            fenced_code(part) if is_listing else part for part, is_listing in self.pieces(text)
        )

    def pieces(self, text: str) -> Iterator[tuple[str, bool]]:
        """Write the same in parts, each with whether it is a listing, whose text comes bare."""
        parts = LISTING.split(text)
        for written, listing in zip(parts[::3], [*parts[2::3], None], strict=True):
            if paragraphs := "\n\n".join(self._paragraphs(written.split("\n"))):
                yield paragraphs, False
            if listing is not None:
                yield listing.removesuffix("\n"), True

    def _paragraphs(self, text: Sequence[str]) -> Iterator[str]:
        for kind, lines in _grouped(text):
            if kind == "list":
                yield self._list(lines)
            elif kind == "row" and _is_table(lines):
                yield self._table([_cells(lines[0]), *map(_cells, lines[2:])])
            else:
                yield "\\\n".join(self._formatted(line) for line in lines)

    def _list(self, lines: Sequence[str]) -> str:
        """The items as deep as they are indented; a line that begins none goes on with the last."""
        written: list[str] = []
        indents: list[int] = []
        for line in lines:
            item = _ITEM.match(line)
            if item is None:
                written[-1] += f"\\\n{'    ' * len(indents)}{self._formatted(line)}"
                continue
            indent = len(item["indent"].expandtabs(4))
            while indents and indents[-1] > indent:
                indents.pop()
            if (not indents or indents[-1] < indent) and len(indents) < _DEEPEST:
                indents.append(indent)
            begin = f"{item['number']}." if item["number"] else "-"
            depth = "    " * (len(indents) - 1)
            written.append(f"{depth}{begin} {self._formatted(line[item.end() :])}")
        return "\n".join(written)

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
        begin = ""
        if lead := _LEAD.match(line):
            begin, line = f"**{self.escape(lead[1].strip())}**", line[lead.end() :]
        parts = enumerate(CODE.split(line))
        return begin + "".join(
            self.code(part[1:-1]) if i % 2 else self._with_marks(part) for i, part in parts
        )

    def _with_marks(self, text: str) -> str:
        parts: list[str] = []
        end = 0
        for mark in _MARK.finditer(text):
            defines = text[mark.end() :].startswith(":") and not text[: mark.start()].strip()
            if 1 <= int(mark[1]) <= self.citations and not defines:
                # A mark does not begin a line.
                space = "\u00a0" if mark[0][0] != "[" else ""
                written = f"{space}{self.mark(int(mark[1]))}"
                parts += [self.escape(text[end : mark.start()]), written]
                end = mark.end()
        return "".join([*parts, self.escape(text[end:])])


def fenced_code(text: str) -> str:
    """Code letter for letter between fences that it cannot close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _grouped(lines: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Lines of one kind together; an indented line after an item belongs to it."""
    kinds: list[str] = []
    for line in lines:
        kind = _kind(line)
        if kind == "text" and line[0] in " \t" and kinds and kinds[-1] == "list":
            kind = "list"
        kinds.append(kind)
    for kind, group in groupby(zip(kinds, lines, strict=True), key=lambda pair: pair[0]):
        if kind != "blank":
            yield kind, [line for _, line in group]


def _is_table(lines: Sequence[str]) -> bool:
    return len(lines) > 1 and "-" in lines[1] and not lines[1].strip("|:- \t")


def _cells(row: str) -> list[str]:
    inside = row.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _BETWEEN_CELLS.split(inside)]


def _kind(line: str) -> str:
    if line.startswith("|"):
        return "row"
    if _ITEM.match(line):
        return "list"
    return "text" if line.strip() else "blank"


def for_any_reader(mark: Callable[[int], str], citations: int) -> AnswerMarkdown:
    """Writes where any program may read the Markdown: a file, a terminal."""

    def as_code(code: str) -> str:
        return f"`{code.strip()}`" if code.strip() else ""

    return AnswerMarkdown(as_line, as_code, mark, citations)


def as_line(text: str) -> str:
    """Escape a run of text on one line, which may stand at its beginning or in its middle."""
    parts: list[str] = []
    end = 0
    for match in ADDRESS.finditer(text):
        address = match[0].rstrip(_END) or match[0]
        parts += [_OPENING.sub(r"\g<0>\\", text[end : match.start()]), f"`{address}`"]
        end = match.start() + len(address)
    return "".join([*parts, _OPENING.sub(r"\g<0>\\", text[end:])])


def as_block(text: str, line: Callable[[str], str] = as_line) -> str:
    """Escape several lines as one paragraph that keeps its line breaks and its indentation."""
    lines = [one for one in visible(text).expandtabs(4).split("\n") if one.strip()]
    indents = ("\u00a0" * (len(one) - len(one.lstrip())) for one in lines)
    return "\\\n".join(i + line(one.strip()) for i, one in zip(indents, lines, strict=True))


def as_label(text: str, line: Callable[[str], str] = as_line) -> str:
    """Escape a text as one line of single spaces, for a heading or an item of a list."""
    return line(" ".join(visible(text).split()))
