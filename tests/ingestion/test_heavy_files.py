"""Files that are made to take a parser's time and memory end in pages or in one clear line.

With `--long` each is five times as large, and parsed within the limits that are the default.
"""

import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing

import pymupdf
import pytest

from ingestion.listing import DEFAULT_LIMITS
from ingestion.page import Document
from ingestion.sandbox import Sandbox

pytestmark = pytest.mark.slow

SENTENCE = "The valve closes after five seconds and opens again. "


def _html(body: str) -> bytes:
    return f"<html><body><h1>Valve</h1>{body}</body></html>".encode()


def _drawing_of_labels(times: int) -> bytes:
    labels = (
        f'<text x="{i % 1000}" y="{i // 125}">label {i}</text>' for i in range(100_000 * times)
    )
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(labels)}</svg>'.encode()


def _one_line(times: int) -> bytes:
    return (SENTENCE * 200_000 * times).encode()


def _largest_line(times: int) -> bytes:
    size = DEFAULT_LIMITS.file_size // 5 * times
    return (SENTENCE * (size // len(SENTENCE))).encode()


def _many_pages(times: int) -> bytes:
    with pymupdf.open() as pdf:
        for number in range(2000 * times):
            pdf.new_page().insert_text((72, 72), f"Page {number}. {SENTENCE}")
        made: bytes = pdf.tobytes()
    return made


def _page_of_words(times: int) -> bytes:
    with pymupdf.open() as pdf:
        # Half as many take fifteen times as long until the memory is used up.
        page = pdf.new_page(width=40_000, height=40_000)
        words = " ".join(f"w{i}" for i in range(120_000 * times))
        page.insert_textbox((0, 0, 40_000, 40_000), words, fontsize=6)
        made: bytes = pdf.tobytes()
    return made


def _flate_bomb(times: int) -> bytes:
    stream = zlib.compress(b"BT /F1 12 Tf 10 10 Td (x) Tj ET\n" * 3_000_000 * times, 9)
    head = b"<</Length %d/Filter/FlateDecode>>stream\n" % len(stream)
    font = b"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    objects = (
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources %b>>" % font,
        head + stream + b"\nendstream",
    )
    body = b"%PDF-1.4\n"
    places = []
    for number, written in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj%bendobj\n" % (number, written)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer<</Size 5/Root 1 0 R>>startxref\n%d\n%%%%EOF" % len(body)
    return body + b"xref\n0 5\n0000000000 65535 f \n" + table + end


def _rows(times: int) -> bytes:
    rows = "".join(f"<tr><td>name{i}</td><td>value {i}</td></tr>" for i in range(30_000 * times))
    return _html(f"<table><tr><th>Name</th><th>Value</th></tr>{rows}</table>")


def _columns(times: int) -> bytes:
    row = "".join(f"<td>c{i}</td>" for i in range(2000))
    return _html(f"<table>{f'<tr>{row}</tr>' * 20 * times}</table>")


def _headings(times: int) -> bytes:
    return _html("".join(f"<h2>Part {i}</h2><p>Text {i}</p>" for i in range(30_000 * times)))


def _attributes(times: int) -> bytes:
    return _html(f'<p class="{"x" * 1_000_000}">{SENTENCE}</p>' * 20 * times)


def _host_in_punycode(times: int) -> bytes:
    host = f"http://xn--{'a' * 200_000 * times}.com/"
    return _html(f'<p>{SENTENCE * 3}<a href="{host}">more</a></p><p>{host} {SENTENCE}</p>')


def _spans(times: int) -> bytes:
    wide = '<td colspan="1000000000" rowspan="1000000000">Valve</td>'
    return _html(f"<table><tr>{wide}<td>5 s</td></tr>{'<tr></tr>' * times}</table>")


def _nesting(times: int) -> bytes:
    quotes, items = "> " * 20_000 * times, "- " * 5_000 * times
    return f"# Valve\n\n{SENTENCE}\n\n{quotes}end\n\n{items}x\n\n{'*' * 200_000}\n".encode()


MADE: dict[str, Callable[[int], bytes]] = {
    "labels.svg": _drawing_of_labels,
    "line.txt": _one_line,
    "largest.txt": _largest_line,
    "pages.pdf": _many_pages,
    "words.pdf": _page_of_words,
    "bomb.pdf": _flate_bomb,
    "rows.html": _rows,
    "columns.html": _columns,
    "headings.html": _headings,
    "attributes.html": _attributes,
    "punycode.html": _host_in_punycode,
    "spans.html": _spans,
    "nesting.md": _nesting,
}
TOO_MUCH = ("words.pdf", "largest.txt")
"""Those that take longer than the others together."""
LARGEST_PAGE = 40_000


@pytest.fixture(scope="module")
def is_long(pytestconfig: pytest.Config) -> bool:
    asked: bool = pytestconfig.getoption("--long")
    return asked


@pytest.fixture(scope="module")
def sandbox(is_long: bool) -> Iterator[Sandbox]:
    memory = DEFAULT_LIMITS.memory if is_long else 512 << 20
    with closing(Sandbox(memory=memory, seconds=DEFAULT_LIMITS.seconds)) as opened:
        yield opened


@pytest.mark.timeout(300)
@pytest.mark.parametrize("file", MADE)
def test_a_heavy_file_is_read_within_its_limits_or_named(
    sandbox: Sandbox, is_long: bool, file: str
) -> None:
    read = sandbox.parse(MADE[file](5 if is_long else 1), file)
    if isinstance(read, Document):
        assert file not in TOO_MUCH
        assert read.pages
        assert max(len(page.text) for page in read.pages) <= LARGEST_PAGE
    else:
        assert is_long or file in TOO_MUCH, read
        assert re.search(r"needs more than \S+ MB of memory|takes longer than 60 s", read.reason)
