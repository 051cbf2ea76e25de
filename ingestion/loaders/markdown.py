"""Markdown files become documents, by way of the HTML that they stand for."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingestion.decoding import decode
from ingestion.flowing import flowing_document
from ingestion.loaders.html import fragment_blocks
from ingestion.page import Document
from ingestion.sphinx_markup import LISTINGS, SILENT, VERSIONS

_DEEPEST = 80
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[ \t]*\n(.*?\n)?\1[ \t]*(\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*(?P<title>.+?)\s*$", re.MULTILINE)
_OWN_ANCHOR = re.compile(r"\s*\{:?\s*#([\w.:-]+)[^}]*\}\s*$")
_ALERT = re.compile(r"^(\s*>\s*)\[!(\w+)\][ \t]*\n\s*>[ \t]*", re.MULTILINE)
_ADMONITION = re.compile(
    r'^(?:!!!|\?\?\?\+?)[ \t]+(?P<kind>\w+)[^"\n]*(?:"(?P<title>[^"\n]*)")?[ \t]*\n'
    r"(?P<body>(?:(?: {4}|\t).*(?:\n|\Z)|[ \t]*\n(?= {4}|\t))+)",
    re.MULTILINE,
)
_CONTAINER = re.compile(
    r"^(?P<fence>:{3,})[ \t]*\{?(?P<kind>[a-z]\w*)\}?[ \t]*\[?(?P<title>[^\n\]]*)\]?[ \t]*\n"
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
    blocks = fragment_blocks(_html(_plain_notes(body)))
    title = titled["title"].strip("\"'") if titled else ""
    return flowing_document(data, file, title, blocks)


def _plain_notes(text: str) -> str:
    """Write the notes of GitHub, MkDocs, Docusaurus and MyST as text that begins with its label."""

    def note(match: re.Match[str]) -> str:
        body = re.sub(r"^(?: {4}|\t)", "", match["body"], flags=re.MULTILINE)
        return f"\n{match['title'] or match['kind'].capitalize()}: {body}\n"

    text = _ALERT.sub(lambda match: f"{match[1]}{match[2].capitalize()}: ", text)
    text = _CONTAINER.sub(note, _ADMONITION.sub(note, text))
    return _MYST_TARGET.sub("", _MYST_ROLE.sub(r"`\1`", text))


def _html(text: str) -> str:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    environment: dict[str, object] = {}
    tokens = parser.parse(text, environment)
    _set_anchors(tokens)
    for token in tokens:
        directive = _MYST_DIRECTIVE.match(token.info) if token.type == "fence" else None
        if directive:
            _read_directive(token, directive["name"], directive["argument"].strip())
    return str(parser.renderer.render(tokens, parser.options, environment))


def _read_directive(token: Token, name: str, argument: str) -> None:
    """Turn a fence that MyST takes for a directive into what a reader sees of it."""
    body = _MYST_OPTIONS.sub("", token.content)
    if name in LISTINGS | {"code"}:
        token.info, token.content = argument, body
        return
    label = name.capitalize()
    if name in VERSIONS:
        label = VERSIONS[name].format(argument)
    elif argument:
        label = argument
    token.type = "html_block"
    token.content = "" if name in SILENT else _html(f"{label}: {body}")


def _set_anchors(tokens: Sequence[Token]) -> None:
    taken: Counter[str] = Counter()
    for opening, inline in pairwise(tokens):
        if opening.type != "heading_open":
            continue
        words = inline.children or []
        own = _OWN_ANCHOR.search(words[-1].content) if words else None
        if own:
            words[-1].content = words[-1].content[: own.start()]
            opening.attrSet("id", own[1])
            continue
        slug = _slug("".join(word.content for word in words))
        opening.attrSet("id", f"{slug}-{taken[slug]}" if taken[slug] else slug)
        taken[slug] += 1


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")
