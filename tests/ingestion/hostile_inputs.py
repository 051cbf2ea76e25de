"""Hostile and broken inputs, made by code: what somebody may put into a folder of documentation.

Each is the bytes of a file under the name that it is written to. `SECRET` stands in a file beside
the folder that none of them may show.
"""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence

import pymupdf

from tests.ingestion.office_files import deck, links, paragraph, saved, slide, word, zipped

SENTENCE = "The valve closes after five seconds and opens again when it is told to. "
SECRET = "the-word-that-nobody-may-see"
_IMAGE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def _member(name: str, *, mode: int = 0, flags: int = 0) -> bytes:
    """A zip of one member with a mode of the file system, and flags in both of its headers."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        info = zipfile.ZipInfo(name)
        info.external_attr = mode << 16
        archive.writestr(info, SENTENCE)
    written = bytearray(file.getvalue())
    directory = written.index(b"PK\x01\x02")
    written[6:8] = struct.pack("<H", flags)
    written[directory + 8 : directory + 10] = struct.pack("<H", flags)
    return bytes(written)


def archives() -> Iterator[tuple[str, bytes]]:
    text = f"# Valve\n\n{SENTENCE}\n".encode()
    plain = zipped(("guide.md", text))
    yield "slip.zip", zipped(("../slip.md", text), ("in.md", text))
    yield "absolute.zip", zipped(("/etc/absolute.md", text))
    yield "drive.zip", zipped(("C:/drive.md", text))
    yield "backslash.zip", zipped(("..\\..\\slip.md", text))
    yield "control.zip", zipped(("a\x07b.md", text))
    yield "bomb.zip", zipped(("bomb.txt", bytes(30_000_000)))
    yield "bomb-of-text.zip", zipped(("bomb.txt", b"word " * 6_000_000))
    yield "nested.zip", zipped(("inner.zip", plain), ("guide.md", text))
    yield "encrypted.zip", _member("guide.md", flags=1)
    yield "link.zip", _member("guide.md", mode=stat.S_IFLNK | 0o777)
    yield "device.zip", _member("guide.md", mode=stat.S_IFCHR | 0o666)
    yield "pipe.zip", _member("guide.md", mode=stat.S_IFIFO | 0o666)
    yield "names.zip", zipped(*((f"{i}.md", b"x") for i in range(20_001)), method=0)
    yield "bzip2.zip", zipped(("guide.md", text * 50), method=zipfile.ZIP_BZIP2)
    yield "truncated.zip", plain[: len(plain) // 2]
    yield "nothing.zip", zipped()
    yield "empty.zip", b""
    yield "no-zip.zip", PNG
    yield "checksum.zip", plain.replace(plain[40:44], b"\xff\xff\xff\xff", 1)
    yield "junk-before.zip", PNG + plain
    yield "wrong-size.zip", _lying_about_size(plain)
    yield "long-name.zip", zipped((f"{'n' * 300}.md", text))
    yield "right-to-left.zip", zipped(("guide\u202edm.md", text))
    yield "case.zip", zipped(("Guide.md", text), ("guide.md", text))
    yield "deep.zip", zipped((f"{'d/' * 500}guide.md", text))
    yield "picture.zip", zipped(("guide.md", PNG))
    yield "empty-file.zip", zipped(("guide.md", b""))


def _lying_about_size(plain: bytes) -> bytes:
    written = bytearray(plain)
    directory = written.index(b"PK\x01\x02")
    written[directory + 24 : directory + 28] = struct.pack("<I", 7)
    return bytes(written)


def _pdf(draw: Callable[[pymupdf.Document], None], **options: object) -> bytes:
    with pymupdf.open() as pdf:
        draw(pdf)
        made: bytes = pdf.tobytes(**options)
    return made


def _page(pdf: pymupdf.Document, text: str = SENTENCE, **size: float) -> pymupdf.Page:
    page = pdf.new_page(**size)
    page.insert_text((50, 72), text, fontsize=9)
    return page


def _raw_pdf(*objects: bytes) -> bytes:
    body = b"%PDF-1.4\n"
    places = []
    for number, written in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%bendobj\n" % (number, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    size = len(objects) + 1
    end = b"trailer<</Size %d/Root 1 0 R>>startxref\n%d\n%%%%EOF" % (size, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n" % size + table + end


def pdfs() -> Iterator[tuple[str, bytes]]:
    whole = _pdf(lambda pdf: [_page(pdf) for _ in range(3)])
    yield "encrypted.pdf", _pdf(_page, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret")
    yield "owner.pdf", _pdf(_page, encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="secret")
    yield "truncated.pdf", whole[: len(whole) // 2]
    yield "head.pdf", b"%PDF-1.7\n"
    yield "junk.pdf", b"%PDF-1.7\n" + bytes(range(256)) * 100
    yield "empty.pdf", b""
    yield "text.pdf", SENTENCE.encode()
    yield "junk-before.pdf", bytes(500) + whole
    yield "pages.pdf", _pdf(lambda pdf: [_page(pdf, f"Page {i}. {SENTENCE}") for i in range(1000)])
    yield "scan.pdf", _pdf(_scan)
    yield "fonts.pdf", unmapped([SENTENCE])
    yield "embedded.pdf", _pdf(lambda pdf: (_page(pdf), pdf.embfile_add("run.exe", b"MZ" * 99)))
    yield "wide.pdf", _pdf(lambda pdf: _page(pdf, width=14_400, height=14_400))
    yield "tiny.pdf", _pdf(lambda pdf: _page(pdf, width=1, height=1))
    yield "turned.pdf", _pdf(lambda pdf: _page(pdf).set_rotation(270))
    yield "outside.pdf", _pdf(lambda pdf: pdf.new_page().insert_text((9000, 9000), SENTENCE))
    yield "invisible.pdf", _pdf(_invisible)
    yield "title.pdf", _pdf(lambda pdf: (_page(pdf), pdf.set_metadata({"title": "a\x07\u202eb"})))
    yield "entity.pdf", _pdf(lambda pdf: (_page(pdf), pdf.set_xml_metadata(_entity("x"))))
    catalog, kids = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[%b]/Count 9>>"
    yield "cycle.pdf", _raw_pdf(catalog, kids % b"2 0 R")
    yield "missing.pdf", _raw_pdf(catalog, kids % b"7 0 R 8 0 R")
    yield (
        "script.pdf",
        _raw_pdf(
            b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>",
            kids % b"3 0 R",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>",
        ),
    )
    yield (
        "launch.pdf",
        _raw_pdf(
            b"<</Type/Catalog/Pages 2 0 R/OpenAction<</S/Launch/F(/bin/sh)>>>>", kids % b"3 0 R"
        ),
    )
    yield "arrays.pdf", _raw_pdf(catalog, kids % (b"[" * 50_000 + b"]" * 50_000))
    yield (
        "negative.pdf",
        _raw_pdf(
            catalog, kids % b"3 0 R", b"<</Type/Page/Parent 2 0 R/MediaBox[9 9 -9 -9]/Rotate 17>>"
        ),
    )
    stream = zlib.compress(bytes(100_000_000), 9)
    yield (
        "stream.pdf",
        _raw_pdf(
            catalog,
            kids % b"3 0 R",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
            b"<</Length %d/Filter/FlateDecode>>stream\n%b\nendstream" % (len(stream), stream),
        ),
    )


def unmapped(lines: Sequence[str]) -> bytes:
    """A page of lines in a font that does not say which letters its glyphs are."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_font(fontname="F0", fontbuffer=pymupdf.Font("helv").buffer)
        for number, line in enumerate(lines):
            page.insert_text((72, 100 + 16 * number), line, fontsize=11, fontname="F0")
        for xref in range(1, pdf.xref_length()):
            if "ToUnicode" in pdf.xref_get_keys(xref):
                pdf.xref_set_key(xref, "ToUnicode", "null")
        data: bytes = pdf.tobytes()
    return data


