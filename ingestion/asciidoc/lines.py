"""What AsciiDoc's preprocessor does to lines: comments, attributes, conditions, moved headings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingestion.asciidoc.numbering import APPENDIX, CAPTIONS, Numbers

VERBATIM = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|`{3,})(?P<language>[\w,+#. -]*)$")
"""What begins and ends a block in which nothing but directives of the preprocessor counts."""
_FENCE = re.compile(r"^(-{4,}|\.{4,}|\+{4,}|/{4,}|`{3,})")
_UNDERLINES = "=-~^+"
_UNDERLINE = re.compile(r"^([=\-~^+])\1{2,}$")
_ABOVE_TITLE = re.compile(r"^(\[.*\]|:\S+:.*|//.*)$")
_NOTHING = "[]"
"""What a comment between blank lines leaves: nothing to read, and the end of a list."""
_COMMENT = re.compile(r"^/{4,}$")
_ENTRY = re.compile(
    r"^:(?P<off>!)?(?P<name>\w[\w-]*(?: \w+)?)(?P<out>!)?:(?:[ \t]+(?P<value>.*))?$"
)
_CONDITION = re.compile(
    r"^(?P<kind>ifdef|ifndef|ifeval|endif)::(?P<names>[^\[\s]*)\[(?P<content>.*)\]$"
)
_COMPARISON = re.compile(r"^\s*(?P<a>\S+)\s*(?P<sign>==|!=|<=|>=|<|>)\s*(?P<b>\S+)\s*$")
_REFERENCE = re.compile(
    r"(?P<literal>`?\+[^+\n]+\+`?|pass:\w*\[[^\]]*\])|(?P<escaped>\\)?\{(?P<name>\w[\w-]*)\}"
)
_SUBSTITUTED = re.compile(r"subs\s*=\s*[\"']?[^\]\"']*attributes")
_FORMATTED = re.compile(r"pass:[a-z]*[qn][a-z]*\[(.*)\]")
"""A value whose marks count where it is put."""
_HEADING = re.compile(r"^(=+|#+)(?=\s+\S)")
_AUTHOR = r"[^\W\d][\w.'-]*(?: +[\w.'-]+){0,2}(?: +<[^>]+>)?"
_AUTHORS = re.compile(rf"^{_AUTHOR}(?:; +{_AUTHOR})*$")
_REVISION = re.compile(r"^v?(?P<number>\d[\w.-]*)(?:,.*)?$")
_LONGEST_VALUE = 2_000
_LONGEST_LINE = 100_000
"""Where attributes name attributes that name attributes, a line grows without end."""

_GIVEN = {
    **CAPTIONS,
    APPENDIX: "Appendix",
    "backend": "html5",
    "backend-html5": "",
    "basebackend": "html",
    "basebackend-html": "",
    "nbsp": "\u00a0",
    "sp": " ",
    "empty": "",
    "blank": "",
    "amp": "&",
    "lt": "<",
    "gt": ">",
    "apos": "'",
    "quot": '"',
    "plus": "+",
    "vbar": "|",
    "asterisk": "*",
    "tilde": "~",
    "caret": "^",
    "backtick": "`",
    "backslash": "\\",
    "startsb": "[",
    "endsb": "]",
    "two-colons": "::",
    "two-semicolons": ";;",
    "cpp": "C++",
    "deg": "°",
    "zwsp": "",
    "wj": "",
    "lsquo": "‘",
    "rsquo": "’",
    "ldquo": "“",
    "rdquo": "”",
    "brvbar": "¦",
}
"""What every document knows of itself and of signs."""


@dataclass
class Attributes:
    """The names that a document gives to texts, as they stand where it is being read."""

    values: dict[str, str] = field(default_factory=lambda: dict(_GIVEN))

    def enter(self, entry: re.Match[str]) -> None:
        """Take a line such as `:name: value`."""
        name, value = entry["name"].lower(), self.replaced(entry["value"] or "").strip()
        if entry["off"] or entry["out"]:
            self.values.pop(name, None)
        elif name == "leveloffset" and value[:1] in {"+", "-"}:
            self.values[name] = str(self.offset + _whole(value))
        else:
            formatted = _FORMATTED.fullmatch(value)
            self.values[name] = (formatted[1] if formatted else value)[:_LONGEST_VALUE]

    @property
    def offset(self) -> int:
        """How far headings are moved down."""
        return _whole(self.values.get("leveloffset", ""))

    def replaced(self, line: str) -> str:
        """Put texts in the place of their names; a name that is not known stays."""

        def found(match: re.Match[str]) -> str:
            if match["literal"]:
                return match[0]
            if match["escaped"]:
                return match[0][1:]
            return self.values.get(match["name"].lower(), match[0])

        whole = _REFERENCE.sub(found, line) if "{" in line else line
        return whole if len(whole) <= _LONGEST_LINE else line

    def holds(self, condition: re.Match[str]) -> bool:
        """Say whether what stands below a condition is meant."""
        if condition["kind"] == "ifeval":
            compared = _COMPARISON.match(self.replaced(condition["content"]))
            return compared is None or _compare(compared)
        names = condition["names"].lower()
        known = [name in self.values for name in re.split(r"[,+]", names)]
        is_set = all(known) if "+" in names else any(known)
        if condition["kind"] == "ifdef":
            return is_set
        return not (any(known) if "+" in names else all(known))


def preprocessed(text: str, attributes: Attributes) -> list[str]:
    """Return the lines that are left to be read, attributes put in their place."""
    given = list(_joined(text.split("\n")))
    return _Preprocessing(attributes).of(
        _without_header(_conditioned(_with_titles(given), attributes), attributes)
    )


@dataclass
class _Preprocessing:
    attributes: Attributes
    lines: list[str] = field(default_factory=list)
    numbers: Numbers = field(default_factory=Numbers)

    def of(self, given: Iterator[str]) -> list[str]:
        fence: str | None = None
        comment: str | None = None
        is_substituted = False
        for line in given:
            if comment or (fence is None and _COMMENT.match(line)):
                comment = None if comment == line else comment or line
            elif fence is not None:
                fence = None if line == fence else fence
                is_text = is_substituted and fence is not None
                self.lines.append(self.attributes.replaced(line) if is_text else line)
            elif opening := VERBATIM.match(line):
                fence = opening[1]
                is_substituted = bool(_SUBSTITUTED.search(" ".join(self.lines[-3:])))
                self.lines.append(line)
            else:
                self._text(line)
        return self.lines

    def _text(self, line: str) -> None:
        if line.startswith("//") and not line.startswith("///"):
            if self.lines and not self.lines[-1]:
                self.lines.append(_NOTHING)
        elif entry := _ENTRY.match(line):
            self.attributes.enter(entry)
        else:
            offset = self.attributes.offset
            if offset and (heading := _HEADING.match(line)):
                level = max(1, min(len(heading[1]) + offset, 6))
                line = line[0] * level + line[heading.end() :]
            if counted := self.numbers.above(line, self.lines, self.attributes.values):
                self.lines.append(counted)
            self.lines.append(self._placed(self.attributes.replaced(line)))

    def _placed(self, line: str) -> str:
        """Let a picture be found where the attribute for the folder of pictures says."""
        folder = self.attributes.values.get("imagesdir", "").rstrip("/")
        begins = "image::"
        if not folder or not line.startswith(begins) or re.match(r"image::(?:/|\w+:)", line):
            return line
        return f"{begins}{folder}/{line.removeprefix(begins)}"


def _with_titles(lines: Sequence[str]) -> Iterator[str]:
    """Write headings that are underlined as others are written."""
    fence = ""
    above, passed = "", False
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        underline = _UNDERLINE.match(below)
        is_title = (
            underline and not fence and re.match(r"\w|\{", line) and abs(len(below) - len(line)) < 2
        )
        if passed:
            passed = False
        elif is_title and (not above or _ABOVE_TITLE.match(above)):
            yield f"{'=' * (_UNDERLINES.index(below[0]) + 1)} {line}"
            passed = True
        else:
            yield line
            if line == fence:
                fence = ""
            elif not fence and (opening := _FENCE.match(line)):
                fence = opening[1]
        above = "" if passed else line


def _joined(lines: Sequence[str]) -> Iterator[str]:
    r"""Put the value of an attribute that goes on behind a "\" on one line."""
    waiting, fence = "", ""
    for line in map(str.rstrip, lines):
        line = f"{waiting} {line.strip()}" if waiting else line
        waiting = ""
        if not fence and line.endswith(" \\") and _ENTRY.match(line):
            waiting = line[:-2]
            continue
        yield line
        if line == fence:
            fence = ""
        elif not fence and (opening := _FENCE.match(line)):
            fence = opening[1]
    if waiting:
        yield waiting


