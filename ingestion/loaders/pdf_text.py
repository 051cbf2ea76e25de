"""Lines of a PDF joined to paragraphs and code, as their author typed them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.loaders.pdf_layout import Line, rows

_WORD = re.compile(r"[^\W\d_]+(?:[-_][^\W_]+)*")
_HYPHENS = ("-", "\u00ad", "\u2010")
_BROKEN_IDENTIFIER = re.compile(r"[\w)\]][._/]$")
_BROKEN_ADDRESS = re.compile(r"(?:https?|ftp)://\S*[/\-_.=?&]$")


@dataclass(frozen=True)
class Vocabulary:
    """The words a document writes in the middle of its lines; tells which hyphens belong."""

    words: Counter[str]

    @classmethod
    def of(cls, lines: Iterable[Line]) -> Vocabulary:
        """Count the words of all lines, the broken last one of a line left out."""
        words: Counter[str] = Counter()
        for line in lines:
            text = line.text.lower()
            whole = text.rsplit(" ", 1)[0] if text.endswith(_HYPHENS) else text
            for word in _WORD.findall(whole):
                words[word] += 1
                if "-" in word:
                    words.update(word.split("-"))
        return cls(words)

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """Whether a hyphen at a line's end is part of the word: "one-to-one", "MPI-2"."""
        if not (before[-1:].islower() and after[:1].islower()):
            return True
        before, after = before.lower(), after.lower()
        tail = re.split(r"[-_]", before)[-1]
        if self.words[before + after] or self.words[tail + after]:
            return False
        if self.words[f"{before}-{after}"] or self.words[f"{tail}-{after}"]:
            return True
        return len(tail) > 2 and self.words[tail] > 0 and self.words[after] > 0

    def join(self, lines: Sequence[Line]) -> str:
        """Join a paragraph's lines with spaces, undoing what only the line break put there."""
        text = ""
        for i, line in enumerate(lines):
            mono = i > 0 and lines[i - 1].runs[-1].mono
            text = self.bridge(text, line.text, mono=mono, both_mono=mono and line.runs[0].mono)
        return text.replace("\u00ad", "")

    def bridge(
        self, before: str, after: str, *, mono: bool = False, both_mono: bool = False
    ) -> str:
        """Join two parts of a text that a line or column break parted.

        `mono` says that the first part ends in a monospaced font, `both_mono` that the second goes
        on in it: there a hyphen, a dot or an underscore at the break belongs to an identifier.
        """
        if len(before) > 1 and before.endswith(_HYPHENS) and before[-2].isalnum():
            left = re.split(r"[^\w-]", before[:-1])[-1]
            right = re.split(r"[^\w-]", after)[0].strip("-")
            kept = mono or self.keeps_hyphen(left, right)
            return (before if kept else before[:-1]) + after
        broken = both_mono and _BROKEN_IDENTIFIER.search(before)
        if not before or broken or _BROKEN_ADDRESS.search(before):
            return before + after
        return f"{before} {after}"


def code_text(lines: Sequence[Line], left: float | None = None) -> str:
    """Set monospaced lines on a grid: indentation, gaps and empty lines come back.

    `left` is where the code's first column stands, in points; by default its leftmost line.
    """
    widths = [(r.x1 - r.x0) / len(r.text) for line in lines for r in line.runs]
    letter = max(1.0, sorted(widths)[len(widths) // 2]) if widths else 5.0
    start = min((line.x0 for line in lines), default=0.0)
    start = start if left is None else min(left, start)
    pitch = _pitch(lines)
    out: list[str] = []
    base: float | None = None
    for row in rows(lines):
        if base is not None:
            out.extend([""] * max(0, round((row[0].base - base) / pitch) - 1))
        base = row[0].base
        text = ""
        for run in (r for line in row for r in line.runs):
            column = round((run.x0 - start) / letter)
            text += " " * max(column - len(text), 1 if run.spaced and text else 0) + run.text
        out.append(text)
    return "\n".join(out)


def _pitch(lines: Sequence[Line]) -> float:
    bases = sorted({round(line.base, 1) for line in lines})
    steps = [b - a for a, b in pairwise(bases) if b - a > 3]
    return min(steps, default=12.0)
