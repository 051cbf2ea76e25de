"""Marks inside the text of Markdown's dialects: roles, changes, keys, icons, variables, tags."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.amsmath import amsmath_plugin
from mdit_py_plugins.dollarmath.index import math_block_dollar
from rich.emoji import Emoji

from ingestion.html_shown import icon_of_code, icon_of_role, strikes
from ingestion.loaders.markdown_containers import COMPONENT, SHOWN, Attributes
from ingestion.loaders.markdown_writing import line_at
from ingestion.names import SHOWN_SHORTCODE, VARIABLE, Values, shown_shortcodes, value_of

_ATTRIBUTE = r"(?:[.#][\w:.#-]+|[\w:-]+=(?:\"[^\"{}\n]*\"|'[^'{}\n]*'|[^\s\"'{}]+))"
ATTRIBUTES = rf"(?:\{{:?[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*[ ]*\}}|\{{:[^{{}}\n]*\}})"
"""What styles or names the element that it stands behind."""
_UNSEEN = re.compile(
    rf"\([\w.:-]+\)=|\[{{1,2}}_?(?i:toc)_?\]{{1,2}}|\+\+\+|\*\[[^\]]+\]:.*|{ATTRIBUTES}"
    r"|</[A-Z][\w.]*>|\{%-?\s*end[\w-]+\s*-?%\}|\{\{[<%]\s*/\s*[\w./-]+\s*[>%]\}\}|:{3,}"
)
"""Lines that name or style what stands beside them, and what closes nothing that was opened."""
_BEGIN_UNSEEN = frozenset("([+*{<:ie")
_ESM = re.compile(
    r"import\s+(?:[\w*{][\w\s,*{}$]*\s+from\s+)?[\"'][^\"'\n]+[\"']\s*;?\s*$"
    r"|import\s+\{\s*$|export\s+(?:const|let|var|default|function|async)\b"
)
_QUOTES = ("'", '"')
_CONSTANT = re.compile(
    r"^export\s+const\s+(?P<name>\w+)\s*=\s*(?:(?P<number>-?\d[\d.]*)"
    r"|(?P<quote>[\"'`])(?P<text>(?:(?!(?P=quote)|\$\{)[^\n\\])*)(?P=quote))[ \t]*;?[ \t]*$",
    re.MULTILINE,
)
_ICON_TITLE = re.compile(r"""\b(?:title|aria-label)=["']([^"'{}]*)["']""")
_TITLED = re.compile(r"(.+?)\s*<[^<>]*>$", re.DOTALL)
_FORMULA = math_block_dollar(allow_labels=True, allow_blank_lines=False)
Part = tuple[str, str]
"""What stands in place of a mark: a kind of token and its content; "inner" is parsed further,
and "value" too, in itself."""
Environment = Mapping[str, Values]


def marks_plugin(parser: MarkdownIt) -> None:
    """Let a parser read the marks of MyST, pymdownx, MDX, Liquid, Hugo and Kramdown in text.

    Variables in double braces are looked up in "names" of its environment, in single braces in
    "constants", where those are put that MDX exports; one that is not there stays as it is.
    """
    parser.block.ruler.before("fence", "substitution", _put_in, {"alt": ["paragraph"]})
    parser.block.ruler.before("fence", "unseen", _pass_over, {"alt": ["paragraph"]})
    parser.inline.ruler.before("escape", "dialects", _read_mark)
    parser.block.ruler.before("fence", "math_block", _read_formula, {"alt": ["paragraph"]})
    for kind in ("math_block", "math_block_label"):
        parser.add_render_rule(kind, _shown_formula)
    parser.use(amsmath_plugin)


def _pass_over(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Pass over what is none of the text: labels, styles, the modules of MDX."""
    line = line_at(state, first)
    if state.is_code_block(first) or line[:1] not in _BEGIN_UNSEEN:
        return False
    if _UNSEEN.fullmatch(line):
        state.line += not silent
        return True
    if silent or not _ESM.match(line):
        return False
    last = first
    while last < end and not state.isEmpty(last):
        last += 1
        if line.startswith("import") and line_at(state, last - 1).rstrip("; ").endswith(_QUOTES):
            break
    script = state.getLines(first, last, 0, False)
    state.env["constants"].update(
        (c["name"], c["text"] or c["number"] or "") for c in _CONSTANT.finditer(script)
    )
    state.line = last
    return True


