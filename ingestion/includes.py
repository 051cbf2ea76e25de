"""What a text includes from the folder that it lies in takes its place before it is read."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from textwrap import dedent, indent

from ingestion.archives import stays_inside
from ingestion.decoding import decode
from ingestion.loaders import LOADERS
from ingestion.names import MARKDOWN, may_use_names, with_names
from ingestion.page import UnreadableFile

_ASCIIDOC = {".adoc", ".asciidoc", ".asc"}
_READERS = {".rst", ".txt", ".text", *_ASCIIDOC} | {
    suffix for suffix, module in LOADERS.items() if module == "markdown"
}
_REST = re.compile(
    r"^(?P<indent>[ \t]*)(?P<item>(?:[*-][ \t]+)*)\.\. (?P<name>include|literalinclude)::"
    r"[ \t]+(?P<path>\S[^\n]*)\n?"
    r"(?P<options>(?:(?P=indent)[ \t]+:[\w-]+:[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
"""It may be the first in an item of a list, and in a cell of a table of lists."""
_CSV = re.compile(
    r"^(?P<head>[ \t]*\.\. csv-table::[^\n]*\n(?:[ \t]+:(?!file:)[\w-]+:[^\n]*\n)*)"
    r"(?P<indent>[ \t]+):file:[ \t]+(?P<path>\S[^\n]*)\n?"
    r"(?P<options>(?:[ \t]+:[\w-]+:[^\n]*(?:\n|\Z))*)",
    re.MULTILINE,
)
_IMPORT = re.compile(r"^import\s+(\w+)\s+from\s+['\"]([^'\"\n]+\.mdx?)['\"]", re.MULTILINE)
_PARTIAL = re.compile(
    r"^(?P<indent>[ \t]*)<(?P<part>[A-Z]\w*)(?P<given>(?:\s[^<>]*)?)/>[ \t]*$", re.MULTILINE
)
"""A part of MDX that another file holds, and the values that it is given."""
_PROP = re.compile(r"\{props\.(\w+)\}")
_GIVEN = re.compile(r"(?<!\w)(\w++)=\{?[\"']([^\"'\n]*)[\"']\}?")
_MYST = re.compile(
    r"^(?P<indent>[ \t]*)(?P<fence>`{3,}|:{3,})\{(?P<name>include|literalinclude)\}[ \t]+"
    r"(?P<path>\S[^\n]*)\n(?P<options>(?:[ \t]*:[\w-]+:[^\n]*\n)*)[ \t]*(?P=fence)[ \t]*$",
    re.MULTILINE,
)
_SNIPPET = re.compile(
    r"^(?P<indent>[ \t]*)-{1,}8<-{1,}[ \t]+[\"'](?P<path>[^\"'\n]+)[\"'][ \t]*$", re.MULTILINE
)
_ADOC = re.compile(
    r"^(?P<indent>)include::(?P<path>[^\[\n]+)\[(?P<options>[^\]\n]*)\][ \t]*(?:\n|\Z)",
    re.MULTILINE,
)
_ADOC_ATTRIBUTE = re.compile(r"^:(\w[\w-]*):[ \t]+(\S.*?)[ \t]*$", re.MULTILINE)
_ADOC_OPTION = re.compile(r"(\w+)=(?:\"([^\"]*)\"|([^,\]]*))")
_TAG = re.compile(r"\b(?P<kind>tag|end)::(?P<name>[^\s\[\]]+)\[\]")
_FAMILY = re.compile(
    r"^(?:[^:$]*@)?(?:[^:$]*:(?=[^:$]*:))?(?P<module>[^:$]*:)?(?P<family>partial|example|page|attachment)\$(?P<name>.+)$"
)
"""How Antora names a file: by its module and its family."""
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})(?!\{)")
_LITERAL = re.compile(
    r"([ \t]*)(?:(?!\.\. )\S.*::|::|\.\. (?:code|code-block|sourcecode|parsed-literal)::.*)[ \t]*$"
)
_OPTION = re.compile(r":([\w-]+):[ \t]*([^\n]*)")
_DEEPEST = 8
MOST_READ = 1_000
"""How many files are asked for where one text is put together."""
LARGEST_READ = 20_000_000
"""Bytes of them all together, whatever part of them is kept."""


@dataclass(frozen=True, slots=True)
class Included:
    """A text with what it includes, None where it stays as it is, and the paths that are missing.

    Missing is what could not be had, and what is too much.
    """

    text: str | None
    missing: tuple[str, ...] = ()


def may_include(data: bytes, file: str) -> bool:
    """Say whether a file is a text that seems to include others, or to use names of the release."""
    is_text = PurePosixPath(file).suffix.lower() in _READERS
    brings = any(sign in data for sign in (b"include", b"8<-", b":file:"))
    imports = b"import " in data and b".md" in data
    return is_text and (brings or imports or may_use_names(data, file))


def with_included(
    data: bytes, file: str, read: Callable[[str], bytes | None], release: str = ""
) -> Included:
    """Put what a text includes in its place, and the names that it uses into its own definitions.

    `read` returns the bytes of a file of the same folder by its path there, "/" between its parts,
    or None; it is asked for nothing outside. Understood are `include` and `literalinclude` of
    reStructuredText and MyST, tables of files, the snippets of MkDocs, and what MDX imports from
    Markdown. `release` is what `version` stands for where no settings beside the file say it.
    """
    try:
        text = decode(data)
    except UnreadableFile:
        return Included(None)
    inclusion = _Inclusion(read)
    whole = with_names(inclusion.expand(text, (file,)), file, read, release)
    return Included(whole if whole != text else None, tuple(inclusion.missing))


@dataclass
class _Inclusion:
    read: Callable[[str], bytes | None]
    missing: list[str] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    files_left: int = MOST_READ
    left: int = LARGEST_READ

    def expand(self, text: str, through: tuple[str, ...]) -> str:
        """Put in place what a text includes; `through` are the files that led to it and itself."""

        def found(match: re.Match[str]) -> str:
            named = match.groupdict()
            if "item" in named:
                named["indent"] += named["item"]
            path = imports.get(named["part"]) if "part" in named else named["path"]
            if path is None:
                return match[0]
            content = self._content(self._named(path.strip().removeprefix("@site")), through)
            if content is None:
                return match[0]
            if match.re is _CSV:
                rows = indent(f"\n{content[1].strip()}\n", named["indent"])
                return f"{named['head']}{named['options']}{rows}"
            if match.re is _PARTIAL:
                values = dict(_GIVEN.findall(named["given"]))
                part = self.expand(content[1], (*through, content[0]))
                part = _PROP.sub(lambda prop: values.get(prop[1], prop[0]), part)
                return indent(part.rstrip("\n"), named["indent"])
            options = dict(_OPTION.findall(named.get("options") or ""))
            part = _part(content[1], options)
            if match.re is _ADOC:
                part = _asciidoc_part(content[1], named["options"])
                if not is_asciidoc(content[0]):
                    return f"{part.rstrip(chr(10))}\n"
            code = named.get("name") == "literalinclude" or options.keys() & {"literal", "code"}
            if code:
                language = options.get("language") or options.get("code") or ""
                part = _listing(part, language, named.get("fence"))
            else:
                part = self.expand(part, (*through, content[0]))
            self.left -= len(named["indent"]) * part.count("\n")
            if self.left < 0:
                self.missing.append(named["path"].strip())
                return match[0]
            within = indent(part.strip("\n"), re.sub(r"\S", " ", named["indent"]))
            return named["indent"] + within[len(named["indent"]) :] + "\n"

        imports = dict(_IMPORT.findall(text))
        if is_asciidoc(through[-1]):
            self.attributes |= _ADOC_ATTRIBUTE.findall(text)
            return _ADOC.sub(found, text)

        def outside_code(pattern: re.Pattern[str], text: str) -> str:
            code = _code(text, through[-1])
            return pattern.sub(
                lambda match: match[0] if code[match.start()] else found(match), text
            )

        # MkDocs puts snippets into code, too.
        for pattern in (_REST, _CSV, _MYST, *([_PARTIAL] if imports else [])):
            text = outside_code(pattern, text)
        return _SNIPPET.sub(found, text)

    def _named(self, path: str) -> str:
        """Put what a text has named into a path."""
        return re.sub(r"\{([\w-]+)\}", lambda m: self.attributes.get(m[1], m[0]), path)

    def _content(self, path: str, through: tuple[str, ...]) -> tuple[str, str] | None:
        """Return the name and the text of an included file; None, and note it, if it is not had."""
        folder = posixpath.dirname(through[-1])
        places = (path[1:],) if path.startswith("/") else (posixpath.join(folder, path), path)
        if family := _FAMILY.match(path):
            modules = through[0].partition("modules/")
            module = (family["module"] or modules[2].partition("/")[0]).rstrip(":")
            name = f"{family['family']}s/{family['name']}"
            places = (f"{modules[0]}modules/{module}/{name}",)
        for name in dict.fromkeys(map(posixpath.normpath, places)):
            allowed = stays_inside(name) and name not in through and len(through) <= _DEEPEST
            if not allowed or self.left <= 0 or self.files_left <= 0:
                continue
            self.files_left -= 1
            data = self.read(name)
            self.left -= len(data or b"")
            if data is not None and self.left >= 0:
                try:
                    return name, decode(data)
                except UnreadableFile:
                    break
        self.missing.append(path)
        return None


def _code(text: str, file: str) -> bytearray:
    """Mark the characters that stand in code, where what includes is only shown."""
    marks = bytearray(len(text) + 1)
    opened = _FENCE if file.lower().endswith(MARKDOWN) else _LITERAL
    start, mark = 0, ""
    for row in text.split("\n"):
        inside = row.strip()
        if mark and opened is _FENCE:
            ends = inside.startswith(mark) and not inside.strip(mark[0])
        else:
            ends = bool(mark and inside) and len(row) - len(row.lstrip()) < len(mark)
        if ends:
            mark = ""
        if mark:
            marks[start : start + len(row)] = b"\x01" * len(row)
        elif not (ends and opened is _FENCE) and (found := opened.match(row)):
            # A literal is what stands further in than what announces it.
            mark = found[1] + ("" if opened is _FENCE else " ")
        start += len(row) + 1
    return marks


def _part(text: str, options: dict[str, str]) -> str:
    """Cut out what the options of a directive ask for."""
    lines = text.split("\n")
    if "lines" in options:
        lines = [line for first, last in _ranges(options["lines"]) for line in lines[first:last]]
    first, last = options.get("start-line", ""), options.get("end-line", "")
    lines = lines[_number(first) : _number(last)]
    for option, passed in (("start-after", 1), ("start-at", 0)):
        if (place := _place(lines, options.get(option))) is not None:
            lines = lines[place + passed :]
    for option, kept in (("end-before", 0), ("end-at", 1)):
        if (place := _place(lines, options.get(option))) is not None:
            lines = lines[: place + kept]
    text = "\n".join(lines)
    return dedent(text) if "dedent" in options else text


def is_asciidoc(file: str) -> bool:
    """Say whether a file is AsciiDoc by its name."""
    return PurePosixPath(file).suffix.lower() in _ASCIIDOC


def _asciidoc_part(text: str, written: str) -> str:
    """Cut out the lines or the tagged parts that an include of AsciiDoc asks for."""
    options = {name: quoted or bare for name, quoted, bare in _ADOC_OPTION.findall(written)}
    lines = text.split("\n")
    if ranges := options.get("lines"):
        ranges = re.sub(r"\.\.(-1)?", "-", ranges)
        lines = [line for first, last in _ranges(ranges) for line in lines[first:last]]
    wanted = set(re.split(r"[;,]", options.get("tags") or options.get("tag") or "")) - {""}
    lines = list(_tagged(lines, wanted))
    text = "\n".join(lines)
    if "indent" in options:
        text = indent(dedent(text), " " * min(_number(options["indent"]) or 0, 40))
    offset = options.get("leveloffset", "")
    if re.fullmatch(r"[+-]\d", offset):
        back = {"+": "-", "-": "+"}[offset[0]] + offset[1:]
        text = f":leveloffset: {offset}\n\n{text}\n\n:leveloffset: {back}\n"
    return text


def _tagged(lines: Sequence[str], wanted: set[str]) -> Iterator[str]:
    """Yield the lines that stand in a tag that is wanted, all of them if none is."""
    unwanted = {name[1:] for name in wanted if name.startswith("!")}
    named = wanted - {f"!{name}" for name in unwanted}
    inside: list[str] = []
    for line in lines:
        if tag := _TAG.search(line):
            if tag["kind"] == "tag":
                inside.append(tag["name"])
            elif tag["name"] in inside:
                inside.remove(tag["name"])
            continue
        is_wanted = (
            not named or "**" in named or bool(named & {*inside}) or ("*" in named and inside)
        )
        if is_wanted and not unwanted & {*inside}:
            yield line


def _place(lines: Sequence[str], mark: str | None) -> int | None:
    """Return the first line that holds a mark, if any does."""
    return next((i for i, line in enumerate(lines) if mark and mark in line), None)


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d{1,7}", text) else None


def _ranges(lines: str) -> list[tuple[int, int | None]]:
    """Read "1-3,5,9-" as slices."""
    found = re.findall(r"(\d{1,7})(?:(-)(\d{1,7})?)?", lines)
    return [
        (max(int(first) - 1, 0), int(last) if last else None if dash else int(first))
        for first, dash, last in found
    ]


def _listing(text: str, language: str, fence: str | None) -> str:
    text = text.strip("\n")
    if fence:
        longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}{language}\n{text}\n{fence}"
    return f".. code-block:: {language or 'text'}\n\n{indent(text, '   ')}\n"
