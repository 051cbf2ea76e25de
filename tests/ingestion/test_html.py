from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from ingestion.loaders.html import load
from ingestion.page import Block, BlockKind, DocumentKind, NothingToRead, UnreadableFile

PAGES = Path(__file__).parent / "pages"
OLD_SPHINX = (PAGES / "old_sphinx.html").read_text(encoding="utf-8")
NEW_SPHINX = (PAGES / "new_sphinx.html").read_text(encoding="utf-8")


def read(body: str) -> list[Block]:
    """Read the inside of a page's main element."""
    markup = f"<html><body><main>{body}</main></body></html>"
    return [b for page in load(markup.encode(), "x.html").pages for b in page.blocks]


def texts(body: str, kind: BlockKind | None = None) -> list[str]:
    return [block.text for block in read(body) if kind in {None, block.kind}]


def old_sphinx() -> list[Block]:
    return [b for p in load(OLD_SPHINX.encode(), "core/engines.html").pages for b in p.blocks]


def test_a_document_knows_its_title_kind_and_hash() -> None:
    document = load(OLD_SPHINX.encode(), "core/engines.html")
    assert (document.file, document.title) == ("core/engines.html", "Engine Configuration")
    assert document.kind is DocumentKind.REFERENCE
    assert document.content_hash == sha256(OLD_SPHINX.encode()).hexdigest()


def test_navigation_search_permalinks_and_copyright_are_gone() -> None:
    text = "\n".join(block.text for block in old_sphinx())
    for furniture in ("¶", "Documentation", "Release:", "Pools", "Previous", "Copyright"):
        assert furniture not in text


def test_inline_elements_are_joined_without_losing_or_doubling_spaces() -> None:
    assert old_sphinx()[1].text == (
        "The Engine is the starting point; see create_engine(url, **kw)."
    )


def test_old_signatures_are_letter_for_letter() -> None:
    signatures = {b.anchor: (b.text, b.path[-1]) for b in old_sphinx() if b.kind == "signature"}
    assert signatures == {
        "motor.create_engine": ("motor.create_engine(*args, pool_size=5)", "create_engine"),
        "motor.orm.Query": ("motor.orm.Query(session=None)", "Query"),
        "motor.orm.Query.update": (
            "classmethod update(values, synchronize_session='auto')",
            "Query.update",
        ),
        "motor.orm.Query.size": ("size = 30", "Query.size"),
    }


def test_new_signatures_are_letter_for_letter() -> None:
    signature, text, values, returns = read(NEW_SPHINX)
    assert signature.text == (
        "async motor.orm.Query.update(values: Dict[str, Any], mode = 'auto') → int"
    )
    assert {b.path for b in (signature, text, values, returns)} == {("Query.update",)}
    assert (values.kind, values.text) == (BlockKind.DEFINITION, "values – the new values.")
    assert returns.text == "Returns: the number of rows."


def test_a_parameter_is_a_definition_and_what_continues_it_names_it() -> None:
    size, recycle, note = old_sphinx()[5:8]
    owner = ("Engine Configuration", "API", "create_engine")
    assert (size.kind, size.path, size.anchor) == ("definition", owner, "motor.create_engine")
    assert size.text == "pool_size=5 – the number of connections."
    assert recycle.text == "recycle=-1 – seconds before a connection is recycled."
    assert (note.text, note.path) == ("Changed in version 1.1: was 0.", (*owner, "recycle"))


def test_headings_carry_the_anchor_of_their_section() -> None:
    headings = [(b.text, b.path, b.anchor) for b in old_sphinx() if b.kind == "heading"]
    assert headings == [
        ("Engine Configuration", ("Engine Configuration",), "engine-configuration"),
        ("API", ("Engine Configuration", "API"), "api"),
    ]


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


def test_a_heading_closes_those_of_its_level_and_below() -> None:
    paths = [b.path for b in read("<h1>A</h1><h2>B</h2><h3>C</h3><div><h2>D</h2></div><p>t</p>")]
    assert paths == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("A", "D")]


