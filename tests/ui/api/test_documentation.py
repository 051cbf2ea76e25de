"""The documentation of a release as agents read it: llms.txt, llms-full.txt, pages as Markdown."""

import re
from pathlib import Path

import httpx
import pytest
import yaml

from corpora.database.engine import Database
from corpora.indexing.corpus import OpenCorpora
from ingestion.page import Block, BlockKind, Page
from tests.corpora.beacon import ingest_beacon, write
from tests.data_folders import data_dir_of
from ui.api.page_markdown import body_markdown, page_markdown


def test_a_release_is_read_by_its_addresses_and_no_other(address: str) -> None:
    pages = {}
    for release in ("1.0", "2.0"):
        listed = httpx.get(f"{address}/docs/valve/{release}/llms.txt")
        assert listed.headers["content-type"].startswith("text/plain")
        assert listed.text.startswith(f"# valve {release}\n")
        places = re.findall(r"\]\((/docs/[^)]+)\)", listed.text)
        assert places[0] == f"/docs/valve/{release}/llms-full.txt"
        whole = httpx.get(f"{address}{places[0]}").text
        for place in places[1:]:
            page = httpx.get(f"{address}{place}")
            assert page.headers["content-type"].startswith("text/markdown")
            _, head, body = page.text.split("---\n", 2)
            of = yaml.safe_load(head)
            assert (of["product"], of["release"]) == ("valve", release)
            assert body.strip() in whole
            pages[release] = pages.get(release, "") + body
    assert "| hold_time | 20 | s |" in pages["1.0"]
    assert "| hold_time | 45 | s |" not in pages["1.0"]
    assert "| hold_time | 45 | s |" in pages["2.0"]
    assert httpx.head(f"{address}/docs/valve/1.0/llms.txt").status_code == 200


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("valve/9.9/llms.txt", "no documentation of valve 9.9"),
        ("valve/latest/llms-full.txt", "no documentation of valve latest"),
        ("pump/1.0/llms.txt", "no documentation of pump"),
        ("valve/1.0/reference.html/99.md", "has no page 99 of reference.html"),
        ("valve/1.0/../../etc/passwd/1.md", ""),
        ("valve/1.0/nothing.html/1.md", "has no page 1 of nothing.html"),
    ],
)
def test_what_is_not_there_is_said_and_never_replaced(
    address: str, place: str, message: str
) -> None:
    told = httpx.get(f"{address}/docs/{place}")
    assert told.status_code == 404
    assert message in told.text


def test_the_text_of_a_document_stays_text() -> None:
    def block(kind: BlockKind, text: str) -> Block:
        return Block(kind, text, ("Top",))

    page = Page(
        1,
        (
            block(BlockKind.HEADING, "<script>alert(1)</script> [x](http://evil.example)"),
            block(BlockKind.PARAGRAPH, "# no heading\n![p](http://evil.example/p.png)"),
            block(BlockKind.TABLE_HEADER, "Name — Default"),
            block(BlockKind.TABLE_ROW, "a|b — <img src=x>"),
            block(BlockKind.LIST_ITEM, "- one"),
            block(BlockKind.LIST_ITEM, "1. two # three"),
            block(BlockKind.LIST_ITEM, "--flag takes *args*, not --flags"),
            block(BlockKind.LIST_ITEM, "--url=http://a.example/--flag $a$b os.path.join *args*."),
            block(BlockKind.CODE, "GET /users/{id}\n```\nend"),
        ),
    )
    assert body_markdown(page) == (
        "## \\<script>alert(1)\\</script> `[x](http://evil.example`)\n\n"
        "\\# no heading\\\n`![p](http://evil.example/p.png`)\n\n"
        "| Name | Default |\n| --- | --- |\n| a\\|b | \\<img src=x> |\n\n"
        "- one\n1. two # three\n- --flag takes \\*args\\*, not --flags\n"
        "- `--url=http://a.example/--flag` \\$a\\$b os.path.join \\*args\\*.\n\n"
        "````\nGET /users/{id}\n```\nend\n````"
    )
    # What its file marks as code, and no part of a longer name or of an address.
    names = ("--flag", "*args*", "evil.example", "GET /users/{id}", "--url", "$a", "$b", "os.path")
    code = body_markdown(page, names)
    assert "- `--flag` takes `*args*`, not --flags" in code
    assert "- `--url=http://a.example/--flag` `$a$b` os.path.join `*args*`.\n" in code
    assert "`[x](http://evil.example`)" in code
    assert "````\nGET /users/{id}\n" in code


@pytest.mark.database
def test_a_page_has_what_its_file_marks_as_code(database: Database, tmp_path: Path) -> None:
    told = "Set `--flag` of the `lamp` to ``*args*``, ``a.b``, with --flag=1."
    ingest_beacon(database, write(tmp_path, guide=f"# Guide\n\n{told}\n"))
    corpora = OpenCorpora(database, data_dir_of(database))
    corpus = corpora.corpus("Beacon", "17.10")
    (document,) = corpus.documents()
    (page,) = corpus.pages_of(document.id)
    # An everyday word may stand elsewhere as one.
    written = "Set `--flag` of the lamp to `*args*`, `a.b`, with `--flag`=1."
    assert written in page_markdown(page, corpus)
    corpora.close()
