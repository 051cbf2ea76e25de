"""Markdown becomes HTML: the body of any document, or a whole page of the web reference."""

from __future__ import annotations

import re
from html import escape
from itertools import pairwise

from facts import Edition
from markdown_it import MarkdownIt


def title_of(markdown: str) -> str:
    """The heading on the first line."""
    return markdown.partition("\n")[0].removeprefix("# ")


def to_html(markdown: str, numbered: bool = False) -> str:
    """Render Markdown; every heading gets an id and, where wanted, its number ("2.1")."""
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = parser.parse(markdown)
    counts: list[int] = []
    for heading, inline in pairwise(tokens):
        if heading.type != "heading_open":
            continue
        heading.attrSet("id", re.sub(r"\W+", "-", inline.content.lower()).strip("-"))
        if numbered and inline.children:
            level = int(heading.tag[1])
            counts = [*counts, *[0] * level][:level]
            counts[-1] += 1
            number = ".".join(map(str, counts))
            inline.children[0].content = f"{number} {inline.children[0].content}"
    return str(parser.renderer.render(tokens, parser.options, {}))


def web_page(name: str, text: str, titles: dict[str, str], edition: Edition, layout: str) -> str:
    """Put one page of the web reference into its layout.

    `name` is its path without ending; `titles` maps these names to titles, in the order of the
    navigation bar.
    """
    up = "../" * name.count("/")

    def link(page: str, attributes: str, words: str) -> str:
        return f'<a href="{up}{page}.html" {attributes}>{escape(words)}</a>'

    pages = list(titles)
    position = pages.index(name)
    current = {name: 'aria-current="page"'}
    menu = [
        f"<li>{link(page, current.get(page, ''), title)}</li>" for page, title in titles.items()
    ]
    steps = [link(page, 'rel="prev"', "Previous") for page in pages[:position][-1:]]
    steps += [link(page, 'rel="next"', "Next") for page in pages[position + 1 :][:1]]
    trail = [titles["configuration/index"]] if name.startswith("configuration/") else []
    trail = list(dict.fromkeys([*trail, titles[name]]))
    return edition.fill(
        layout,
        title=escape(titles[name]),
        menu="\n".join(menu),
        breadcrumbs=" › ".join(map(escape, trail)),
        steps=" · ".join(steps),
        up=up,
        content=to_html(text),
    )