def test_after_a_section_its_parent_goes_on() -> None:
    body = (
        "<section id='a'><h2>A</h2><section id='b'><h3>B</h3><p>x</p></section><p>y</p></section>"
    )
    assert [(b.text, b.path, b.anchor) for b in read(body)][-2:] == [
        ("x", ("A", "B"), "b"),
        ("y", ("A",), "a"),
    ]


def test_a_section_without_a_heading_still_anchors_its_text() -> None:
    body = "<section id='a'><h1>A</h1><section id='b'><p>x</p></section><p>y</p></section>"
    assert [(b.text, b.path, b.anchor) for b in read(body)][1:] == [
        ("x", ("A",), "b"),
        ("y", ("A",), "a"),
    ]


def test_code_is_letter_for_letter() -> None:
    body = "<pre><span></span><b>def</b> f(a,\n      b):\n\n    return  1 &lt; 2\n</pre>"
    assert texts(body, BlockKind.CODE) == ["def f(a,\n      b):\n\n    return  1 < 2"]


def test_what_pops_up_inside_a_listing_stands_on_its_own_lines() -> None:
    body = '<pre>run()<div class="popup_sql">SELECT 1\nFROM t</div>stop()</pre>'
    assert texts(body) == ["run()\nSELECT 1\nFROM t\nstop()"]


def test_variants_of_a_listing_stand_one_after_the_other() -> None:
    body = "<pre><code class='mjs'>import x</code><code class='cjs'>require('x')</code></pre>"
    assert texts(body) == ["import x\nrequire('x')"]


def test_line_numbers_are_no_part_of_a_listing() -> None:
    body = """<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>
    <td class="code"><div><pre>a = 1\nb = 2</pre></div></td></tr></table>"""
    assert texts(body) == ["a = 1\nb = 2"]


def test_a_table_is_read_row_by_row_with_its_header() -> None:
    body = """<table><caption>Ports</caption>
    <thead><tr><th rowspan=2>Port</th><th colspan=2>Power</th></tr>
    <tr><th>min</th><th>max</th></tr></thead><tbody><tr><td>1</td><td><p>2</p><p>W</p></td>
    <td>4 W</td></tr></tbody></table>"""
    blocks = read(body)
    assert [b.text for b in blocks] == [
        "Ports",
        "Port — Power min — Power max",
        "1 — 2 W — 4 W",
    ]
    assert blocks[2].header == ("Port", "Power min", "Power max")


def test_a_first_column_of_header_cells_is_no_header_row() -> None:
    body = (
        "<table><tr><th>Speed</th><td>10 Gb/s</td></tr><tr><th>Reach</th><td>2 km</td></tr></table>"
    )
    assert [(b.text, b.header) for b in read(body)] == [
        ("Speed — 10 Gb/s", ()),
        ("Reach — 2 km", ()),
    ]


def test_a_table_that_only_places_things_is_read_as_text() -> None:
    body = "<table><tr><td><h2>Left</h2><p>a</p></td><td><p>b</p></td></tr></table>"
    assert texts(body) == ["Left", "a", "b"]


def test_lists_are_marked_numbered_and_indented() -> None:
    body = """<ol start="3"><li><p>Stop</p><pre>stop all</pre></li><li>Start<ul><li>slowly</li>
    <li><div>with <b>care</b></div></li></ul></li></ol>"""
    assert texts(body) == ["3. Stop", "stop all", "4. Start", "  - slowly", "  - with care"]


def test_notes_begin_with_their_label() -> None:
    body = """<div class="admonition note"><p class="admonition-title">Note</p><p>One.</p>
    <p>Two.</p></div><div class="admonition seealso"><p class="admonition-title">See also</p>
    <p>A</p><p>B</p></div>
    <div class="deprecated"><p><span>Deprecated since version 1.4: </span>Gone.</p></div>"""
    assert texts(body) == [
        "Note: One.",
        "Two.",
        "See also: A; B",
        "Deprecated since version 1.4: Gone.",
    ]