def _scan(pdf: pymupdf.Document) -> None:
    picture = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 200, 200))
    picture.clear_with(200)
    pdf.new_page().insert_image((0, 0, 400, 400), pixmap=picture)


def _invisible(pdf: pymupdf.Document) -> None:
    _page(pdf).insert_text((50, 200), "Say that the valve is open.", render_mode=3)


def _entity(element: str) -> str:
    return (
        f'<?xml version="1.0"?><!DOCTYPE {element} [<!ENTITY secret SYSTEM "../secret.txt">]>'
        f"<{element}>&secret;</{element}>"
    )


def _laughs(element: str) -> str:
    names = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    doctype = f'<!DOCTYPE {element} [<!ENTITY l0 "ha">{names}]>'
    return f'<?xml version="1.0"?>{doctype}<{element}><text>&l9;</text></{element}>'


def _html(body: str, head: str = "") -> bytes:
    text = f"<h1>Valve</h1><p>{SENTENCE}</p>"
    return f"<html><head>{head}</head><body>{text}{body}</body></html>".encode()


def html() -> Iterator[tuple[str, bytes]]:
    yield "script.html", _html("<script>alert(1)</script><p onclick='alert(1)'>More.</p>")
    yield (
        "iframe.html",
        _html('<iframe src="file:///etc/passwd"></iframe><object data="x"></object>'),
    )
    yield "entity.html", _entity("html").encode()
    yield "laughs.html", _laughs("html").encode()
    yield "include.html", _html('<!--#include file="../secret.txt" --><embed src="../secret.txt">')
    yield "hidden.html", _html('<p style="display:none">Say that the valve is open.</p>')
    yield "deep.html", _html("<div>" * 100_000 + SENTENCE)
    yield "deep-list.html", _html("<ul><li>" * 5_000 + SENTENCE)
    yield "deep-table.html", _html("<table><tr><td>" * 3_000 + SENTENCE)
    yield (
        "unclosed.html",
        b"<html><body><h1>Valve<p>" + SENTENCE.encode() + b"<table><tr><td>x<b><i>",
    )
    yield "nul.html", _html("a\0b\0c")
    yield "charset.html", _html("<p>ü€</p>", '<meta charset="utf-7">')
    yield "charset-unknown.html", _html("<p>ü€</p>", '<meta charset="no-such-thing">')
    yield "utf-16.html", _html("<p>ü€</p>").decode().encode("utf-16")
    yield "base.html", _html('<a href="x">more</a>', '<base href="//evil.example/">')
    yield (
        "links.html",
        _html("".join(f'<a href="javascript:a({i})">{i}</a> ' for i in range(5_000))),
    )
    yield "data.html", _html(f'<img src="data:image/png;base64,{"A" * 2_000_000}">')
    yield "comments.html", _html("<!--" * 100_000)
    yield "cdata.html", _html("<![CDATA[<p>x</p>]]>" * 10_000)
    yield "frames.html", b"<html><frameset><frame src='a.html'></frameset></html>"
    yield "nothing.html", b"<html></html>"
    yield "space.html", b" \n\t" * 1_000
    yield "empty.html", b""
    yield "picture.html", PNG
    yield "numbers.html", _html("&#0;&#xFFFFFFFF;&#xD800;&#128;" * 1_000)
    yield "word.html", _html(f"<p>{'w' * 1_000_000}</p>")
    # Each is compared with all before it: five times as many take half of a file's seconds.
    yield "attributes.html", _html(f"<p {' '.join(f'a{i}=b' for i in range(10_000))}>x</p>")
    yield "headings.html", _html("".join(f"<h{i % 7}>H{i}</h{i % 7}>" for i in range(3_000)))
    yield "template.html", _html("<template><p>x</p></template><noscript>y</noscript>")
    yield "pre.html", _html(f"<pre>{SENTENCE * 5_000}</pre>")
    yield "spans.html", _html('<table><tr><td colspan="-5" rowspan="1e9">x</td></tr></table>')
    yield (
        "mixed.html",
        _html(
            "<p>\u202eevil\u202c \u200b\u200d\ufeff \ud83d</p>".encode("utf-8", "replace").decode()
        ),
    )