def _conditioned(lines: Iterator[str], attributes: Attributes) -> Iterator[str]:
    """Leave out the lines whose condition does not hold where they stand."""
    held: list[bool] = []
    for line in lines:
        condition = _CONDITION.match(line)
        if condition is None:
            if all(held):
                yield line.removeprefix("\\") if _CONDITION.match(line[1:]) else line
        elif condition["kind"] == "endif":
            del held[-1:]
        elif condition["content"] and condition["kind"] != "ifeval":
            if all(held) and attributes.holds(condition):
                yield condition["content"]
        else:
            held.append(all(held) and attributes.holds(condition))


def _without_header(lines: Iterator[str], attributes: Attributes) -> Iterator[str]:
    """Leave out the lines of authors and revision below the document's title."""
    expected: tuple[re.Pattern[str], ...] | None = None
    for number, line in enumerate(lines):
        if expected is None:
            if re.match(r"^[=#]\s+\S", line) and not attributes.offset:
                expected = (_AUTHORS, _REVISION)
            elif line and not line.startswith(("//", ":", "[")) and number:
                expected = ()
            yield line
        elif line.startswith(("//", ":")):
            yield line
        else:
            while expected and not expected[0].match(line):
                expected = expected[1:]
            if not expected:
                yield line
            elif revision := _REVISION.match(line):
                attributes.values.setdefault("revnumber", revision["number"])
            expected = expected[1:]


def _compare(compared: re.Match[str]) -> bool:
    a, b = (compared[side].strip("\"'") for side in ("a", "b"))
    order = (_whole(a), _whole(b)) if a.isdecimal() and b.isdecimal() else (a, b)
    below, same = order[0] < order[1], order[0] == order[1]  # type: ignore[operator]
    return {
        "==": same,
        "!=": not same,
        "<": below,
        "<=": below or same,
        ">": not (below or same),
        ">=": not below,
    }[compared["sign"]]


def _whole(text: str) -> int:
    return int(text) if re.fullmatch(r"[+-]?\d{1,4}", text) else 0
