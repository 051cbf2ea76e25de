"""Text in code comes out of every format as it went in, whatever marks of a dialect it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape
from textwrap import indent

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingestion.loaders import load
from ingestion.page import BlockKind, collapse
from tests.ingestion.office_files import paragraph, word

MARKS = [
    *("import x from 'y';", "export const a = 1", "<Tabs>", '<TabItem value="go">', "</TabItem>"),
    *("{id}", "${user}", "{/* c */}", "{'a'}", "(label)=", "{ref}`x`", "```{note}", "~~~", "+++"),
    *('!!! note "T"', '=== "Tab"', "??? tip", "--8<-- 'x'", "++ctrl+c++", "{--a--}", "{~~a~>b~~}"),
    *(
        "~~a~~",
        "==a==",
        "^^a^^",
        "H~2~O",
        "{% if x %}",
        "{% raw %}",
        "{{ version }}",
        "{{< tab >}}",
    ),
    *("{{% note %}}", ":::tip", ":::", ":::{note}", "/// note", "///", ":x:", ":material-check:"),
    *("> [!NOTE]", "[TOC]", "{: .x }", "{#id}", "|release|", "|x|", ".. note::", "::", "**a**"),
    *(
        "`a`",
        "``",
        "&lt;",
        "&",
        "<del>a</del>",
        "<b hidden>",
        "<!-- a -->",
        "\\",
        "*",
        "_a_",
        "$a$",
    ),
    *("print", "Edit this page", "© 2024", "[x](y)", "![x](y.png)", "<a@b.c>", "[^1]", "* [ ] a"),
    *("#", "# a", "---", "1. a", "中\n文", "é", "\t", "a  b", '"', "'"),
]
WORDS = st.one_of(
    st.sampled_from(MARKS),
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), max_size=8),
)
LINES = st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=4)
TEXTS = LINES.map("\n".join).filter(str.strip)


def _fence(text: str) -> str:
    return f"~~~~~~~~ text\n{text}\n~~~~~~~~\n"


def _page(markup: str) -> str:
    return f"<html><body><main><p>Before it.</p>{markup}<p>After.</p></main></body></html>"


def _notebook(text: str) -> str:
    cell = {"cell_type": "code", "metadata": {}, "source": text, "outputs": []}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]})


def _docbook(markup: str) -> str:
    book = '<article xmlns="http://docbook.org/ns/docbook" version="5.0"><title>T</title>'
    return f"{book}<para>Before it.</para>{markup}</article>"


def _dita(markup: str) -> str:
    return f'<topic id="t"><title>T</title><body><p>Before it.</p>{markup}</body></topic>'


def _in_steps(text: str) -> str:
    return f"1. Step\n\n{indent(_fence(text), '   ')}\n2. Next\n"


def _in_note(text: str) -> str:
    return f"!!! note\n\n{indent(_fence(text), '    ')}\n"


def _word_table(text: str) -> bytes:
    cells = "".join(
        f"<w:tc>{''.join(paragraph(line, style) for line in lines)}</w:tc>"
        for lines, style in ((["a"], ""), (text.split("\n"), "Code"))
    )
    return word(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")


BLOCKS: dict[str, tuple[str, Callable[[str], str]]] = {
    "fence": ("x.md", _fence),
    "indented": ("x.md", lambda text: f"Before.\n\n{indent(text, '    ', lambda _: True)}\n"),
    "fence in a step": ("x.md", _in_steps),
    "fence in a note": ("x.md", _in_note),
    "fence in a container": ("x.md", lambda text: f":::tip\n{_fence(text)}:::\n"),
    "fence in a component": ("x.md", lambda text: f"<Tip>\n\n{_fence(text)}\n</Tip>\n"),
    "fence in a tag": ("x.md", lambda text: f"{{% hint %}}\n{_fence(text)}{{% endhint %}}\n"),
    "fence in a shortcode": (
        "x.md",
        lambda text: f"{{{{< tip >}}}}\n{_fence(text)}{{{{< /tip >}}}}\n",
    ),
    "fence in a quotation": ("x.md", lambda text: indent(_fence(text), "> ", lambda _: True)),
    "pre": ("x.html", lambda text: _page(f"<pre>\n{escape(text)}</pre>")),
    "pre in a step": (
        "x.html",
        lambda text: _page(f"<ol><li>a<pre><code>{escape(text)}</code></pre></ol>"),
    ),
    "pre in Markdown": ("x.md", lambda text: f"<pre>\n{escape(text)}</pre>\n"),
    "literal block": ("x.rst", lambda text: f"Before::\n\n{indent(text, '   ')}\n\nAfter.\n"),
    "code block": (
        "x.rst",
        lambda text: f".. code-block:: text\n\n{indent(text, '   ')}\n\nAfter.\n",
    ),
    "code in a note": (
        "x.rst",
        lambda text: (
            f".. note::\n\n   .. code-block:: text\n\n{indent(text, '      ')}\n\nAfter.\n"
        ),
    ),
    "fence in MDX": ("x.mdx", _fence),
    "listing of AsciiDoc": (
        "x.adoc",
        lambda text: f"= T\n\n[source,text]\n----------\n{text}\n----------\n",
    ),
    "literal of AsciiDoc": ("x.adoc", lambda text: f"= T\n\n..........\n{text}\n..........\n"),
    "cell of a notebook": ("x.ipynb", _notebook),
    "listing of DocBook": (
        "x.xml",
        lambda text: _docbook(f"<programlisting>{escape(text)}</programlisting>"),
    ),
    "listing of DITA": ("x.dita", lambda text: _dita(f"<codeblock>{escape(text)}</codeblock>")),
}
CELLS: dict[str, tuple[str, Callable[[str], str | bytes]]] = {
    "pre in a cell": (
        "x.html",
        lambda text: _page(
            f"<table><tr><th>A<th>B<tr><td>a<td><pre>\n{escape(text)}</pre></table>"
        ),
    ),
    "listing in a cell of AsciiDoc": (
        "x.adoc",
        lambda text: f"= T\n\n!===\n!A !B\n\n!a\na!\n[source]\n-------\n{text}\n-------\n!===\n",
    ),
    "lines in a cell of Word": ("x.docx", _word_table),
}
SPANS: dict[str, tuple[str, Callable[[str], str]]] = {
    "span": ("x.md", lambda text: f"Before ````` {text} ````` after.\n"),
    "span in a cell": ("x.md", lambda text: f"| A |\n|---|\n| Before ````` {text} ````` after |\n"),
    "span in a heading": ("x.md", lambda text: f"## Before ````` {text} ````` after\n"),
    "code": ("x.html", lambda text: _page(f"<p>Before <code>{escape(text)}</code> after</p>")),
    "code alone": ("x.html", lambda text: _page(f"<p><code>{escape(text)}</code></p>")),
    "kbd in a cell": (
        "x.html",
        lambda text: _page(f"<table><tr><td>a<td>b <kbd>{escape(text)}</kbd></table>"),
    ),
    "literal": ("x.rst", lambda text: f"Before ``{text}`` after.\n"),
    "span in MDX": ("x.mdx", lambda text: f"Before ````` {text} ````` after.\n"),
    "literal of AsciiDoc": ("x.adoc", lambda text: f"= T\n\nBefore `+{text}+` after.\n"),
    "option of DocBook": (
        "x.xml",
        lambda text: _docbook(f"<para>Before <option>{escape(text)}</option> after</para>"),
    ),
    "phrase of DITA": (
        "x.dita",
        lambda text: _dita(f"<p>Before <codeph>{escape(text)}</codeph> after</p>"),
    ),
}
SETTINGS = settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def _lines(text: str) -> str:
    """A listing without blank lines around it and blanks at the ends of its lines."""
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


@pytest.mark.parametrize("place", BLOCKS)
def test_listings_are_kept(place: str) -> None:
    file, written = BLOCKS[place]

    @SETTINGS
    @given(TEXTS)
    def kept(text: str) -> None:
        expected = _lines(text)
        if file == "x.rst":
            # As docutils reads tabs, and what is indented alike.
            expected = text = "\n".join(
                f"|{line.expandtabs(8).rstrip()}" for line in expected.split("\n")
            )
        if "indented" in place or "pre" in place:
            expected = text = "\n".join(f"|{line}" for line in expected.split("\n"))
        read = load(written(text).encode(), file)
        code = [b.text for page in read.pages for b in page.blocks if b.kind is BlockKind.CODE]
        assert code == [expected]

    kept()


@pytest.mark.parametrize("place", CELLS)
def test_listings_in_cells_are_kept(place: str) -> None:
    file, written = CELLS[place]

    @SETTINGS
    @given(TEXTS)
    def kept(text: str) -> None:
        if file == "x.adoc":
            # What parts its cells.
            text = text.replace("!", "i")
        expected = text = "\n".join(f"|{line}" for line in _lines(text).split("\n"))
        data = written(text)
        read = load(data if isinstance(data, bytes) else data.encode(), file)
        assert any(expected in block.text for page in read.pages for block in page.blocks)

    kept()


@pytest.mark.parametrize("place", SPANS)
def test_spans_are_kept(place: str) -> None:
    file, written = SPANS[place]

    @SETTINGS
    @given(TEXTS)
    def kept(text: str) -> None:
        expected = text = collapse(text)
        text = text.replace("`````", "")
        if place == "span in a cell":
            text = text.replace("\\", "")
            expected = text.replace("|", "│")
            text = expected
        if "literal" in place:
            text = f"a{text.replace('`', '').replace('+', '')}b"
        if file == "x.adoc":
            # A term before its definition, wherever it stands in a line.
            text = re.sub("::|;;", "", text)
        expected = collapse(text)
        read = load(written(text).encode(), file)
        assert any(expected in block.text for page in read.pages for block in page.blocks)

    kept()