def _nothing(found: re.Match[str], known: Environment) -> list[Part]:
    return []


def _inner(found: re.Match[str], known: Environment) -> list[Part]:
    return [("inner", found["text"])]


def _power(found: re.Match[str], known: Environment) -> list[Part]:
    return [("html_inline", f"<sup>{escape(found['text'])}</sup>")]


def _role(found: re.Match[str], known: Environment) -> list[Part] | None:
    if strikes(found["role"]):
        return []
    if found["role"] == "sub-ref":
        value = value_of(found["text"].strip(), known["names"])
        return None if value is None else [("value", value)]
    if icon := icon_of_role(found["role"], found["text"]):
        return [("html_inline", f'<i class="{escape(icon)}"></i>')]
    titled = _TITLED.fullmatch(found["text"])
    return [("code_inline", (titled[1] if titled else found["text"]).replace("\n", " "))]


def _keys(found: re.Match[str], known: Environment) -> list[Part]:
    keys = (key.strip("\"'") for key in found["keys"].split("+"))
    return [("text", "+".join(key[:1].upper() + key[1:] for key in keys))]


def _icon(found: re.Match[str], known: Environment) -> list[Part] | None:
    code = found["icon"]
    if titled := _ICON_TITLE.search(found["attributes"] or ""):
        return [("html_inline", f'<i title="{escape(titled[1])}"></i>')]
    if name := icon_of_code(code):
        return [("html_inline", f'<i class="icon-{escape(name)}"></i>')]
    emoji = Emoji.replace(f":{code}:")
    return None if emoji == f":{code}:" else [("text", emoji)]


def _variable(found: re.Match[str], known: Environment) -> list[Part] | None:
    name = found["name"] or found["parameter"]
    value = value_of(name, known["names"])
    return None if value is None else [("value", value)]


def _constant(found: re.Match[str], known: Environment) -> list[Part] | None:
    of_file = re.fullmatch(r"\$?front[mM]atter\.(.+)", found["name"])
    names = known["names" if of_file else "constants"]
    value = names.get(of_file[1] if of_file else found["name"])
    return None if value is None else [("text", value)]


def _literal(found: re.Match[str], known: Environment) -> list[Part]:
    return [("text", found["text"])]


def _shown_shortcode(found: re.Match[str], known: Environment) -> list[Part]:
    return [("text", shown_shortcodes(found[0]))]


def _shortcode(found: re.Match[str], known: Environment) -> list[Part]:
    """Read a shortcode as it shows one of its attributes, such as the text of a term.

    A reference shows where it leads to, as a link without words of its own does.
    """
    given = Attributes.of(found["rest"])
    if given.bare[:1] in (["ref"], ["relref"]):
        return [("text", given.first(("path",)) or " ".join(given.bare[1:2]))]
    return [("text", given.first(SHOWN))]


def _page(found: re.Match[str], known: Environment) -> list[Part]:
    if found["text"]:
        return [("inner", found["text"])]
    return [("text", found["place"].lstrip("#").replace("#", " > "))]


def _span(found: re.Match[str], known: Environment) -> list[Part]:
    """Read a span of Pandoc; Quarto hides it of all readers or of those of a format."""
    attributes = found["attributes"]
    is_hidden = ".content-hidden" in attributes and "=" not in attributes
    return [] if is_hidden else [("inner", found["text"])]


