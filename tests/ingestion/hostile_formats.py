"""Hostile and broken inputs of formats that hold data as often as documentation, made by code.

Each is the bytes of a file under the name that it is written to, as in `hostile_inputs`.
"""

import json
from collections.abc import Callable, Iterator

from tests.ingestion.hostile_inputs import PNG, SENTENCE
from tests.ingestion.office_files import zipped


def interfaces() -> Iterator[tuple[str, bytes]]:
    head = "openapi: 3.1.0\ninfo: {title: Valve, version: '1'}\n"

    def of(text: str) -> bytes:
        return f"{head}{text}\n".encode()

    operation = f"get: {{summary: Opens, description: {SENTENCE.strip()}}}"
    good = f"paths: {{/valve: {{{operation}}}}}"
    laughs = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 10)}]\n" for i in range(1, 10))
    merges = "".join(f"m{i}: &m{i}\n  <<: [*m{i - 1}, *m{i - 1}]\n" for i in range(1, 40))
    yield "good.yaml", of(good)
    yield "good.json", json.dumps({"openapi": "3.0.0", "paths": {"/v": {"get": {}}}}).encode()
    yield "laughs.yaml", of(f"l0: &l0 [ha]\n{laughs}{good}")
    yield "merges.yaml", of(f"m0: &m0 {{a: b}}\n{merges}{good}")
    yield "itself.yaml", of(f"a: &a [*a]\n{good}")
    yield "python.yaml", of(f"a: !!python/object/apply:os.system ['x']\n{good}")
    yield "deep.yaml", of("a: " + "[" * 100_000 + "]" * 100_000)
    yield "deep.json", b'{"openapi": "3.0.0", "a": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    yield "cut.json", b'{"openapi": "3.0.0", "paths": {'
    yield "tabs.yaml", of("paths:\n\t/x: {}")
    yield "reference.yaml", of("paths: {/x: {$ref: ../secret.txt}}\n")
    yield (
        "cycle.yaml",
        of(
            "paths: {/x: {$ref: '#/a'}}\na: {$ref: '#/b'}\nb: {$ref: '#/a'}\n"
            "components: {schemas: {A: {allOf: [{$ref: '#/components/schemas/A'}]},"
            " B: {items: {$ref: '#/components/schemas/B'}},"
            " C: {oneOf: [{$ref: '#/components/schemas/C'}, {$ref: '#/components/schemas/B'}]}}}"
        ),
    )
    wide = ", ".join(f"f{i}: {{$ref: '#/components/schemas/S'}}" for i in range(60))
    yield (
        "wide.yaml",
        of(
            "paths: {/x: {get: {responses: {200: {content: {a/b: {schema: "
            "{$ref: '#/components/schemas/S'}}}}}}}}\n"
            f"components: {{schemas: {{S: {{type: object, properties: {{{wide}}}}}}}}}"
        ),
    )
    yield "wrong.yaml", of("paths: [1, 2]\nservers: x\ntags: {a: b}\ncomponents: 3")
    yield (
        "wrong-inside.yaml",
        of("paths: {/x: {get: {parameters: [1, {schema: 3}], responses: [], requestBody: x}}}"),
    )
    yield "numbers.json", b'{"swagger": "2.0", "info": {"title": "V"}, "a": ' + b"9" * 9_999 + b"}"
    yield "many.yaml", of("paths:\n" + "".join(f"  /x{i}: {{{operation}}}\n" for i in range(2_000)))
    yield "picture.json", PNG
    yield "empty.yaml", b""


def asciidoc() -> Iterator[tuple[str, bytes]]:
    def of(text: str) -> bytes:
        return f"= Valve\n\n{SENTENCE}\n\n{text}\n".encode()

    names = "".join(f":a{i}: {f'{{a{i - 1}}}' * 10}\n" for i in range(1, 12))
    yield "good.adoc", of("|===\n|a |b\n|===")
    yield "include.adoc", of("include::../secret.txt[]\n\ninclude::/etc/passwd[]")
    yield "include-code.adoc", of("----\ninclude::../secret.txt[lines=1..-1]\n----")
    yield "include-url.adoc", of("include::http://127.0.0.1:1/[]\n\nimage::file:///etc/passwd[]")
    yield "include-itself.adoc", of("include::include-itself.adoc[]")
    yield "family.adoc", of("include::a:b:partial$../../../secret.txt[]")
    yield "laughs.adoc", of(f":a0: ha\n{names}\n{{a11}}")
    yield "itself.adoc", of(":a: {a}{a}\n:a: {a}{a}\n\n{a}")
    yield "html.adoc", of("++++\n<script>alert(1)</script>\n++++\n\n+++<b>+++ pass:[<i>]")
    yield "lists.adoc", of("\n".join(f"{'*' * (i % 6 + 1)} item" for i in range(5_000)))
    yield "tied.adoc", of("* a\n+\n" * 5_000)
    yield "boxes.adoc", of("\n".join("=" * (4 + i) for i in range(500)))
    yield "cells.adoc", of("|===\na|\n" * 500)
    yield "wide.adoc", of('[cols="999999*"]\n|===\n' + "|x" * 5_000 + "\n|===")
    yield "spans.adoc", of("|===\n999999.999999+|x\n99999*|y\n|===")
    yield "terms.adoc", of("".join(f"a{i}::\n" for i in range(5_000)))
    yield "stars.adoc", of("*" * 50_000 + " a " + "_" * 50_000 + " `" * 9_000)
    yield "brackets.adoc", of("[" * 20_000 + "<<" * 9_000 + "link:" * 9_000 + "((" * 9_000)
    yield "conditions.adoc", of("ifdef::a[]\n" * 5_000 + "ifeval::[1 < x]\nendif::[]\nendif::[]")
    yield "no-cells.adoc", of("|===\nno bar in here\n|===\n\n|===\n|===")
    yield (
        "terms-and-links.adoc",
        of("((" * 3_900 + "\n\n" + "footnote:[" * 790 + "\n\n" + "<<a," * 1_900),
    )
    yield "open.adoc", of("----\nnever closed")
    yield "offset.adoc", of(":leveloffset: 9999\n\n== Deep\n\n:leveloffset: -99\n\n== High")
    yield "csv.adoc", of('[format=csv]\n|===\n"open,1\n' + "x" * 200_000 + "\n|===")
    yield "picture.adoc", PNG
    yield "empty.adoc", b""
    yield "only-comments.adoc", b"// nothing\n\n////\nnothing\n////\n"


def notebooks() -> Iterator[tuple[str, bytes]]:
    def of(*cells: object, **more: object) -> bytes:
        return json.dumps({"cells": cells, "nbformat": 4, **more}).encode()

    def code(source: object, **output: object) -> dict[str, object]:
        return {"cell_type": "code", "source": source, "outputs": [output]}

    text = {"cell_type": "markdown", "source": [f"# Valve\n\n{SENTENCE}"]}
    table = "<table><tr><td>" * 3_000
    yield "good.ipynb", of(text, code(["a\n", "b"], text="printed"))
    yield "nul.ipynb", of(text, code("a\0b\ud800", text="\0\x1b[31mred"))
    yield "html.ipynb", of(text, code("x", data={"text/html": "<table><script>alert(1)</script>"}))
    yield "deep-table.ipynb", of(text, code("x", data={"text/html": table}))
    yield "deep.ipynb", b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    yield "wrong.ipynb", of(1, None, [], {"source": {"a": 1}, "outputs": 3}, text)
    yield "level.ipynb", of({"cell_type": "heading", "level": "x", "source": "Valve"}, text)
    yield "include.ipynb", of(text, code("%load ../secret.txt\n!cat /etc/passwd"))
    yield "many.ipynb", of(*[text] * 3_000)
    yield "picture.ipynb", of(code("", data={"image/png": "A" * 1_000_000}))
    yield "no-cells.ipynb", b'{"nbformat": 4}'
    yield "list.ipynb", b"[1, 2]"
    yield "cut.ipynb", of(text)[:40]
    yield "empty.ipynb", b""


def sheets() -> Iterator[tuple[str, bytes]]:
    text = SENTENCE.encode()
    yield "good.csv", b"Part,Seconds\nValve,5\n"
    yield "good.xlsx", workbook("<row r='1'><c r='A1'><v>5</v></c></row>")
    yield "columns.csv", b"x," * 1_000_000 + b"\n1,2\n"
    yield "columns.tsv", b"x\t" * 1_000_000
    yield "quote.csv", b'Part,Text\nValve,"' + b"never closed " * 20_000
    yield "cell.csv", b"Part,Text\nValve," + b"w" * 200_000
    yield "nul.csv", b"a,b\n1\0,2\n" + text
    yield "separator.csv", b"sep=\n\na,b\n"
    yield "formula.csv", b'Part,Text\n=cmd|"/C calc"!A0,"=HYPERLINK(""http://a"")"\n'
    yield "lines.csv", b"\n" * 100_000 + b"a,b\n"
    yield "rows.csv", b"a,b\n" * 50_000
    yield "picture.csv", PNG
    yield "empty.csv", b""
    yield "text.xlsx", text
    yield "zip.xlsx", zipped(("guide.md", text))
    yield "locked.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "cut.xlsx", workbook("")[:400]
    yield "empty.xlsx", workbook("")
    yield "far.xlsx", workbook("<row r='1048576'><c r='XFD1048576'><v>5</v></c></row>")
    cells = "".join(
        f"<c r='{a}{b}{c}1'><v>5</v></c>" for a in "ABC" for b in LETTERS for c in LETTERS
    )
    yield "wide.xlsx", workbook(f"<row r='1'>{cells}</row>")
    yield "bomb.xlsx", workbook(" " * 50_000_000)
    yield "laughs.xlsx", workbook("<row r='1'><c r='A1' t='str'><v>&l9;</v></c></row>", laughs())
    secret = "<!DOCTYPE a [<!ENTITY l9 SYSTEM '../secret.txt'>]>"
    yield "entity.xlsx", workbook("<row r='1'><c r='A1' t='str'><v>&l9;</v></c></row>", secret)
    yield "deep.xlsx", workbook("<row>" * 50_000)
    yield "numbers.xlsx", workbook("<row r='x'><c r='1A' t='n'><v>1e999</v></c></row>")
    merged = "</sheetData><mergeCells><mergeCell ref='A1:XFD1048576'/></mergeCells><sheetData>"
    pair = "<row><c><v>5</v></c><c><v>6</v></c></row>"
    yield "merged.xlsx", workbook(pair * 5_000 + merged)
    yield "index.xlsx", workbook("<row r='1'><c r='A1' t='s'><v>99</v></c></row>")


def books() -> Iterator[tuple[str, bytes]]:
    chapter = f"<html><body><h1>Valve</h1><p>{SENTENCE}</p></body></html>"
    yield "good.epub", book(("a.xhtml", chapter))
    yield "percent.epub", book(("a b.xhtml", chapter), href="a%20b.xhtml#top")
    yield "outside.epub", book(("a.xhtml", chapter), href="../../secret.txt")
    yield "absolute.epub", book(("a.xhtml", chapter), href="/etc/passwd")
    yield "bomb.epub", book(("a.xhtml", chapter + " " * 30_000_000))
    yield "large.epub", book(("a.xhtml", chapter), ("b.txt", "ab" * 150_000_000))
    yield "locked.epub", book(("a.xhtml", "\x01\x02"), locked="OEBPS/a.xhtml")
    yield "fonts.epub", book(("a.xhtml", chapter), locked="OEBPS/font.otf")
    yield (
        "entity.epub",
        book(("a.xhtml", chapter), doctype="<!DOCTYPE p [<!ENTITY e SYSTEM '../secret.txt'>]>"),
    )
    yield "laughs.epub", book(("a.xhtml", chapter), doctype=laughs())
    yield "deep.epub", book(("a.xhtml", "<div>" * 50_000))
    yield "cover.epub", book(("a.xhtml", "<html><body><img src='a.png'/></body></html>"))
    yield "no-container.epub", zipped(("mimetype", b"application/epub+zip"))
    yield "no-spine.epub", book()
    yield "itself.epub", book(("package.opf", chapter), href="package.opf")
    yield "cut.epub", book(("a.xhtml", chapter))[:300]
    yield "text.epub", SENTENCE.encode()
    yield "empty.epub", b""


def book(*parts: tuple[str, str], href: str = "", doctype: str = "", locked: str = "") -> bytes:
    """A book with the first of these parts as its chapter."""
    chapter = href or (parts[0][0] if parts else "")
    spine = "<spine><itemref idref='c'/></spine>" if parts else ""
    package = (
        f"{doctype}<package xmlns='http://www.idpf.org/2007/opf'><metadata "
        "xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>Valve</dc:title></metadata><manifest>"
        f"<item id='c' href='{chapter}' media-type='application/xhtml+xml'/></manifest>"
        f"{spine}</package>"
    )
    container = (
        "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
        "<rootfile full-path='OEBPS/package.opf'/></rootfiles></container>"
    )
    encryption = (
        "<encryption xmlns:e='http://www.w3.org/2001/04/xmlenc#'><e:CipherData>"
        f"<e:CipherReference URI='{locked}'/></e:CipherData></encryption>"
    )
    own = {f"OEBPS/{name}": text for name, text in parts}
    return zipped(
        ("mimetype", b"application/epub+zip"),
        ("META-INF/container.xml", container.encode()),
        *([("META-INF/encryption.xml", encryption.encode())] if locked else []),
        *((name, text) for name, text in {"OEBPS/package.opf": package, **own}.items()),
    )


def manual_pages() -> Iterator[tuple[str, bytes]]:
    def of(text: str) -> bytes:
        return f".TH VALVE 1\n.SH NAME\n{SENTENCE}\n{text}\n".encode()

    yield "good.1", of(".TP\n.B x\ny")
    yield "include.1", of(".so ../secret.txt\n.mso /etc/passwd\n.PSPIC ../secret.txt")
    yield "system.1", of(".sy cat /etc/passwd\n.pi cat\n.open a ../secret.txt\n.cf ../secret.txt")
    strings = "".join(".ds a{} {}\n".format(i, f"\\*[a{i - 1}]" * 10) for i in range(1, 12))
    yield "laughs.1", of(strings + "\\*[a11]")
    yield "itself.1", of(".ds a \\*[a]\\*[a]\n\\*[a]")
    yield "endless.1", of(".de x\n.x\n.ig\nnever closed")
    yield "loop.1", of(".while 1 .x\n.de y\n.y\n..\n.y")
    yield "deep.1", of(".RS\n" * 5_000 + "deep\n" + ".RE\n" * 9_000)
    yield "blocks.1", of(".if n \\{\n" * 5_000 + "inside\n" + "\\}" * 9_000)
    yield "terms.1", of(".TP\n" * 5_000)
    yield "escapes.1", of("\\f\\s\\*\\n\\(\\[\\h'" * 500 + "\\N'9999999' \\N'55555' \\[uFFFFFF]")
    yield "table.1", of(".TS\ntab(;);\nnever a format\n" + "a;" * 50_000)
    yield "quotes.1", of('.B "' + '"' * 50_001)
    yield "picture.1", PNG
    yield "empty.1", b""
    bsd = f".Dd January 12, 2026\n.Dt VALVE 1\n.Sh NAME\n{SENTENCE}\n"
    deep = ".Bl -tag\n.It x\n" * 5_000 + ".El\n" * 9_000
    yield "mdoc.1", f"{bsd}{deep}.It y\n.Ta z".encode()
    opened = ".Oo Op Fo Sm off " * 5_000
    yield "mdoc-open.1", f"{bsd}.Bl -tag\n.It Xo\n{opened}\n.Nm\n".encode()
    cells = " Ta a" * 50_000
    yield "mdoc-cells.1", f"{bsd}.Bl -column\n.It{cells}\n.Rs\n.%A\n.Fa".encode()
    yield "other.1", b".so man1/valve.1\n"


def structured_xml() -> Iterator[tuple[str, bytes]]:
    def of(inside: str, doctype: str = "") -> bytes:
        words = f"<title>Valve</title><para>{SENTENCE}</para>"
        return f"<?xml version='1.0'?>{doctype}<article>{words}{inside}</article>".encode()

    outside = "<!DOCTYPE article [<!ENTITY e SYSTEM '../secret.txt'>]>"
    parameter = "<!DOCTYPE article [<!ENTITY % p SYSTEM 'file:///etc/passwd'> %p;]>"
    include = (
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='../secret.txt' parse='text'/>"
    )
    yield "good.xml", of("<para>&mdash; &unknown;</para>")
    yield (
        "good.dita",
        f"<topic id='a'><title>V</title><body><p>{SENTENCE}</p></body></topic>".encode(),
    )
    yield "outside.xml", of("<para>&e;</para>", outside)
    yield "parameter.xml", of("", parameter)
    yield "include.xml", of(include)
    yield "laughs.xml", of("<para>&l9;</para>", laughs())
    yield (
        "quadratic.xml",
        of("<para>&x;</para>" * 5_000, f"<!DOCTYPE a [<!ENTITY x '{'y' * 50_000}'>]>"),
    )
    yield "itself.xml", of("<para>&a;</para>", "<!DOCTYPE a [<!ENTITY a '&a;'>]>")
    yield "deep.xml", of("<section>" * 5_000 + "</section>" * 5_000)
    yield "deep.dita", b"<topic>" * 10_000
    yield "script.xml", of("<script>alert(1)</script><para onclick='alert(1)'>x</para>")
    yield "stylesheet.xml", b"<?xml-stylesheet href='../secret.txt'?>" + of("")[21:]
    yield "wide.xml", of(f"<informaltable><tgroup cols='9'>{CALS}</tgroup></informaltable>")
    yield "code.xml", of("<programlisting><![CDATA[&mdash; <b>]]></programlisting>")
    yield "names.xml", of("<a:b xmlns:a='x'><c:para xmlns:c=''/></a:b>")
    yield (
        "empty-names.xml",
        of("<refnamediv/><glossentry/><example/><table/><note/><xref linkend='a'/>"),
    )
    yield "cut.dita", b"<topic id='a'><title>V"
    yield "utf-16.xml", of("").decode().replace("?>", " encoding='utf-16'?>", 1).encode("utf-16")
    yield "picture.xml", PNG
    yield "empty.dita", b""


CALS = (
    "<colspec colname='a'/><colspec colname='b'/><tbody><row>"
    "<entry namest='b' nameend='a' morerows='99999'>x</entry><entry morerows='-1'>y</entry>"
    "</row></tbody>"
)
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_OF_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OF_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_OF_PACKAGES = "http://schemas.openxmlformats.org/package/2006"


def laughs() -> str:
    names = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    return f'<!DOCTYPE a [<!ENTITY l0 "ha">{names}]>'


def workbook(rows: str, doctype: str = "") -> bytes:
    """A workbook of one sheet with these rows."""
    types = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    main, sheet = f"{types}.sheet.main+xml", f"{types}.worksheet+xml"
    parts = {
        "[Content_Types].xml": f"<Types xmlns='{_OF_PACKAGES}/content-types'>"
        f"<Override PartName='/xl/workbook.xml' ContentType='{main}'/>"
        f"<Override PartName='/xl/worksheets/sheet1.xml' ContentType='{sheet}'/></Types>",
        "_rels/.rels": f"<Relationships xmlns='{_OF_PACKAGES}/relationships'><Relationship Id='a' "
        f"Type='{_OF_OFFICE}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
        "xl/workbook.xml": f"<workbook xmlns='{_OF_SHEETS}' xmlns:r='{_OF_OFFICE}'><sheets>"
        "<sheet name='Valve' sheetId='1' r:id='a'/></sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f"<Relationships xmlns='{_OF_PACKAGES}/relationships'>"
        f"<Relationship Id='a' Type='{_OF_OFFICE}/worksheet' Target='worksheets/sheet1.xml'/>"
        "</Relationships>",
        "xl/worksheets/sheet1.xml": f"{doctype}<worksheet xmlns='{_OF_SHEETS}'><sheetData>{rows}"
        "</sheetData></worksheet>",
    }
    return zipped(*((name, part.encode()) for name, part in parts.items()))


def data() -> Iterator[tuple[str, bytes]]:
    """Files that are no documentation: they are counted by their suffix."""
    yield "package.json", b'{"name": "valve", "version": "1.0"}'
    yield "list.json", b"[1, 2, 3]"
    yield "blank-lines.json", b'{"port": 1}' + b"\n" * 300_000
    yield "mkdocs.yml", b"site_name: Valve\nnav:\n  - index.md\n"
    yield "sitemap.xml", b"<urlset><url><loc>https://valve.example/</loc></url></urlset>"
    yield "pom.xml", b"<project><name>valve</name><version>2.1</version></project>"
    yield "broken.xml", b"<a><b></a>"
    yield "notes-2.1", b"Notes on release 2.1.\n"
    yield "archive.asc", b"-----BEGIN PGP SIGNATURE-----\n\niQIz\n-----END PGP SIGNATURE-----\n"
    yield "says-openapi.yaml", b"# openapi: 3.0\ntext: |\n  openapi: 3.0.0\n"


GROUPS: dict[str, Callable[[], Iterator[tuple[str, bytes]]]] = {
    "interfaces": interfaces,
    "asciidoc": asciidoc,
    "notebooks": notebooks,
    "sheets": sheets,
    "books": books,
    "manual-pages": manual_pages,
    "structured-xml": structured_xml,
}