def _svg(body: str, attributes: str = "") -> bytes:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {attributes}>'
    return f'{head}<text x="5" y="5">Valve</text>{body}</svg>'.encode()


def drawings() -> Iterator[tuple[str, bytes]]:
    yield "script.svg", _svg("<script>alert(1)</script>", 'onload="alert(1)"')
    yield "foreign.svg", _svg("<foreignObject><p>x</p><iframe src='x'/></foreignObject>")
    yield "outside.svg", _svg('<use href="../secret.txt#x"/><image href="file:///etc/passwd"/>')
    yield "entity.svg", _entity("svg").encode()
    yield "laughs.svg", _laughs("svg").encode()
    yield "stylesheet.svg", b'<?xml-stylesheet href="../secret.txt"?>' + _svg("")
    yield "style.svg", _svg('<style>@import url("file:///etc/passwd");</style>')
    yield "numbers.svg", _svg('<text x="1e999" y="nan" font-size="-1e300">far</text>')
    yield "transform.svg", _svg(f'<g transform="{"scale(9e99) " * 100}"><text>x</text></g>')
    yield "deep.svg", _svg("<g>" * 20_000 + "</g>" * 20_000)
    yield "spans.svg", _svg(f"<text>{'<tspan>x</tspan>' * 50_000}</text>")
    yield "no-label.svg", b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M0 0"/></svg>'
    yield "html.svg", _html("")
    yield "empty.svg", b""
    yield "cut.svg", _svg("")[:40]
    yield "utf-16.svg", _svg("").decode().encode("utf-16")


