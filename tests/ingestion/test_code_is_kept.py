"""Code comes out letter for letter, in whatever format it is written."""

import json
from collections.abc import Callable
from html import escape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ingestion.loaders import load
from ingestion.page import BlockKind

LETTERS = " \t!\"#$%&'()*+,-./09:;<=>?@AZ[\\]^_`az{|}~äé中"
LINES = st.lists(st.text(LETTERS, max_size=40), min_size=1, max_size=5)


def adoc(code: str) -> bytes:
    return f"= A\n\n:version: 8\n\n[source]\n--------\n{code}\n--------\n".encode()


def man(code: str) -> bytes:
    rows = (f"\\&{row}" for row in code.replace("\\", "\\e").split("\n"))
    return ".TH A 1\n.SH B\n.nf\n{}\n.fi\n".format("\n".join(rows)).encode()


def notebook(code: str) -> bytes:
    return json.dumps({"cells": [{"cell_type": "code", "source": code}]}).encode()


def docbook(code: str) -> bytes:
    xmlns = "http://docbook.org/ns/docbook"
    listing = f"<programlisting>{escape(code)}</programlisting>"
    return f"<article xmlns='{xmlns}'><title>A</title>{listing}</article>".encode()


def interface(code: str) -> bytes:
    body = {"content": {"text/plain": {"example": code}}}
    paths = {"/a": {"post": {"requestBody": body}}}
    return json.dumps({"openapi": "3.1.0", "info": {"title": "A"}, "paths": paths}).encode()


WRITTEN: dict[str, Callable[[str], bytes]] = {
    "a.adoc": adoc,
    "a.1": man,
    "a.ipynb": notebook,
    "a.xml": docbook,
    "a.json": interface,
}


@pytest.mark.parametrize("file", WRITTEN)
@given(lines=LINES)
@example(["GET /users/{id} ${user} {version}", "include::a[]", "import x from 'y'", "(label)="])
@example(["|===", "", "* a", ":version: 9", "// not a comment", "= A", "[source]", "+", "<1>"])
@example(["\\fB\\-x \\n \\\\ \\(em", ".B x", "'x", '.\\" no comment'])
def test_code_comes_out_as_it_went_in(file: str, lines: list[str]) -> None:
    code = "\n".join(row.rstrip() for row in lines).strip("\n")
    if not code.strip() or (file == "a.adoc" and "--------" in lines):
        return
    read = load(WRITTEN[file](code), file)
    found = [b.text for page in read.pages for b in page.blocks if b.kind is BlockKind.CODE]
    assert "\n".join(found) == code
