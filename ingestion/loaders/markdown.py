"""Markdown files become documents, by way of the HTML that they stand for."""

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.loaders.html import fragment_blocks
from ingestion.loaders.text import LISTINGS, SILENT, TITLED, UNSEEN, VERSIONS
from ingestion.page import Block, Document, UnreadableFile

_DEEPEST = 80
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?\1[ \t]*(\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*(?P<title>.+?)\s*$", re.MULTILINE)
_OWN_ANCHOR = re.compile(r"\s*\{:?\s*#([\w.:-]+)[^}]*\}\s*$")
_ALERT = re.compile(r"^(\s*>\s*)\[!(\w+)\][ \t]*\n\s*>[ \t]*", re.MULTILINE)
_INDENTED = re.compile(
    r'^(?:(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>\w+)[^"\n]*|===[!+]*[ \t]+(?="))'
    r'(?:"(?P<title>[^"\n]*)")?[ \t]*\n'
    r"(?P<body>(?:(?: {4}|\t).*(?:\n|\Z)|[ \t]*\n(?= {4}|\t|[ \t]*\n {4}))+)",
    re.MULTILINE,
)
_TAB_ITEM = re.compile(r"^[ \t]*(?:<TabItem\b(?P<named>[^>]*)>|</TabItem>)[ \t]*$", re.MULTILINE)
_TAB_TITLE = re.compile(r"""\b(?:label|value)=["']([^"'\n]*)["']""")
_COMPONENT = re.compile(r"^import \w+ from '@\w+/[^'\n]*';?[ \t]*$", re.MULTILINE)
_CODE_TITLE = re.compile(r"""\btitle=["']([^"']+)["']""")
_CONTAINER = re.compile(
    r"^(?P<fence>:{3,})[ \t]*\{?(?P<kind>[a-z][\w-]*)\}?[ \t]*\[?(?P<title>[^\n\]]*)\]?[ \t]*\n"
    r"(?P<body>.*?)^(?P=fence)[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
_MYST_ROLE = re.compile(r"\{[a-z][\w:+-]*\}`([^`<]*?)\s*(?:<[^`>]*>)?`")
_MYST_TARGET = re.compile(r"^\([\w.:-]+\)=[ \t]*$", re.MULTILINE)
_MYST_DIRECTIVE = re.compile(r"^\{(?P<name>[\w:-]+)\}[ \t]*(?P<argument>.*)$")
_MYST_OPTIONS = re.compile(r"\A(:[\w-]+:[^\n]*\n|---\n.*?\n---\n)+", re.DOTALL)


def load(data: bytes, file: str) -> Document:
    """Read a Markdown file (CommonMark with tables) into pages cut along its headings.

    Anchors are those that GitHub gives to headings. Front matter is left out, its title kept.
    Raises UnreadableFile where there is no text.
    """
    text = decode(data)
    front = _FRONT_MATTER.match(text)
    titled = _FRONT_TITLE.search(front[2] or "") if front else None
    body = text[front.end() :] if front else text
    blocks = markdown_blocks(body)
    title = titled["title"].strip("\"'") if titled else ""
    return flowing_document(data, file, title, blocks)


def markdown_blocks(text: str) -> list[Block]:
    """Read Markdown without front matter, which stands in other formats too."""
    try:
        return fragment_blocks(markdown_html(text))
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error


def markdown_html(text: str) -> str:
    """Return Markdown without front matter as HTML."""
    return _html(_plain_notes(text))


def _plain_notes(text: str) -> str:
    """Write tabs and notes of GitHub, MkDocs, Docusaurus and MyST as text under their labels."""

    def noted(match: re.Match[str]) -> str:
        body = match["body"]
        if match.re is _INDENTED:
            body = re.sub(r"^(?: {4}|\t)", "", body, flags=re.MULTILINE)
        return _as_read(match["kind"] or "tab", (match["title"] or "").strip(), _plain_notes(body))

    def tab_item(match: re.Match[str]) -> str:
        # The label stands before or behind the value, which serves where there is none.
        titles = sorted(_TAB_TITLE.finditer(match["named"] or ""), key=lambda title: title[0])
        return _opened(titles[0][1]) if titles else _CLOSED

    text = _ALERT.sub(lambda match: f"{match[1]}{match[2].capitalize()}: ", text)
    text = _CONTAINER.sub(noted, _INDENTED.sub(noted, text))
    text = _TAB_ITEM.sub(tab_item, _COMPONENT.sub("", text))
    return _MYST_TARGET.sub("", _MYST_ROLE.sub(r"`\1`", text))


_CLOSED = "\n</section>\n"


def _opened(title: str) -> str:
    return f'\n<section><p class="rubric">{escape(title)}</p>\n\n'


def _as_read(kind: str, title: str, body: str) -> str:
    """What a reader sees of a directive, in Markdown."""
    if kind in SILENT:
        return ""
    if kind in TITLED:
        return f"{_opened(title)}{body}\n{_CLOSED}"
    if kind in UNSEEN:
        return f"\n{body}\n"
    label = VERSIONS[kind].format(title) if kind in VERSIONS else title or kind.capitalize()
    return f"\n{label}: {body}\n"


def _html(text: str) -> str:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin).use(anchors_plugin, max_level=6)
    environment: dict[str, object] = {}
    tokens = parser.parse(text, environment)
    _set_anchors(tokens)
    for token in tokens:
        if token.type == "fence":
            _read_fence(token)
    return str(parser.renderer.render(tokens, parser.options, environment))


def _read_fence(token: Token) -> None:
    """Turn a fence that MyST takes for a directive into what a reader sees of it."""
    directive = _MYST_DIRECTIVE.match(token.info)
    if directive is None:
        if title := _CODE_TITLE.search(token.info):
            code = f"<pre><code>{escape(token.content)}</code></pre>"
            token.type, token.content = "html_block", f"<p>{escape(title[1])}</p>{code}"
        return
    name, argument = directive["name"], directive["argument"].strip()
    body = _MYST_OPTIONS.sub("", token.content)
    if name in LISTINGS | {"code"}:
        token.info, token.content = argument, body
        return
    token.type, token.content = "html_block", _html(_as_read(name, argument, _plain_notes(body)))


def _set_anchors(tokens: Sequence[Token]) -> None:
    """Let a heading's own anchor take the place of the one that GitHub would give it."""
    for opening, inline in pairwise(tokens):
        words = inline.children or []
        own = _OWN_ANCHOR.search(words[-1].content) if words else None
        if own and opening.type == "heading_open":
            words[-1].content = words[-1].content[: own.start()]
            opening.attrSet("id", own[1])