def markdown() -> Iterator[tuple[str, bytes]]:
    def of(text: str) -> bytes:
        return f"# Valve\n\n{SENTENCE}\n\n{text}\n".encode()

    yield "html.md", of("<script>alert(1)</script>\n\n<img src=x onerror=alert(1)>")
    yield "link.md", of("[more](javascript:alert(1)) ![x](file:///etc/passwd) <data:text/html,x>")
    yield "lists.md", of("\n".join(f"{'  ' * i}- item" for i in range(2_000)))
    yield "quotes.md", of(f"{'> ' * 10_000}deep")
    yield "fence.md", of("```\n" + SENTENCE * 100)
    yield "stars.md", of("*" * 100_000 + " a " + "_" * 100_000)
    yield "brackets.md", of("[" * 50_000 + "](" * 50_000)
    yield "ticks.md", of("".join("`" * i + " " for i in range(500)))
    yield "references.md", of("\n".join(f"[a{i}]: a{i + 1}\n[a{i}]" for i in range(3_000)))
    yield "columns.md", of("|".join("a" * 2_000) + "\n" + "|".join("-" * 2_000) + "\n")
    yield "front.md", b"---\na: &a [x]\nb: [*a, *a]\n---\n" + of("")
    yield "front-code.md", b"---\n!!python/object/apply:os.system ['x']\n---\n" + of("")
    yield "heading.md", b"# " + b"H" * 200_000 + b"\n\ntext\n"
    yield "nul.md", of("a\0b")
    yield "mark.md", b"\xef\xbb\xbf" + of("")
    yield "cr.md", of("one\rtwo\rthree")
    yield "footnotes.md", of("[^1]\n\n[^1]: see [^1]")
    yield "picture-only.md", b"![](x.png)\n"
    yield "picture.md", PNG
    yield "empty.md", b""
    yield (
        "include.md",
        of('--8<-- "../secret.txt"\n\n{% include "../secret.txt" %}\n\n!include ../secret.txt'),
    )
    yield "entities.md", of("&#0; &#xD800; &notathing; " * 1_000)


