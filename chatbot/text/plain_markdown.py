"""Text of any origin in a Markdown file: whatever reads the file shows exactly that text."""

from __future__ import annotations

import re

from prompts.fencing import visible

# What opens something in the middle of a line, in CommonMark and in GitHub's dialect; an
# underscore inside a name does not.
_SPECIAL = re.compile(r"[\\`*\[\]<|~$]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
# What opens something at the beginning of a line.
_OPENING = re.compile(r"\A(?:>|#|[+-](?=\s|\Z)|-(?=[-\s]*\Z)|=(?==*\s*\Z)|:(?=-))")
_NUMBERED = re.compile(r"\A(\d{1,9})([.)])(?=\s|\Z)")
# Many readers make a link of an address, escaped or not, but not in a code span.
_ADDRESS = re.compile(r"(?<![^\s`|])[^\s`|]*(?:://|www\.|mailto:|@)[^\s`|]*", re.IGNORECASE)
_END = ".,;:!?)"


def as_line(text: str) -> str:
    """Escape a run of text on one line, which may stand at its beginning or in its middle."""
    parts: list[str] = []
    end = 0
    for match in _ADDRESS.finditer(text):
        address = match[0].rstrip(_END) or match[0]
        parts += [_escaped(text[end : match.start()]), f"`{address}`"]
        end = match.start() + len(address)
    return "".join([*parts, _escaped(text[end:])])


def as_code(text: str) -> str:
    """A code span with one line of text that holds no backtick; of nothing, nothing."""
    return f"`{text.strip()}`" if text.strip() else ""


def as_block(text: str) -> str:
    """Escape several lines as one paragraph that keeps its line breaks and its indentation."""
    lines = [line for line in visible(text).expandtabs(4).split("\n") if line.strip()]
    return "\\\n".join(_indentation(line) + as_line(line.strip()) for line in lines)


def as_label(text: str) -> str:
    """Escape a text as one line of single spaces, for a heading or an item of a list."""
    return as_line(" ".join(visible(text).split()))


def _escaped(text: str) -> str:
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    return _NUMBERED.sub(r"\1\\\2", _OPENING.sub(r"\\\g<0>", escaped))


def _indentation(line: str) -> str:
    """The white space before a line, as spaces that Markdown keeps."""
    return "\u00a0" * (len(line) - len(line.lstrip()))