def _component(found: re.Match[str], known: Environment) -> list[Part] | None:
    """Read a component that stands for itself, as it shows one of its attributes."""
    return [("text", Attributes.of(found["rest"]).first(SHOWN))] if found["alone"] else None


_TEX = r"(?:(?!\\[()\[\]])[^\\^_=]){0,300}(?:[\^_=]|\\[A-Za-z])(?:(?!\\[()\[\]]).){0,2000}"
Reader = Callable[[re.Match[str], Environment], list[Part] | None]
_MARKS: dict[str, list[tuple[str, Reader]]] = {
    # Formulas, in which neither a backslash nor a star is a mark.
    "$": [
        (r"(?P<text>\$\$(?:\\.|[^$\\]){1,4000}\$\$)(?!\$)", _literal),
        (
            r"(?<![\w$])(?P<text>\$(?![\s$])(?:\\.|[^$\\\n]){1,1000}(?<!\s)\$)(?![\w$])",
            _literal,
        ),
    ],
    # Of LaTeX; what has none of its signs, or calls what stands before, is an escaped bracket.
    "\\": [
        (rf"(?<!\w)(?P<text>\\\({_TEX}\\\))", _literal),
        (rf"(?<![^\n])(?P<text>\\\[{_TEX}\\\])[ \t]*(?![^\n])", _literal),
    ],
    "{": [
        (r"\{(?P<role>[a-zA-Z][\w:+-]*)\}(?P<ticks>`+)(?P<text>.{1,2000}?)(?P=ticks)(?!`)", _role),
        (r"\{?\{-?\s*/\*.{0,4000}?\*/\s*-?\}\}?|\{--.{0,4000}?--\}|\{>>.{0,4000}?<<\}", _nothing),
        (r"\{::comment\}.{0,4000}?\{:/(?:comment)?\}", _nothing),
        (r"\{::\w+[^{}\n]*\}|\{:/\w*\}", _nothing),
        (r"\{\+\+(?P<text>.{0,4000}?)\+\+\}", _inner),
        (r"\{==(?P<text>.{0,4000}?)==\}", _inner),
        (r"\{~~(?:(?!~~\}).){0,4000}?~>(?P<text>.{0,4000}?)~~\}", _inner),
        (VARIABLE.pattern, _variable),
        (SHOWN_SHORTCODE.pattern, _shown_shortcode),
        (r"\{\{[<%](?P<rest>.{0,1000}?)[>%]\}\}", _shortcode),
        (r"\{%.{0,1000}?%\}", _nothing),
        (r"\{\s*(?P<quote>[\"'`])(?P<text>(?:(?!(?P=quote))[^\\{}\n])*)(?P=quote)\s*\}", _literal),
        (r"\{(?P<name>[A-Za-z_$][\w.$]*)\}", _constant),
        # Attributes of the element before them, or of the whole paragraph.
        (
            rf"(?<=[)`*_]){ATTRIBUTES}|(?<![^\n]){ATTRIBUTES}[ \t]*\Z",
            _nothing,
        ),
    ],
    "+": [
        (r"\+\+(?P<keys>(?:[\w-]+|\"[^\"+\n]+\")(?:\+(?:[\w-]+|\"[^\"+\n]+\"))*)\+\+(?!\w)", _keys)
    ],
    "^": [
        (r"\^\^(?P<text>\S(?:[^\n]{0,200}?\S)?)\^\^", _inner),
        (r"(?<=[\w)])\^(?P<text>[\w+-]+)\^", _power),
        (r"(?<=\s)\^(?=[\d-]*[A-Za-z])[A-Za-z\d-]{2,}\s*\Z", _nothing),
    ],
    "~": [
        (r"(?<=[\w)])~(?P<text>[\w+-]+)~(?!~)", _literal),
        (r"(?<![\w~])~(?![\s~])[^~\n]*[\w)\"'`*.]~(?=[\s.,;:!?)|]|\Z)", _nothing),
    ],
    "<": [(COMPONENT.pattern, _component)],
    # A comment of Obsidian, what it embeds and what it calls a paragraph.
    "%": [(r"(?<![^\s(])%%(?:`[^`]*`|(?!%%)[^`]){0,4000}%%(?!\w)", _nothing)],
    "!": [(r"!\[\[[^\[\]\n]+\]\]", _nothing)],
    "=": [(r"==(?P<text>[^\s=](?:[^\n]{0,200}?\S)?)==(?!=)", _inner)],
    ":": [(rf"(?<![\w:]):(?P<icon>[a-z0-9_+-]+):(?P<attributes>{ATTRIBUTES})?(?![\w:])", _icon)],
    "[": [
        (r"\[\[(?P<place>[^\s\[\]|][^\[\]|\n]*)(?:\|(?P<text>[^\[\]\n]*))?\]\](?![(\[:])", _page),
        (
            r"\[!(?i:include|div|video|code(?:-\w+)?)\b[^\[\]\n]*"
            r"(?:\[[^\[\]\n]*\]\([^()\n]*\))?[^\[\]\n]*\]",
            _nothing,
        ),
        (rf"\[(?P<text>(?:[^\[\]`]|`[^`]*`|\[[^\[\]]*\])*)\](?P<attributes>{ATTRIBUTES})", _span),
        # A link whose address a tag makes has blanks in it, which Markdown does not know.
        (
            r"\[(?P<text>(?:[^\[\]`]|`[^`]*`)*)\]"
            r"\([^()\n]{0,300}?(?:\{\{.{0,300}?\}\}|\{%.{0,300}?%\})[^()\n]{0,300}\)",
            _inner,
        ),
    ],
}
_COMPILED = {
    first: [(re.compile(pattern, re.DOTALL), read) for pattern, read in marks]
    for first, marks in _MARKS.items()
}