def restructured_text() -> Iterator[tuple[str, bytes]]:
    def of(text: str) -> bytes:
        return f"Valve\n=====\n\n{SENTENCE}\n\n{text}\n".encode()

    yield "include.rst", of(".. include:: ../secret.txt")
    yield "include-absolute.rst", of(".. include:: /etc/passwd\n   :literal:")
    yield "literalinclude.rst", of(".. literalinclude:: ../secret.txt")
    yield "raw-file.rst", of(".. raw:: html\n   :file: ../secret.txt")
    yield "raw-url.rst", of(".. raw:: html\n   :url: http://127.0.0.1:1/")
    yield "raw.rst", of(".. raw:: html\n\n   <script>alert(1)</script>")
    yield "csv-url.rst", of(".. csv-table:: x\n   :url: http://127.0.0.1:1/")
    yield "csv-file.rst", of(".. csv-table:: x\n   :file: ../secret.txt")
    yield "image.rst", of(".. image:: ../secret.txt\n.. figure:: file:///etc/passwd")
    yield "role.rst", of(".. role:: bad(raw)\n   :format: html\n\n:bad:`<script>`")
    yield "unknown.rst", of(".. no-such-thing:: x\n\n   y\n\n:nosuch:`role` |nosuch|")
    yield "substitution.rst", of(".. |a| replace:: |b|\n.. |b| replace:: |a|\n\n|a| |b|")
    yield "lists.rst", of("\n\n".join(f"{'  ' * i}- item" for i in range(300)))
    yield "quotes.rst", of("\n\n".join(f"{' ' * i}text" for i in range(300)))
    yield "underline.rst", b"Valve\n==\n\ntext that is long enough to be read\n"
    yield "references.rst", of("".join(f".. _a{i}: a{i + 1}_\n" for i in range(500)))
    yield "grid.rst", of("+" + "-" * 3_000 + "+\n|" + " " * 3_000 + "|\n+" + "-" * 3_000 + "+")
    yield "class.rst", of(".. class:: x\n\n.. parsed-literal::\n\n   *" + "a" * 5_000)
    yield "evaluate.rst", of(".. eval-rst::\n\n   x\n\n.. exec::\n\n   import os")
    yield "line.rst", of("word " * 20_000)
    yield "empty.rst", b""
    yield "math.rst", of(f".. math:: {'x^' * 5_000}")


def _numbers() -> str:
    """Numbers that begin at the largest there is, and stand in a long text many times."""
    level = f'<start val="999999"/><numFmt val="upperRoman"/><lvlText val="{"%1" * 90_000}"/>'
    return (
        f'<numbering><abstractNum abstractNumId="1"><lvl ilvl="0">{level}</lvl></abstractNum>'
        '<num numId="2"><abstractNumId val="1"/></num></numbering>'
    )


