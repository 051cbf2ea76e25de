"""A page of a PDF as a picture with the quoted words marked, drawn in a child process.

The file comes from others and may be hostile, and PyMuPDF cannot be used from several threads: a
child with limits can only harm itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

_PNG = b"\x89PNG\r\n\x1a\n"
_SECONDS = 20
_MEMORY = 2 << 30
_ZOOM = 2.0
_LARGEST = 2400
_Box = tuple[float, float, float, float]
_MARK = (1.0, 0.87, 0.35)


class NoPicture(Exception):
    """A page cannot be drawn; the message says why."""


def page_picture(pdf: bytes, number: int, quote: str = "") -> bytes:
    """Draw a page of a PDF (numbered from 1) as PNG, the words of the quote marked.

    Raises NoPicture if the file cannot be read or takes more time or memory than is granted.
    """
    asked = json.dumps({"number": number, "quote": quote}).encode()
    try:
        child = subprocess.run(
            [sys.executable, "-P", "-m", "ui.page_picture"],
            input=asked + b"\n" + pdf,
            capture_output=True,
            timeout=2 * _SECONDS,
            env={"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1", "PYTHONPATH": _import_path()},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise NoPicture(f"Drawing page {number} takes too long.") from error
    if child.returncode or not child.stdout.startswith(_PNG):
        raise NoPicture(f"Page {number} cannot be drawn; its text is shown instead.")
    return child.stdout


def draw(pdf: bytes, number: int, quote: str) -> bytes:
    """Draw the page in this process; see `page_picture`."""
    import pymupdf

    with pymupdf.open(stream=pdf, filetype="pdf") as document:  # type: ignore[no-untyped-call]
        if not document.is_pdf:
            raise NoPicture("This file is no PDF.")
        page = document[number - 1]
        for lines in _marked_lines(page, quote):
            mark = page.add_highlight_annot(lines)
            mark.set_colors(stroke=_MARK)
            mark.update()
        zoom = min(_ZOOM, _LARGEST / max(page.rect.width, page.rect.height, 1))
        picture: bytes = page.get_pixmap(dpi=int(72 * zoom), alpha=False).tobytes()
    return picture


def _marked_lines(page: Any, quote: str) -> list[list[_Box]]:
    """The rectangles to mark, one for each line of each run of words."""
    from ui.marking import quoted_words

    # A table reads cell by cell in one order and row by row in the other.
    orders = [page.get_text("words", sort=by_rows) for by_rows in (False, True)]
    found = [(words, quoted_words([word[4] for word in words], quote)) for words in orders]
    words, runs = max(found, key=lambda f: sum(behind - first for first, behind in f[1]))
    return [
        [_around(line) for _, line in groupby(words[first:behind], key=lambda w: (w[5], w[6]))]
        for first, behind in runs
    ]


def _around(words: Iterable[Sequence[float]]) -> _Box:
    left, top, right, bottom = zip(*(word[:4] for word in words), strict=True)
    return min(left), min(top), max(right), max(bottom)


def _import_path() -> str:
    import os

    return os.pathsep.join(p for p in sys.path if p)


def _main() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    head, _, pdf = sys.stdin.buffer.read().partition(b"\n")
    sys.stdout.buffer.write(draw(pdf, **json.loads(head)))


if __name__ == "__main__":
    _main()
