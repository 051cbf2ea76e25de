"""Markdown files become documents, by way of the HTML that they stand for."""

from __future__ import annotations

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
    """Write the notes of GitHub and MkDocs as paragraphs that begin with their label."""

    def note(match: re.Match[str]) -> str:
        body = re.sub(r"^(?: {4}|\t)", "", match["body"], flags=re.MULTILINE)
        return f"\n{match['title'] or match['kind'].capitalize()}: {body}\n"

    alerts = _ALERT.sub(lambda match: f"{match[1]}{match[2].capitalize()}: ", text)
    return _ADMONITION.sub(note, alerts)


def _html(text: str) -> str:
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
    environment: dict[str, object] = {}
    tokens = parser.parse(text, environment)
    _set_anchors(tokens)
    return str(parser.renderer.render(tokens, parser.options, environment))


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
