"""Notes, tabs and other containers of Markdown's dialects, found while blocks are parsed.

A dialect says how a container opens and where its body ends; the body is parsed as blocks of its
own, whatever list or note it lies in. Code is parsed before and never looked into.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from pygments.lexers import find_lexer_class_by_name
from pygments.util import ClassNotFound

from ingestion.loaders.markdown_writing import (
    KNOWN,
    NOTES,
    ON_DEMAND,
    SORTED,
    Container,
    label,
    line_at,
    outside_code,
    write,
)
from ingestion.names import CONDITION, VARIABLE

_KINDS = ("type", "style", "kind", "color", "variant", "severity")
_TITLES = ("title", "label", "header", "heading", "summary", "name", "tabname", "value")
_FIELDS = {"paramfield", "responsefield"}
"""Parameters and fields of an interface (Mintlify), by where they stand; others have a name."""
SHOWN = ("caption", "title", "text", "content", "label", "alt")
"""What is seen of an element without a body."""

_ATTRIBUTE = re.compile(
    r"(?:(?P<name>[\w.:-]+)=)?\{?(?P<quote>[\"'`])(?P<text>.*?)(?P=quote)\}?"
    r"|(?P<key>[\w.:-]+)=\{?(?P<value>[^\s\"'{}]+)\}?|(?P<bare>[\w./#-]+)",
    re.DOTALL,
)
_INDENTED = re.compile(
    r'(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>[\w-]+)[^"]*?|===[!+]*[ \t]+(?="))'
    r'(?:"(?P<title>.*)"[^"]*)?$'
)
_FENCED = re.compile(
    r"(?P<fence>:{3,}|/{3,}(?=[ \t])|[`~]{3,}(?=\{))[ \t]*(?P<brace>\{?)(?P<class>\.?)"
    r"(?P<kind>[A-Za-z][\w:+-]*)(?P<rest>.*)$"
)
COMPONENT = re.compile(
    r"<(?P<kind>[A-Z][\w.]*|(?:div|section|aside|details)(?=[^>\n]*\smarkdown\b))"
    r"(?P<rest>(?:\s+(?:[\w:@.-]+(?:=(?:\"[^\"]*\"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}))?"
    r"|\{\.\.\.[^{}]*\}))*)\s*(?P<alone>/?)>"
)
_LIQUID = re.compile(r"\{%-?\s*(?P<kind>[\w-]+)(?P<rest>(?:[^%\n]|%(?!\}))*?)-?%\}")
_SHORTCODE = re.compile(r"\{\{[<%]\s*(?P<kind>[\w./-]*\w)(?P<rest>[^\n]*?)(?P<alone>/?)\s*[>%]\}\}")
_KRAMDOWN = re.compile(r"\{::(?P<kind>\w+)(?P<rest>[^{}\n]*?)(?P<alone>/?)\}")
_PAIRED = re.compile(
    r":{3}[ \t]*(?P<kind>zone|moniker|row|column|image|video|code)\b(?!-end)(?P<rest>.*?)"
    r"(?P<alone>:{3})?$"
)
_TAB = re.compile(r"#{1,6}[ \t]+\[(?P<title>[^\]]+)\]\(#tabs?/[^)\s]+\)")
_CAPTION = re.compile(r":?caption:\s*([\"']?)(\S.*)\1\s*$")
_OPTION = re.compile(r":[\w-]+:(?:\s.*)?$|[\w-]+:\s.*$")
_FIRST = frozenset("!?=:/`~<{#%")


@dataclass(slots=True)
class Attributes:
    """The attributes of a tag or a shortcode, and what stands there without a name."""

    named: dict[str, str] = field(default_factory=dict)
    bare: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, text: str) -> Attributes:
        """Read them of the text between the name of a tag and its end."""
        read = cls()
        for found in _ATTRIBUTE.finditer(text):
            name = found["name"] or found["key"]
            value = found["text"] or found["value"] or ""
            if name:
                read.named.setdefault(name.lower(), value)
            else:
                read.bare.append(found["bare"] or value)
        return read

    def first(self, names: tuple[str, ...]) -> str:
        """Return the first of some that is there, or nothing."""
        return next((self.named[name] for name in names if self.named.get(name)), "")


def containers_plugin(parser: MarkdownIt) -> None:
    """Let a parser read the containers of MkDocs, MyST, Docusaurus, VitePress, GitBook and Hugo."""
    parser.block.ruler.before(
        "fence",
        "container",
        _read_container,
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )


def _read_container(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    start = state.bMarks[first] + state.tShift[first]
    if state.is_code_block(first) or state.src[start : start + 1] not in _FIRST:
        return False
    for dialect in (_indented, _paired, _fenced, _tag, _headed, _commented):
        found = dialect(state, first, end)
        if found is not None:
            break
    else:
        return False
    if not silent:
        write(state, found)
        state.line = found.after
    return True


def _indented(state: StateBlock, first: int, end: int) -> Container | None:
    """A note or a tab of MkDocs, whose body is indented."""
    opened = _INDENTED.match(line_at(state, first))
    if opened is None:
        return None
    deeper, last = state.sCount[first] + 2, first + 1
    for number in range(first + 1, end):
        if not state.isEmpty(number):
            if state.sCount[number] < deeper:
                break
            last = number + 1
    if last == first + 1 and opened["title"] is None:
        return None
    kind, title = opened["kind"] or "tab", opened["title"]
    return Container(kind, label(kind) if title is None else title, range(first + 1, last), last)


def _fenced(state: StateBlock, first: int, end: int) -> Container | None:
    """A container or a directive between colons, slashes or the marks of a fence."""
    opened = _FENCED.match(line_at(state, first))
    if opened is None:
        return None
    fence, kind, rest = opened["fence"], opened["kind"].lower(), opened["rest"]
    is_code = fence[0] in "`~"
    is_directive = bool(opened["brace"]) and not opened["class"] and rest.startswith("}")
    if is_code and not (is_directive and _is_directive(kind)):
        return None
    mark = re.escape(fence[0])
    closes = re.compile(f"{mark}{{{len(fence)},}}")
    again = None if is_code else re.compile(f"{mark}{{{len(fence)}}}(?!{mark})[ \t]*\\S")
    last = _closing(state, range(first + 1, end), closes, again)
    if last is None and fence[0] == "/":
        return None
    last, after = (_end(state, first, end),) * 2 if last is None else (last, last + 1)
    title, inside = _title(rest.removeprefix("}") if opened["brace"] else rest), first + 1
    if inside < last and line_at(state, inside) == "---":
        rules = (n for n in range(inside + 1, last) if line_at(state, n) == "---")
        inside = next(rules, inside - 1) + 1
    while inside < last and _is_option(state, inside, state.sCount[first], fence):
        inside += 1
    sort = kind if is_directive and kind not in KNOWN else ""
    if sort:
        return Container(kind, title, range(first + 1, last), after, directive=sort)
    options = (_CAPTION.match(line_at(state, number)) for number in range(first + 1, inside))
    caption = next((option[2] for option in options if option), "")
    return Container(kind, title or label(kind), range(inside, last), after, caption)


def _paired(state: StateBlock, first: int, end: int) -> Container | None:
    """A zone, a column or a picture of DocFX, which ends with `:::kind-end` or as it begins."""
    opened = _PAIRED.match(line_at(state, first))
    if opened is None:
        return None
    kind, tags, inside = opened["kind"], Attributes.of(opened["rest"]), first + 1
    closes = re.compile(f":{{3}}[ \t]*{kind}-end[ \t]*:*")
    again = re.compile(f":{{3}}[ \t]*{kind}\\b(?!-end)")
    last = _closing(state, range(inside, end), closes, again)
    if last is None and not opened["alone"]:
        return None
    body, after = (
        range(inside, inside if last is None else last),
        inside if last is None else last + 1,
    )
    shown = tags.first(("alt-text", *SHOWN))
    return Container(kind, tags.first(("pivot", "range")), body, after, shown, is_tag=True)


def _headed(state: StateBlock, first: int, end: int) -> Container | None:
    """A tab of DocFX, which lasts to the next one or to a rule."""
    opened = _TAB.fullmatch(line_at(state, first))
    if opened is None:
        return None
    last = _closing(state, range(first + 1, end), re.compile(f"{_TAB.pattern}|-{{3,}}"), None)
    last = _end(state, first, end) if last is None else last
    after = last + (last < end and line_at(state, last).startswith("-"))
    return Container("tab", opened["title"], range(first + 1, last), after)


def _commented(state: StateBlock, first: int, end: int) -> Container | None:
    """A comment of Obsidian of several lines."""
    line = line_at(state, first)
    if not line.startswith("%%") or "%%" in line[2:]:
        return None
    last = _closing(state, range(first + 1, end), re.compile(r".*%%"), None)
    return None if last is None else Container("comment", "", range(first, last), last + 1)


def _is_directive(kind: str) -> bool:
    """Tell a directive in a fence from the language of a cell that is to be run."""
    if kind in KNOWN or ":" in kind:
        return True
    try:
        find_lexer_class_by_name(kind)
    except ClassNotFound:
        return True
    return False


def _tag(state: StateBlock, first: int, end: int) -> Container | None:
    """A component of MDX, a tag of GitBook, Jekyll or Kramdown, a shortcode of Hugo."""
    start, limit = state.bMarks[first] + state.tShift[first], state.eMarks[end - 1]
    for dialect in (COMPONENT, _LIQUID, _SHORTCODE, _KRAMDOWN):
        if opened := dialect.match(state.src, start, limit):
            break
    else:
        return None
    if VARIABLE.fullmatch(opened[0]):
        return None
    name, tags = opened["kind"], Attributes.of(opened["rest"])
    inside = first + opened[0].count("\n") + 1
    rest = state.src[opened.end() : state.eMarks[inside - 1]].strip()
    closes, again = _ends(dialect, name)
    is_alone = dialect is not _LIQUID and bool(opened["alone"])
    text, body, after = "", range(inside, inside), inside
    if rest:
        is_whole = is_alone or CONDITION.fullmatch(opened[0])
        closed = None if is_whole else re.search(f"(?:{closes.pattern})$", rest)
        if closed is None:
            return None
        text = rest[: closed.start()].strip()
    elif not is_alone:
        last = _closing(state, range(inside, end), closes, again)
        if last is not None:
            body, after = range(inside, last), last + 1
        else:
            is_alone = True
    kind = name.rpartition(".")[2].lower()
    if kind in {"include", "include_relative"} and tags.bare:
        kind = tags.bare[0].rpartition("/")[2].partition(".")[0].lower()
    if is_alone:
        text = tags.first(SHOWN)
        if kind not in NOTES:
            return Container("div", "", body, after, text, is_tag=True)
        return Container(kind, label(kind), body, after, text, is_tag=True)
    title = tags.first(_TITLES)
    if kind in _FIELDS or {"name", "default"} <= tags.named.keys():
        facts = [tags.first(("type",)), *(f"default {d}" for d in [tags.first(("default",))] if d)]
        facts += [word for word in ("required", "deprecated") if word in {*tags.bare, *tags.named}]
        told = ", ".join(filter(None, facts))
        name = title or tags.first(("path", "query", "body", "header"))
        title = f"{name} ({told})" if told else name
    bare = [word for word in tags.bare if not word.startswith("markdown")]
    if kind in SORTED:
        sort = tags.first(_KINDS) or (bare.pop(0) if bare else kind)
        title = title or " ".join(bare) or label(sort)
    elif kind in NOTES | ON_DEMAND:
        title = title or " ".join(bare[:1] if kind in ON_DEMAND else bare) or label(kind)
    return Container(kind, title, body, after, text, is_tag=True)


def _ends(dialect: re.Pattern[str], name: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what closes a named element, and what opens one more of its name."""
    name = re.escape(name)
    if dialect is COMPONENT:
        return re.compile(f"</{name}>"), re.compile(f"<{name}\\b[^>]*(?<!/)>$")
    if dialect is _LIQUID:
        return re.compile(rf"\{{%-?\s*end{name}\s*-?%\}}"), re.compile(rf"\{{%-?\s*{name}\b")
    if dialect is _KRAMDOWN:
        return re.compile(rf"\{{:/(?:{name})?\}}"), re.compile(rf"\{{::{name}\b[^/]*\}}$")
    closes = re.compile(rf"\{{\{{[<%]\s*/\s*{name}\s*[>%]\}}\}}")
    return closes, re.compile(rf"\{{\{{[<%]\s*{name}\b(?:(?!/\s*[>%]\}}).)*$")


