"""A page of a PDF, or an SVG drawing, as a picture with the quoted words marked.

The file comes from others and may be hostile, and PyMuPDF cannot be used from several threads: it
is drawn in a child process with limits, which can only harm itself. The child has no environment,
writes no file, and once it has what it needs it can open nothing more, no file and no connection.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

DRAWN = frozenset({"pdf", "svg"})
"""The formats that can be drawn."""

_PNG = b"\x89PNG\r\n\x1a\n"
_SECONDS = 20
_MEMORY = 2 << 30
_ZOOM = 2.0
_LARGEST = 2400
_Box = tuple[float, float, float, float]
_MARK = (1.0, 0.87, 0.35)


class NoPicture(Exception):
    """A page cannot be drawn; the message says why."""


def page_picture(
    data: bytes, number: int, quotes: Sequence[str] = (), format: str = "pdf"
) -> bytes:
    """Draw a page (numbered from 1) of a file as PNG, the words of the quotes marked.

    `format` is one of `DRAWN`. Raises NoPicture if the file cannot be read or takes more time or
    memory than is granted.
    """
    request = json.dumps({"number": number, "quotes": quotes, "format": format}).encode()
    what = f"Page {number}" if format == "pdf" else "The drawing"
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "ui.sources.page_picture"],
            input=request + b"\n" + data,
            capture_output=True,
            timeout=2 * _SECONDS,
            env={
                "OMP_NUM_THREADS": "1",
                "PYTHONUTF8": "1",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            },
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NoPicture(f"{what} takes too long to draw; its text is shown instead.") from error
    if child.returncode or not child.stdout.startswith(_PNG):
        raise NoPicture(f"{what} cannot be drawn; its text is shown instead.")
    return child.stdout


def draw(data: bytes, number: int, quotes: Sequence[str], format: str) -> bytes:
    """Draw the page in this process; see `page_picture`."""
    with _opened(data, format) as document:
        page = document[number - 1]
        for lines in [lines for quote in quotes for lines in _marked_lines(page, quote)]:
            mark = page.add_highlight_annot(lines)
            mark.set_colors(stroke=_MARK)
            mark.update()
        zoom = min(_ZOOM, _LARGEST / max(page.rect.width, page.rect.height, 1))
        picture: bytes = page.get_pixmap(matrix=(zoom, 0, 0, zoom, 0, 0), alpha=False).tobytes()
    return picture


def _opened(data: bytes, format: str) -> Any:
    """The file as a PDF, since words can be marked only there."""
    from ingestion.mupdf import pymupdf

    mupdf = pymupdf()
    if format == "svg":
        from ingestion.safe_svg import harmless_svg

        drawing = mupdf.open(stream=harmless_svg(data), filetype="svg")
        with drawing:
            data = drawing.convert_to_pdf()
    document = mupdf.open(stream=data, filetype="pdf")
    if not document.is_pdf:
        raise NoPicture("Not a valid PDF; download it again.")
    return document


def _marked_lines(page: Any, quote: str) -> list[list[_Box]]:
    from ui.wording.marking import quoted_words

    # In one order a table is read cell by cell, in the other row by row.
    orders = [page.get_text("words", sort=by_rows) for by_rows in (False, True)]
    marked = [(words, quoted_words([word[4] for word in words], quote)) for words in orders]
    words, runs = max(marked, key=lambda f: sum(behind - first for first, behind in f[1]))
    return [
        [_around(line) for _, line in groupby(words[first:behind], key=lambda w: (w[5], w[6]))]
        for first, behind in runs
    ]


def _around(words: Iterable[Sequence[float]]) -> _Box:
    left, top, right, bottom = zip(*(word[:4] for word in words), strict=True)
    return min(left), min(top), max(right), max(bottom)


def bound() -> None:
    """Limit this process: from here on it reaches neither files, connections nor processes."""
    import resource

    from ingestion.confinement import confine

    _rehearse()
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    confine(())
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))


def _rehearse() -> None:
    """Draw something of our own, so that all modules and codecs are loaded that drawing needs."""
    word = "Ä"
    text = f'<text y="9">{word}</text>'
    draw(f'<svg xmlns="http://www.w3.org/2000/svg">{text}</svg>'.encode(), 1, [word], "svg")


if __name__ == "__main__":
    bound()
    head, _, data = sys.stdin.buffer.read().partition(b"\n")
    sys.stdout.buffer.write(draw(data, **json.loads(head)))
