import json
from hashlib import sha256
from pathlib import Path
from types import ModuleType

import pytest

from ingestion.loaders import html, markdown, notebook
from ingestion.loaders.html import load
from ingestion.page import Block, BlockKind, DocumentKind, NothingToRead, UnreadableFile

OLD_SPHINX = (Path(__file__).parent / "layouts/html/old-sphinx.html").read_bytes()


def read(body: str) -> list[Block]:
    """Read the inside of a page's main element."""
    markup = f"<html><body><main>{body}</main></body></html>"
    return [b for page in load(markup.encode(), "x.html").pages for b in page.blocks]


def test_a_document_knows_its_title_kind_and_hash() -> None:
    document = load(OLD_SPHINX, "core/engines.html")
    assert (document.file, document.title) == ("core/engines.html", "Engine Configuration")
    assert document.kind is DocumentKind.REFERENCE
    assert document.content_hash == sha256(OLD_SPHINX).hexdigest()


@pytest.mark.parametrize(
    "markup",
    [
        "<section id='ports'><h2>Ports</h2><p>t</p></section>",
        "<section id='ports'><span id='alias'></span><h2 id='x'>Ports</h2><p>t</p></section>",
        "<div><h2 id='ports'>Ports</h2><p>t</p></div>",
        "<h2><a name='ports'></a>Ports</h2><p>t</p>",
        "<a id='ports'></a><h2>Ports</h2><p>t</p>",
        "<h2>Ports<span><a class='mark' href='#ports' id='ports'>#</a></span></h2><p>t</p>",
    ],
)
def test_a_heading_is_anchored_however_its_page_was_made(markup: str) -> None:
    assert {block.anchor for block in read(markup)} == {"ports"}


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Overview &mdash; Motor 2.0 Documentation", "Overview"),
        ("Ports | NE-9", "Ports"),
        ("Alarms - NE-9 - Vendor", "Alarms"),
        ("Set-up of NE-9 - Vendor", "Set-up of NE-9"),
        ("&lt;no title&gt; &mdash; Motor", "ports.html"),
        ("", "ports.html"),
    ],
)
def test_the_title_is_cleaned_of_the_sites_name(title: str, shown: str) -> None:
    markup = f"<html><head><title>{title}</title></head><body><p>Some text.</p></body></html>"
    assert load(markup.encode(), "doc/ports.html").title == shown


def test_a_source_listing_is_parted_at_its_definitions() -> None:
    functions = [f"def f{n}():\n" + "    call()\n" * 40 for n in range(20)]
    listing = "\n\n".join(functions)
    document = load(f"<h1>Source code for x</h1><pre>{listing}</pre>".encode(), "_modules/x.html")
    assert document.kind is DocumentKind.SOURCE_LISTING
    assert max(len(page.text) for page in document.pages) <= 3000
    assert sum(page.text.count("call()") for page in document.pages) == 800


@pytest.mark.parametrize(
    "body",
    [
        "<h1>Index</h1><table class='indextable'><tr><td><a href='x'>a()</a></td></tr></table>",
        "<div id='search-results'></div>",
        "<h1>Modules</h1><ul><li><a href='a'>a</a></li><li><a href='b'>b</a></li></ul>",
    ],
)
def test_a_page_made_for_finding_others_says_so(body: str) -> None:
    with pytest.raises(NothingToRead, match="links"):
        read(body)


@pytest.mark.parametrize(
    "markup", ["<p> </p>", "<html></html>", "<!-- only -->", "<script>x</script>"]
)
def test_a_page_without_text_says_so(markup: str) -> None:
    with pytest.raises(UnreadableFile, match=r"text|HTML"):
        load(markup.encode(), "x.html")


def test_the_encoding_is_taken_from_the_page() -> None:
    markup = '<meta charset="koi8-r"><p>Привет</p>'
    assert load(markup.encode("koi8-r"), "x.html").pages[0].text == "Привет"
    assert load("<p>Grüße</p>".encode("latin-1"), "x.html").pages[0].text == "Grüße"


@pytest.mark.parametrize("tags", ["<div>", "<b>", "<ul><li>a", "<table><tr><td>", "<blockquote>"])
def test_nesting_without_end_is_refused(tags: str) -> None:
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        load((tags * 100_000 + "text").encode(), "x.html")