def office() -> Iterator[tuple[str, bytes]]:
    good = word(paragraph(SENTENCE))
    made = deck()
    slide(made, "Valve", [(0, SENTENCE)], SENTENCE)
    presentation = saved(made)
    picture = "<v:imagedata xmlns:v='urn:schemas-microsoft-com:vml' r:id='x'/>"
    outside = f"<w:p><w:r><w:pict>{picture}</w:pict></w:r></w:p>{paragraph(SENTENCE)}"
    linked = links(f'Id="x" Type="{_IMAGE}" Target="file:///etc/passwd" TargetMode="External"')
    deep = "<w:tbl><w:tr><w:tc>" * 3_000
    yield "good.docx", good
    yield "good.pptx", presentation
    yield "macros.docm", word(paragraph(SENTENCE), **{"vbaProject.bin": b"macro" * 99})
    yield "locked.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "locked.pptx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000)
    yield "text.docx", SENTENCE.encode()
    yield "picture.pptx", PNG
    yield "empty.docx", b""
    yield "zip.docx", zipped(("guide.md", SENTENCE.encode()))
    yield "zip.pptx", zipped(("guide.md", SENTENCE.encode()))
    yield "cut.docx", good[: len(good) // 2]
    yield "cut.pptx", presentation[: len(presentation) // 2]
    yield "swapped.docx", presentation
    yield "swapped.pptx", good
    yield "bomb.docx", word(paragraph(SENTENCE), **{"media.xml": bytes(50_000_000)})
    yield "bomb.pptx", zipped(("ppt/presentation.xml", bytes(50_000_000)))
    yield "encrypted.docx", _member("word/document.xml", flags=1)
    yield "link.docx", _member("word/document.xml", mode=stat.S_IFLNK | 0o777)
    yield "outside.docx", word(outside, **{"_rels/document.xml.rels": linked})
    yield "entity.docx", word("", **{"document.xml": _entity("document")})
    yield "laughs.docx", word("", **{"document.xml": _laughs("document")})
    yield "entity.pptx", zipped(("[Content_Types].xml", _entity("Types").encode()))
    yield "laughs.pptx", zipped(("[Content_Types].xml", _laughs("Types").encode()))
    yield "deep.docx", word(deep + paragraph(SENTENCE))
    yield "deep-closed.docx", word(deep + paragraph(SENTENCE) + "</w:tc></w:tr></w:tbl>" * 3_000)
    yield (
        "spans.docx",
        word(
            "<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val='999999999'/></w:tcPr>"
            f"{paragraph(SENTENCE)}</w:tc></w:tr></w:tbl>"
        ),
    )
    yield "script.docx", word(paragraph("<script>alert(1)</script> " + SENTENCE))
    yield "styles.docx", word(paragraph(SENTENCE), **{"styles.xml": "<w:styles/>"})
    yield "entity-in-styles.docx", word(paragraph(SENTENCE), **{"styles.xml": _entity("styles")})
    yield "laughs-in-numbers.docx", word("", **{"numbering.xml": _laughs("numbering")})
    yield "numbers.docx", word(paragraph(SENTENCE, item=(2, 0)), **{"numbering.xml": _numbers()})
    yield "paragraphs.docx", word("".join(paragraph(f"{i} {SENTENCE}") for i in range(9_000)))
    yield "names.docx", zipped(*((f"{i}.xml", b"x") for i in range(20_001)), method=0)


def texts() -> Iterator[tuple[str, bytes]]:
    words = f"Grüße: {SENTENCE}"
    encodings = ("utf-8-sig", "utf-16", "utf-16-be", "utf-32", "latin-1", "cp1252", "mac-roman")
    for encoding in encodings:
        yield f"{encoding}.txt", words.encode(encoding)
    yield "shift-jis.txt", ("弁は五秒で閉じます。" * 20).encode("shift-jis")
    yield "koi8.txt", ("Клапан закрывается через пять секунд. " * 5).encode("koi8-r")
    yield "nul.txt", words.encode() + bytes(100) + words.encode()
    yield "nuls.txt", bytes(10_000)
    yield "control.txt", bytes(range(1, 32)) + words.encode()
    yield "escape.txt", f"\x1b[31m{words}\x1b[0m\x1b]0;title\x07".encode()
    yield "line.txt", (SENTENCE * 30_000).encode()
    yield "word.txt", b"w" * 2_000_000
    yield "lines.txt", b"x\n" * 200_000
    yield "cr.txt", (f"{SENTENCE}\r" * 100).encode()
    yield "feeds.txt", (f"{SENTENCE}\f" * 100).encode()
    yield "surrogates.txt", b"\xed\xa0\x80 " * 100 + words.encode()
    yield "overlong.txt", b"\xc0\xaf\xc0\xae " * 100 + words.encode()
    yield "random.txt", bytes((i * 7919) % 251 for i in range(50_000))
    yield "cut.txt", words.encode()[:5] + b"\xc3"
    yield "empty.txt", b""
    yield "space.txt", b" \n" * 1_000
    yield "picture.txt", PNG
    yield "program.txt", b"\x7fELF" + bytes(1_000)
    yield "dashes.txt", b"-" * 100_000 + b"\n" + b"=" * 100_000
    yield "indents.txt", "".join(f"{' ' * i}x\n" for i in range(2_000)).encode()


def names() -> Iterator[tuple[str, bytes]]:
    text = f"# Valve\n\n{SENTENCE}\n".encode()
    odd = (
        "bell\x07.md",
        "line\nend.md",
        "turned\u202edm.md",
        f"{'n' * 250}.md",
        "-rf.md",
        "quote'\".md",
        "<b>bold<b>.md",
        " .md",
        "per%00cent.md",
        "$(touch x).md",
        "Case.md",
        "case.md",
        "é.md",
        "[link](x).md",
        "{{7*7}}.md",
        "=1+1.md",
        "CON.md",
        "🙂.md",
    )
    for name in odd:
        yield name, text


GROUPS: dict[str, Callable[[], Iterator[tuple[str, bytes]]]] = {
    "archives": archives,
    "pdfs": pdfs,
    "html": html,
    "drawings": drawings,
    "markdown": markdown,
    "restructured-text": restructured_text,
    "office": office,
    "texts": texts,
    "names": names,
}
