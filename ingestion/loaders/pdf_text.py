"""What a line of a PDF is, and how lines are joined to the text that their author typed."""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingestion.loaders.pdf_layout import Line, join_runs, rows
from ingestion.page import collapse

_BULLET = re.compile(r"[•◦▪▸‣●○■∙·–*-]")
_ENUMERATOR = re.compile(r"\(?(?:\d{1,3}|[a-z])[.)]")
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_CLASS_KINDS = frozenset({"class", "exception", "enum", "struct"})
_OBJECT_KINDS = _CLASS_KINDS | {
    *("abstract", "async", "attribute", "classmethod", "const", "data", "final", "function"),
    *("macro", "method", "module", "property", "static", "type"),
}
_NOT_NAMES = frozenset(keyword.kwlist) | {"char", "const", "double", "exec", "int", "print", "void"}

_CUT_WORD = re.compile(r"\w[-\u00ad\u2010]$")

_CLOSE = 3.0
"""Left edges that differ by less, in points, are one edge."""


@dataclass(frozen=True)
class Typography:
    """What is usual in a document: body size and font, line pitch, sizes of its headings.

    `pitch` is the distance between lines as a multiple of their size; `heading_sizes` are the
    sizes above the body's in points, largest first.
    """

    body_size: float
    body_family: str
    pitch: float
    heading_sizes: tuple[float, ...]

    @classmethod
    def of(cls, lines: Sequence[Line]) -> Typography:
        """Measure a document's lines, given in reading order."""
        styles: Counter[tuple[float, str]] = Counter()
        for line in lines:
            for run in line.runs:
                if not run.mono:
                    styles[run.size, _family(run.font)] += len(run.text)
        (size, family), _ = styles.most_common(1)[0] if styles else ((10.0, ""), 0)
        steps = Counter(
            round((b.base - a.base) / size, 2)
            for a, b in pairwise(lines)
            if a.size == b.size == size and 0.9 < (b.base - a.base) / size < 2.2
        )
        return cls(
            body_size=size,
            body_family=family,
            pitch=steps.most_common(1)[0][0] if steps else 1.2,
            heading_sizes=tuple(sorted({s for s, _ in styles if s > size + 0.6}, reverse=True)),
        )

    def adjoins(self, before: Line, after: Line) -> bool:
        """Whether two lines follow each other at the usual distance."""
        step = after.base - before.base
        return 0 < step < 1.22 * self.pitch * max(before.size, after.size)

    def is_heading(self, line: Line, following: Line | None, *, spaced: bool) -> bool:
        """Whether a line is set like a heading: larger, or bold and standing alone.

        `spaced` says that more than the usual distance lies above it.
        """
        words = line.text.split()
        if line.mono or len(words) > 20 or not any(c.isalpha() for c in line.text):
            return False
        labels = [run.text for run in line.runs if run.size <= self.body_size + 0.6]
        # What is entered in a field may be larger than its label.
        if line.size > self.body_size + 0.6 and not (labels and labels[-1].endswith(":")):
            return line.text[-1] not in ".,;" and (line.bold or line.size > self.body_size * 1.15)
        if (
            not line.bold
            or len(words) > 12
            or line.text[-1] in ".:;,"
            or line.size < self.body_size
        ):
            return False
        if _family(line.font) != self.body_family:
            return True
        indented = following is not None and following.x0 > line.x0 + _CLOSE
        return spaced and not indented


def _family(font: str) -> str:
    return re.split(r"[-,]", font.split("+")[-1])[0].lower()


@dataclass(frozen=True, slots=True)
class Signature:
    """The documented object that a signature line names.

    People call it by its `name`, but data after the `module` that stands before it.
    """

    module: str
    name: str
    is_class: bool


def signature(line: Line) -> Signature | None:
    """Recognise `class package.Name(arguments)`: a bold name in a monospaced font.

    Returns None for code, whose bold words are keywords and whose arguments are monospaced too.
    """
    prefix, kind, i = "", "", 0
    runs = line.runs
    while i < len(runs) and runs[i].mono:
        if runs[i].text in _OBJECT_KINDS:
            kind = kind or runs[i].text
        elif runs[i].text.endswith(".") and not runs[i].bold:
            prefix += runs[i].text
        else:
            break
        i += 1
    if i == len(runs) or not (runs[i].mono and runs[i].bold):
        return None
    end = i + 1
    while end < len(runs) and runs[end].bold and runs[end].mono and not runs[end].spaced:
        end += 1
    name, opened, tail = join_runs(runs[i:end]).partition("(")
    rest = opened + tail + join_runs(runs[end:])
    if not _NAME.fullmatch(name) or name in _NOT_NAMES:
        return None
    if rest not in ("", "()") and (line.mono or rest[0] not in "(=:["):
        return None
    is_class = kind in _CLASS_KINDS
    return Signature("" if is_class or rest.startswith("(") else prefix, name, is_class)


