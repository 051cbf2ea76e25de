"""Whatever lies in a folder: each file ends in pages or in one clear line, and the rest is read."""

from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingestion.listing import list_files
from ingestion.loaders import LOADERS, load
from ingestion.page import Document, Rejected, UnreadableFile
from ingestion.reading import read_files
from tests.ingestion import hostile_formats, hostile_inputs
from tests.ingestion.hostile_inputs import SECRET

pytestmark = pytest.mark.slow

GOOD = "# Good\n\nThis file is as it should be, and is read whatever lies beside it.\n"
GROUPS = {**hostile_inputs.GROUPS, **hostile_formats.GROUPS}
READ = {
    "archives": {"slip.zip", "nested.zip", "junk-before.zip", "case.zip", "deep.zip"},
    "pdfs": {"owner.pdf", "pages.pdf", "embedded.pdf", "turned.pdf", "title.pdf", "entity.pdf"},
    "html": {
        "script.html",
        "iframe.html",
        "include.html",
        "numbers.html",
        "utf-16.html",
        "word.html",
    },
    "drawings": {"script.svg", "numbers.svg", "transform.svg", "spans.svg", "utf-16.svg"},
    "markdown": {"html.md", "link.md", "fence.md", "stars.md", "front-code.md", "mark.md"},
    "restructured-text": {"include.rst", "raw-url.rst", "csv-file.rst", "substitution.rst"},
    "office": {"good.docx", "good.pptx", "macros.docm", "script.docx", "paragraphs.docx"},
    "texts": {"utf-16.txt", "latin-1.txt", "line.txt", "word.txt", "cr.txt", "escape.txt"},
    "asciidoc": {
        "good.adoc",
        "include.adoc",
        "family.adoc",
        "laughs.adoc",
        "html.adoc",
        "open.adoc",
    },
    "notebooks": {"good.ipynb", "nul.ipynb", "html.ipynb", "include.ipynb", "many.ipynb"},
    "sheets": {"good.csv", "good.xlsx", "formula.csv", "rows.csv", "far.xlsx"},
    "books": {"good.epub", "percent.epub", "fonts.epub"},
    "manual-pages": {"good.1", "include.1", "system.1", "laughs.1", "deep.1", "escapes.1"},
    "structured-xml": {
        "good.xml",
        "good.dita",
        "include.xml",
        "script.xml",
        "code.xml",
        "wide.xml",
    },
    "interfaces": {"good.yaml", "good.json", "cycle.yaml", "wide.yaml", "many.yaml"},
    "names": {"-rf.md", "case.md", "Case.md", "🙂.md", "=1+1.md", "CON.md"},
}
"""Of each group some that have to be read, so that leaving everything out is no way to pass."""
LEFT_OUT = {
    "archives": {"bomb.zip", "encrypted.zip", "link.zip", "names.zip", "truncated.zip"},
    "pdfs": {"encrypted.pdf", "head.pdf", "text.pdf", "scan.pdf", "fonts.pdf", "cycle.pdf"},
    "html": {"nothing.html", "empty.html", "picture.html"},
    "drawings": {"entity.svg", "laughs.svg", "no-label.svg", "empty.svg"},
    "markdown": {"empty.md", "picture.md"},
    "restructured-text": {"empty.rst"},
    "office": {"locked.docx", "bomb.docx", "bomb.pptx", "zip.docx", "swapped.pptx", "cut.docx"},
    "texts": {"empty.txt", "nuls.txt", "picture.txt", "program.txt"},
    "asciidoc": {"picture.adoc", "empty.adoc", "only-comments.adoc", "csv.adoc", "tied.adoc"},
    "notebooks": {"deep.ipynb", "picture.ipynb", "no-cells.ipynb", "list.ipynb", "cut.ipynb"},
    "sheets": {"columns.csv", "quote.csv", "cell.csv", "locked.xlsx", "wide.xlsx", "bomb.xlsx"},
    "books": {"outside.epub", "bomb.epub", "large.epub", "locked.epub", "cover.epub", "cut.epub"},
    "manual-pages": {"picture.1", "empty.1", "other.1"},
    "structured-xml": {"laughs.xml", "deep.xml", "cut.dita", "picture.xml", "empty.dita"},
    "interfaces": {
        "laughs.yaml",
        "merges.yaml",
        "itself.yaml",
        "deep.yaml",
        "deep.json",
        "cut.json",
    },
    "names": set(),
}
"""Of each group some of which nothing may be read."""