def _closing(
    state: StateBlock, lines: range, closes: re.Pattern[str], again: re.Pattern[str] | None
) -> int | None:
    """Return the line that closes a container; those inside it and code are passed over."""
    depth = 1
    for number, line in outside_code(state, lines, closes):
        if closes.fullmatch(line):
            depth -= 1
            if not depth:
                return number
        elif again is not None and again.match(line):
            depth += 1
    return None


def _end(state: StateBlock, first: int, end: int) -> int:
    """Return the line at which what was never closed ends: that of the list that it stands in."""
    outside = (n for n in range(first + 1, end) if state.sCount[n] < state.blkIndent)
    return next((n for n in outside if not state.isEmpty(n)), end)


def _is_option(state: StateBlock, number: int, indented: int, fence: str) -> bool:
    if fence[0] == "/":
        return state.sCount[number] >= indented + 4 and bool(_OPTION.match(line_at(state, number)))
    return line_at(state, number).startswith(":") and bool(_OPTION.match(line_at(state, number)))


def _title(rest: str) -> str:
    """Return the title behind the kind of a container: bare, in brackets, behind a bar, named."""
    rest = rest.strip()
    if rest.startswith("["):
        return rest[1:].rpartition("]")[0]
    if named := re.search(r"""\b(?:title|label)=(["'])(.*?)\1""", rest):
        return named[2]
    return re.sub(r"\s*\{[^{}]*\}$|^[^{]*\}$", "", rest).lstrip("| ").strip()