def _read_formula(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if silent:
        return line_at(state, first).startswith("$$")
    return _FORMULA(state, first, end, False)


def _shown_formula(
    renderer: RendererHTML, tokens: Sequence[Token], at: int, options: OptionsDict, env: EnvType
) -> str:
    return f"<p>$${escape(tokens[at].content)}$$</p>"


def _push_value(state: StateInline, value: str) -> None:
    """Put in what stands for a name, which is Markdown as well and may use other names."""
    if state.pending:
        state.pushPending()
    inner = {**state.env, "names": _names_within(state.env, value)}
    state.md.inline.parse(value, state.md, inner, state.tokens)


def _names_within(env: EnvType, value: str) -> Values:
    """Return the names that a value may use; none deeper within, since they may go in circles."""
    names: Values = env["names"]
    within = {name: of for name, of in names.items() if "{" not in of} if "{" in value else {}
    return Values(within, names)


def _put_in(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Put in the blocks that stand for a name alone on its line."""
    found = VARIABLE.fullmatch(line_at(state, first)) if not state.is_code_block(first) else None
    value = value_of(found["name"] or found["parameter"], state.env["names"]) if found else None
    if value is None or "\n" not in value.strip():
        return False
    if not silent:
        inner = {**state.env, "names": _names_within(state.env, value)}
        state.md.block.parse(value, state.md, inner, state.tokens)
        state.line = first + 1
    return True


def _read_mark(state: StateInline, silent: bool) -> bool:
    known: Environment = state.env
    for pattern, read in _COMPILED.get(state.src[state.pos], ()):
        found = pattern.match(state.src, state.pos, state.posMax)
        parts = read(found, known) if found else None
        if found is None or parts is None:
            continue
        for kind, content in () if silent else parts:
            if kind == "value":
                _push_value(state, content)
                continue
            if kind != "inner":
                state.push(kind, "code" if kind == "code_inline" else "", 0).content = content
                continue
            longest = state.posMax
            state.pos, state.posMax = found.span("text")
            state.md.inline.tokenize(state)
            state.posMax = longest
        state.pos = found.end()
        return True
    return False