Outcomes = dict[str, list[Document | Rejected]]


def _read(group: str, folder: Path) -> Outcomes:
    """All inputs of a group read in one go, by the file that was written."""
    docs = folder / "docs"
    docs.mkdir()
    (folder / "secret.txt").write_text(SECRET)
    (docs / "zz-good.md").write_text(GOOD)
    for name, content in GROUPS[group]():
        (docs / name).write_bytes(content)
    outcomes: Outcomes = defaultdict(list)
    for item in read_files(list_files([docs])):
        written = item.file
        if ".zip/" in written:
            written = written[: written.index(".zip/") + 4]
        outcomes[written].append(item)
    return outcomes


@pytest.mark.parametrize("group", GROUPS)
def test_each_file_ends_in_pages_or_in_one_line_and_the_rest_is_read(
    group: str, tmp_path: Path
) -> None:
    outcomes = _read(group, tmp_path)
    (good,) = outcomes.pop("zz-good.md")
    assert isinstance(good, Document)
    written = {name for name, _ in GROUPS[group]()}
    nothing_inside = {"nothing.zip"}
    assert set(outcomes) == written - nothing_inside
    for items in outcomes.values():
        for item in items:
            if isinstance(item, Rejected):
                assert item.reason.isprintable(), item
                assert 5 < len(item.reason) < 300, item
                assert "the parser failed" not in item.reason, item
            else:
                assert item.pages, item.file
                assert SECRET not in "".join(page.text for page in item.pages), item.file
                assert "root:x:0" not in "".join(page.text for page in item.pages), item.file
    for name in READ[group]:
        assert any(isinstance(item, Document) for item in outcomes[name]), outcomes[name]
    for name in LEFT_OUT[group]:
        assert all(isinstance(item, Rejected) for item in outcomes[name]), outcomes[name]


BEGINNINGS = {
    "pdf": b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
    "html": b"<html><body><table><tr><td colspan=",
    "office": b"PK\x03\x04",
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg"><text x="',
    "markdown": b"# Valve\n\n| a | b |\n|---|---|\n",
    "asciidoc": b"= Valve\n\n|===\n|a |b\n\n* ",
    "notebook": b'{"cells": [{"cell_type": "markdown", "source": "',
    "delimited": b'Part,Seconds\nValve,"',
    "workbook": b"PK\x03\x04",
    "epub": b"PK\x03\x04",
    "man": b".TH VALVE 1\n.TP\n.B ",
    "docbook": b"<topic id='a'><title>Valve</title><body><p>",
    "openapi": b"openapi: 3.1.0\npaths: {/x: {get: ",
    "text": b"Valve\n=====\n\n.. include:: ",
    ".txt": b"VALVE\n\n  1. ",
}


def test_data_is_passed_over_by_its_format(tmp_path: Path) -> None:
    for name, content in hostile_formats.data():
        (tmp_path / name).write_bytes(content)
    read = list(read_files(list_files([tmp_path])))
    assert [item.file for item in read if isinstance(item, Rejected) and item.passed_over] == [
        item.file for item in read
    ]


ONE_OF_EACH = {module: suffix for suffix, module in reversed(LOADERS.items())}


@pytest.mark.parametrize("suffix", [*ONE_OF_EACH.values(), ".txt"])
@settings(max_examples=settings().max_examples * 2 // 5)
@given(data=st.binary(max_size=3000), begun=st.booleans())
def test_any_bytes_end_in_pages_or_in_one_line(suffix: str, data: bytes, begun: bool) -> None:
    beginning = BEGINNINGS.get(suffix, BEGINNINGS.get(LOADERS[suffix]))
    assert beginning, f"tell BEGINNINGS how a file of the loader {LOADERS[suffix]} begins"
    content = beginning + data if begun else data
    with suppress(UnreadableFile):
        assert load(content, f"file{suffix}").pages
