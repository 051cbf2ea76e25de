"""Marks of citations in a text: "[2]", "[1, 3]". What stands in code is none."""

import re
from collections.abc import Callable

CODE = re.compile(r"(`[^`\n]+`)")
"""A code span."""
LISTING = re.compile(
    r"^[ \t]*(?P<fence>`{3,})[ \t]*[\w.+#-]*[ \t]*\n(?P<code>.*?)^[ \t]*(?P=fence)`*[ \t]*$",
    re.M | re.S,
)
"""Code between fences; a fence that nothing closes is none."""
_CODE_OR_MARK = re.compile(rf"{CODE.pattern}|(?P<space>\s*)\[(?P<mark>\d+(?:\s*[,;]\s*\d+)*)\]")


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