@pytest.mark.parametrize(
    "tags", ["<div>", "<ul><li>a", "<dl><dt>t<dd>a", "<table><tr><td>", "<div class='admonition'>"]
)
def test_deep_nesting_is_read_to_its_end(tags: str) -> None:
    assert "innermost" in read(tags * 400 + "<p>innermost</p>")[-1].text


def test_members_side_by_side_do_not_stand_below_each_other() -> None:
    member = "<div class='attr'><span class='name'>f{0}</span></div><p>What f{0} does.</p>"
    blocks = read("".join(member.format(number) for number in range(1_000)))
    told = [(block.path, block.text) for block in blocks if block.kind is BlockKind.PARAGRAPH]
    assert told == [((f"f{number}",), f"What f{number} does.") for number in range(1_000)]


def test_an_overview_with_an_empty_row_is_read() -> None:
    rows = (
        "<tr class='memitem:a'><td>int</td><td>size()</td></tr>",
        "<tr class='memdesc:a'></tr>",
        "<tr class='memdesc:a'><td></td><td>The number of leases.</td></tr>",
    )
    read_rows = read(f"<table class='memberdecls'>{''.join(rows)}</table>")
    assert "The number of leases." in read_rows[-1].text


def test_a_line_of_five_megabytes_becomes_pages() -> None:
    pages = load(b"<p>" + b"word and word. " * 350_000, "x.html").pages
    assert max(len(page.text) for page in pages) <= 3000
    assert sum(page.text.count("word.") for page in pages) == 350_000


def test_icons_without_a_name_are_told_with_their_place() -> None:
    icon = "<svg><path d='M3 6h18'/></svg>"
    head = "<tr><th>Edition</th><th>Login</th></tr>"
    rows = "".join(f"<tr><td>{name}</td><td>{icon}</td></tr>" for name in ("Free", "Pro"))
    body = f"<main><h1>Limits</h1><p>Of each.</p><table>{head}{rows}</table></main>"
    (remark,) = load(f"<html><body>{body}</body></html>".encode(), "x.html").remarks
    assert remark == (
        "2 icons have no name, so what they mean was not read (first in “Limits”: Free — (icon))"
    )
    named = body.replace("<svg>", "<svg aria-label='no'>")
    assert not load(f"<html><body>{named}</body></html>".encode(), "x.html").remarks


@pytest.mark.parametrize("loader", [html, markdown, notebook])
def test_sheets_that_take_too_long_to_follow_hide_nothing(loader: ModuleType) -> None:
    rules = ".a .b .a { display: none } " * 200
    deep = "<div class='a b'>" * 50 + "<p class='a b'>Turn the screw.</p>" + "</div>" * 50
    shown = "<p>Open the valve.</p>" * 500
    for times, hidden in ((1, True), (50, False)):
        page = f"<html><style>{rules}</style><body><main>{shown}{deep * times}</main></body></html>"
        cells = [{"cell_type": "markdown", "source": page}]
        data = json.dumps({"cells": cells}) if loader is notebook else page
        read = loader.load(data.encode(), "x")
        assert ("Turn the screw." in "".join(page.text for page in read.pages)) is not hidden
        assert read.remarks == (
            () if hidden else ("its style sheets take too long to follow: what they hide is read",)
        )


@pytest.mark.parametrize(
    "above",
    [
        "<div class='title-bar'><a class='logo'>Vara Help</a></div>",
        "<div class='breadcrumbs'><span>You are here: </span><a>Jobs</a></div>",
        "<p><a href='a.htm'>Start</a> › <a>Jobs</a></p>",
        "<header><div><a href='a.htm'>Vara</a></div></header>",
    ],
)
def test_a_logo_and_the_way_to_a_page_are_no_text_of_it(above: str) -> None:
    text = "<h1>Jobs</h1><p>A job runs twice. See <a href='b.htm'>limits</a>.</p>"
    assert next(b.text for b in read(f"<div>{above}</div>{text}")) == "Jobs"


def test_a_sentence_above_the_title_stays() -> None:
    above = "<p>Part of <a href='x.htm'>Vara</a>, since 2.0.</p><p><a name='t'>Read first.</a></p>"
    assert [b.text for b in read(f"{above}<h1>Jobs</h1><p>One.</p>")][:2] == [
        "Part of Vara, since 2.0.",
        "Read first.",
    ]
