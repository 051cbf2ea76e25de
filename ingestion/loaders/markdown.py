"""Markdown files become documents, by way of the HTML that they stand for."""

import re
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from types import MappingProxyType

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from ingestion.decoding import decode
from ingestion.loaders.html import fragment_blocks, fragment_document
from ingestion.loaders.markdown_conditions import conditions_plugin
from ingestion.loaders.markdown_containers import containers_plugin
from ingestion.loaders.markdown_marks import ATTRIBUTES, marks_plugin
from ingestion.loaders.markdown_pandoc import TITLE_BLOCK, pandoc_plugin
from ingestion.loaders.text import LISTINGS
from ingestion.messages import message, message_noop
from ingestion.names import (
    FRONT_MATTER,
    MOST_LETTERS,
    SUBSTITUTION,
    Names,
    Values,
    filled,
    names_of,
    settings_of,
    shown_shortcodes,
)
from ingestion.page import Block, Document, UnreadableFile

_DEEPEST = 80
_CUT = message_noop(
    "its variables stand for more than {letters:,} letters; the rest of them is left as written"
)
_OF_HEADING = re.compile(rf"\s*{ATTRIBUTES}\s*$")
_OWN_ANCHOR = re.compile(r"\{:?\s*#([\w.:-]+)")
_ALERT = re.compile(r"\[!(?P<kind>\w+)\][+-]?[ \t]*(?P<title>[^\n]*)(?:\n|\Z)")
_CODE_TITLE = re.compile(
    r"""\b(?:title|filename|file|caption|label)=["']([^"']+)["']|\s\[([^\]\n]+)\]\s*$"""
)
_LISTING = re.compile(rf"\{{(?:{'|'.join(sorted(LISTINGS))})\}}")
_COMMENT = r"(?://|#|--|%|;|/\*|<!--|\{/\*)[ ]?"
_SHOWING = re.compile(
    rf"^[ \t]*{_COMMENT}highlight-(?:next-line|start|end)(?:[ ]?(?:\*/\}}?|-->))?[ \t]*\n?"
    rf"|(?<![ \t])[ \t]*{_COMMENT}\[!code [^\]\n]{{1,40}}\](?:[ ]?(?:\*/\}}?|-->))?[ \t]*$",
    re.MULTILINE,
)
"""Comments of Docusaurus, VitePress and Shiki that say how a line is shown."""
_ANNOTATION = re.compile(
    rf"(?<![ \t])[ \t]*{_COMMENT}\(\d{{1,2}}\)!?(?:[ ]?(?:\*/|-->))?[ \t]*$", re.MULTILINE
)
"""A mark of Material for MkDocs, which the list below the listing explains."""
_OPTIONS = re.compile(r"\A(:[\w-]+:[^\n]*\n|---\n.*?\n---\n)+", re.DOTALL)


def load(data: bytes, file: str) -> Document:
    """Read a Markdown file (CommonMark with tables) into pages cut along its headings.

    Anchors are those that GitHub gives to headings. Front matter is left out, its title kept.
    Notes, tabs and marks of the usual generators of sites are read as they are shown, and code
    letter for letter. Raises UnreadableFile where there is no text.
    """
    text = decode(data)
    settings = {}
    if front := FRONT_MATTER.match(text):
        settings = settings_of(front[2] or "", "toml" if front[1] == "+++" else "yaml")
    elif front := TITLE_BLOCK.match(text):
        settings = {"title": front["title"]}
    body = text[front.end() :] if front else text
    names, names_in_code = names_of(settings)
    values = Values(names)
    title = str(settings.get("title") or "")
    try:
        markup = markdown_html(body, values, names_in_code)
        remarks = (message(_CUT, letters=MOST_LETTERS),) if values.used_up else ()
        return fragment_document(data, file, title, markup, remarks)
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error


def markdown_blocks(text: str) -> list[Block]:
    """Return the blocks of Markdown. Raises UnreadableFile where it is nested too deeply."""
    try:
        return fragment_blocks(markdown_html(text))
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error


def markdown_html(
    text: str, values: Values | None = None, names_in_code: Names = MappingProxyType({})
) -> str:
    """Return Markdown without front matter as HTML, with values in place of names."""
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    parser.use(footnote_plugin).use(deflist_plugin).use(anchors_plugin, max_level=6)
    parser.use(containers_plugin).use(marks_plugin).use(conditions_plugin).use(pandoc_plugin)
    parser.core.ruler.after("block", "alerts", _read_alerts)
    names = Values({}) if values is None else values
    environment = {"names": names, "constants": Values({}, names)}
    tokens = parser.parse(text, environment)
    _set_anchors(tokens)
    for token, following in pairwise(tokens):
        if token.type == "fence" and following.type == "ordered_list_open":
            token.content = _ANNOTATION.sub("", token.content)
    for token in tokens:
        _fill(token, names, Values(names_in_code, names))
        if token.type == "fence":
            _read_fence(token)
    return str(parser.renderer.render(tokens, parser.options, environment))


def _read_alerts(state: StateCore) -> None:
    """Make notes of quotations that begin as GitHub's and Obsidian's notes do."""
    tokens: list[Token] = []
    for token in state.tokens:
        inside = [before.type for before in tokens[-2:]] == ["blockquote_open", "paragraph_open"]
        if token.type == "inline" and inside and (alert := _ALERT.match(token.content)):
            token.content = token.content[alert.end() :]
            tokens[-2].attrs = {"class": "admonition"}
            title = Token("inline", "", 0, children=[])
            title.content = alert["title"].strip() or alert["kind"].capitalize()
            opened = Token("paragraph_open", "p", 1, attrs={"class": "admonition-title"})
            tokens[-1:-1] = [opened, title, Token("paragraph_close", "p", -1)]
        tokens.append(token)
    state.tokens = tokens


def _fill(token: Token, names: Names, names_in_code: Names) -> None:
    """Put values in place of what the tool that makes the site fills in wherever it stands."""
    if token.type in {"fence", "code_block", "code_inline", "html_block"}:
        token.content = shown_shortcodes(filled(token.content, names_in_code, names))
    elif token.type == "text":
        token.content = SUBSTITUTION.sub(
            lambda found: names.get(f"substitutions.{found[1]}", found[0]), token.content
        )
    for child in token.children or ():
        _fill(child, names, names_in_code)


def _read_fence(token: Token) -> None:
    """Take from a listing what only says how it is shown; its title stands above it."""
    token.content = _SHOWING.sub("", token.content)
    if _LISTING.match(token.info):
        token.content = _OPTIONS.sub("", token.content)
    elif title := _CODE_TITLE.search(token.info):
        code = f"<pre><code>{escape(token.content)}</code></pre>"
        token.type, token.content = "html_block", f"<p>{escape(title[1] or title[2])}</p>{code}"


def _set_anchors(tokens: Sequence[Token]) -> None:
    """Let a heading's own anchor take the place of the one that GitHub would give it."""
    for opening, inline in pairwise(tokens):
        words = inline.children or []
        own = _OF_HEADING.search(words[-1].content) if words else None
        if own and opening.type == "heading_open":
            words[-1].content = words[-1].content[: own.start()]
            if anchor := _OWN_ANCHOR.search(own[0]):
                opening.attrSet("id", anchor[1])