def is_open(text: str) -> bool:
    """Whether a bracket is left open."""
    return sum(text.count(c) for c in "([{") > sum(text.count(c) for c in ")]}")


def bullet(line: Line) -> tuple[str, float] | None:
    """Return a list item's mark, "-" for every bullet, and where its text begins in points."""
    if len(line.runs) < 2 or not line.runs[1].spaced or line.runs[0].mono:
        return None
    mark = line.runs[0].text
    if _BULLET.fullmatch(mark):
        return "-", line.runs[1].x0
    return (mark, line.runs[1].x0) if _ENUMERATOR.fullmatch(mark) else None


def is_term(line: Line, following: Line | None, typography: Typography) -> bool:
    """Whether a short line is explained by the line below it, which is set deeper.

    A line of code is not explained by another one.
    """
    if following is None or len(line.text.split()) > 12 or (line.mono and following.mono):
        return False
    deeper = _CLOSE < following.x0 - line.x0 < 80
    return (
        deeper
        and line.runs[0].bold
        and typography.adjoins(line, following)
        and not bullet(following)
    )


def breaks_between(before: str, after: str) -> bool:
    """Whether a line may end between two letters of a script that has no spaces."""
    return collapse(f"{before}\n{after}") == before + after


def wraps(before: Line, after: Line, right: float) -> bool:
    """Whether a line ended because the next one's first word had no room before `right`."""
    word = after.runs[0].x1
    for run in after.runs[1:]:
        if run.spaced:
            break
        word = run.x1
    if breaks_between(before.text[-1], after.text[0]):
        word = after.x0 + after.size
    return right - before.x1 < word - after.x0 + 0.4 * before.size


def continues(
    paragraph: Sequence[Line],
    after: Line,
    right: float,
    typography: Typography,
    *,
    hanging: bool = False,
) -> bool:
    """Whether a line belongs to the paragraph that the lines above it began.

    What is `hanging` beside a mark goes on in every line that begins where its text does.
    """
    first, last = paragraph[0], paragraph[-1]
    if not typography.adjoins(last, after) or abs(last.size - after.size) > 1 or bullet(after):
        return False
    left = paragraph[1].x0 if len(paragraph) > 1 else first.x0
    indent = after.x0 - left
    if hanging and abs(after.x0 - first.x0) <= _CLOSE and after.font == last.font:
        return True
    full = wraps(last, after, right) or bool(_CUT_WORD.search(last.text))
    if len(paragraph) == 1 and not -4 * first.size < indent < 10 * first.size:
        return False
    if len(paragraph) > 1 and abs(indent) > _CLOSE:
        return False
    if len(paragraph) == 1 and abs(indent) > _CLOSE and not full:
        return False
    return full or (not after.mono and right - last.x1 < 0.35 * (right - left))


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
        return before + after if breaks_between(before[-1], after[:1]) else f"{before} {after}"


_OFF_GRID = 0.2
"""Letters of code that stand so many of them apart from a column are not in it."""


def code_text(lines: Sequence[Line], left: float) -> str:
    """Set monospaced lines on a grid: indentation, gaps and empty lines come back.

    `left` is where the code's first column stands, in points; no line begins before it.
    """
    letter = _letter_width(lines, left)
    pitch = _pitch(lines)
    out: list[str] = []
    base: float | None = None
    for row in rows(lines):
        if base is not None:
            out.extend([""] * max(0, round((row[0].base - base) / pitch) - 1))
        base = row[0].base
        text = ""
        for run in (r for line in row for r in line.runs):
            place = (run.x0 - left) / letter
            # A narrow letter leaves a gap beside it, on the grid all the same.
            on_grid = abs(place - len(text)) < _OFF_GRID
            least = 1 if run.spaced and text and not on_grid else 0
            text += " " * max(round(place) - len(text), least) + run.text
        out.append(text)
    return "\n".join(out)


def _letter_width(lines: Sequence[Line], left: float) -> float:
    """Return how far the letters of code stand apart, so that its words stand in columns."""
    runs = [run for line in lines for run in line.runs]
    drawn = median((run.x1 - run.x0) / len(run.text) for run in runs) if runs else 5.0

    def off_columns(letter: float) -> float:
        places = ((run.x0 - left) / letter for run in runs)
        return sum(abs(place - round(place)) for place in places)

    # A letter is drawn up to a tenth narrower than its column.
    return min((max(drawn, 1.0) * (1 + step / 200) for step in range(21)), key=off_columns)


def _pitch(lines: Sequence[Line]) -> float:
    bases = sorted({round(line.base, 1) for line in lines})
    steps = [b - a for a, b in pairwise(bases) if b - a > 3]
    return min(steps, default=12.0)