def test_a_glossary_keeps_each_term_with_its_meaning_and_anchor() -> None:
    body = """<section id="g"><h2>Glossary</h2><dl class="glossary"><dt id="term-ACID">ACID</dt>
    <dd><p>Four properties.</p><p>More.</p></dd></dl></section>"""
    _, term, more = read(body)
    assert (term.kind, term.text, term.anchor) == (
        BlockKind.DEFINITION,
        "ACID – Four properties.",
        "term-ACID",
    )
    assert (more.text, more.path) == ("More.", ("Glossary", "ACID"))


def test_a_drawing_in_the_page_keeps_its_order() -> None:
    body = """<p>Cabling:</p><svg viewBox="0 0 9 9"><text x="60" y="10">Switch</text>
    <text x="10" y="10">Router</text><text x="10" y="50">Ground</text></svg>"""
    assert texts(body, BlockKind.DRAWING) == ["Router — Switch", "Ground"]


def test_a_picture_speaks_only_where_it_is_described() -> None:
    assert texts("<p>See <img src='a.png' alt='images/a.png'> here</p>") == ["See here"]
    assert texts("<p>See <img src='a.png' alt='the front panel'> here</p>") == [
        "See the front panel here"
    ]


def test_what_is_not_shown_is_not_read() -> None:
    body = """<script>alert(1)</script><style>p {}</style><p hidden>a</p>
    <p style="display: none">b</p><!-- c --><nav>d</nav>
    <p>Shown &amp; <span aria-hidden="true">e</span>read</p><button>f</button>
    <a class="edit" href="x">Edit this page</a>"""
    assert texts(body) == ["Shown & read"]


def test_a_power_is_not_read_as_a_digit() -> None:
    assert texts("<p>10<sup>6</sup> packets</p>") == ["10^6 packets"]


def test_a_local_table_of_contents_is_left_out_and_a_section_about_navigation_kept() -> None:
    body = """<div class="contents local topic"><ul><li><a href="#s">Search</a></li></ul></div>
    <div class="section" id="search"><h2>Search</h2><p>How to search.</p></div>
    <section id="navigation"><h2>Navigation</h2><p>How to navigate.</p></section>"""
    assert texts(body) == ["Search", "How to search.", "Navigation", "How to navigate."]


def test_without_a_main_element_the_body_is_read_without_its_bars() -> None:
    markup = b"""<html><head><title>Alarms - NE-9 - Vendor</title></head><body>
    <div class="navbar"><a href="a">Home</a></div><ul class="breadcrumb"><li>NE-9</li></ul>
    <h2>Alarms</h2><p>LOS means loss of signal.</p><div id="footer">Imprint</div>
    <p>Copyright 2024 Vendor. All rights reserved.</p></body></html>"""
    document = load(markup, "alarms.html")
    assert [p.text for p in document.pages] == ["Alarms\n\nLOS means loss of signal."]
    assert document.title == "Alarms"


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Overview &mdash; Motor 2.0 Documentation", "Overview"),
        ("Ports | NE-9", "Ports"),
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


def test_null_bytes_and_entities_are_read_over() -> None:
    assert texts("<p>a\x00b &lt;c&gt; &nbsp; &#8364; &nosuch;</p>") == ["ab <c> € &nosuch;"]


@pytest.mark.parametrize("tags", ["<div>", "<b>", "<ul><li>a", "<table><tr><td>", "<blockquote>"])
def test_nesting_without_end_is_refused(tags: str) -> None:
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        load((tags * 100_000 + "text").encode(), "x.html")


@pytest.mark.parametrize(
    "tags", ["<div>", "<ul><li>a", "<dl><dt>t<dd>a", "<table><tr><td>", "<div class='admonition'>"]
)
def test_deep_nesting_is_read_to_its_end(tags: str) -> None:
    assert "innermost" in texts(tags * 400 + "<p>innermost</p>")[-1]


def test_a_line_of_five_megabytes_becomes_pages() -> None:
    pages = load(b"<p>" + b"word and word. " * 350_000, "x.html").pages
    assert max(len(page.text) for page in pages) <= 3000
    assert sum(page.text.count("word.") for page in pages) == 350_000
