"""Scanned pages become text, by the Tesseract that comes with PyMuPDF."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, process_time
from typing import Any

from ingestion.errors import StrataError
from ingestion.mupdf import pymupdf

_FOLDERS = (
    "/usr/share/tesseract-ocr/*/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
"""Where systems keep Tesseract's data; a star is the version of its package."""
_LANGUAGES = re.compile(r"[A-Za-z_]+(\+[A-Za-z_]+)*")
_PATIENCE = 2
"""By the clock reading may take so many times its seconds, since a busy machine is slow."""
_RESOLUTION = 200
_LONGEST_EDGE = 5000
"""Pixels; a poster is read at a lower resolution."""
_NEW_PARAGRAPH = 1.7
"""From line to line, in heights of a line."""


class NoOcr(StrataError):
    """Scanned pages cannot be read as it was asked for; the message says what to install."""


@dataclass(frozen=True, slots=True)
class Ocr:
    """How scanned pages are read.

    `languages` are those of Tesseract's data ("eng", "eng+deu") in the folder `data`; `seconds`
    bound the processor time that the scanned pages of one file may take.
    """

    languages: str
    data: str
    seconds: float


def find_ocr(languages: str, seconds: float, folder: str | None = None) -> Ocr:
    """Find Tesseract's data for some languages, in `folder` or where systems keep it.

    Raises NoOcr for a language that is not there.
    """
    if not _LANGUAGES.fullmatch(languages):
        raise NoOcr(f"{languages!r} names no languages: write them as eng or as eng+deu")
    patterns = [folder] if folder else _FOLDERS
    folders = [path for pattern in patterns for path in sorted(Path("/").glob(pattern.lstrip("/")))]
    wanted = languages.split("+")
    known: set[str] = set()
    for path in folders:
        here = {file.stem for file in path.glob("*.traineddata")}
        known |= here
        if here >= set(wanted):
            return Ocr(languages, str(path), seconds)
    missing = next((name for name in wanted if name not in known), languages)
    there = f"there are {', '.join(sorted(known))}" if known else "there are none at all"
    raise NoOcr(
        f"Tesseract's data for {missing!r} was not found ({there}): install Debian's package "
        f"tesseract-ocr-{missing.replace('_', '-')}, or name its folder in TESSDATA_PREFIX"
    )


@dataclass
class ScanReader:
    """Reads scanned pages of one file until its time is up."""

    ocr: Ocr
    _began: tuple[float, float] = field(default_factory=lambda: (process_time(), monotonic()))

    @property
    def has_time(self) -> bool:
        """Whether another page may be begun."""
        used, waited = process_time() - self._began[0], monotonic() - self._began[1]
        return used < self.ocr.seconds and waited < _PATIENCE * self.ocr.seconds

    def text(self, page: Any) -> str:
        """Return the text of a `pymupdf.Page` as it is shown, a blank line between paragraphs."""
        edge = max(page.rect.width, page.rect.height, 1)
        shown = page.get_pixmap(dpi=min(_RESOLUTION, int(72 * _LONGEST_EDGE / edge) or 1))
        # MuPDF's own way to read a page loses the text of some that are turned.
        read = shown.pdfocr_tobytes(language=self.ocr.languages, tessdata=self.ocr.data)
        with pymupdf().open(stream=read, filetype="pdf") as pdf:
            return "\n".join(_paragraphs(pdf[0].get_text("dict")["blocks"]))


def _paragraphs(blocks: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines in the order in which they are read, and an empty one where it is far."""
    above: float | None = None
    for line in (line for block in blocks for line in block.get("lines", ())):
        _, top, _, bottom = line["bbox"]
        far = above is not None and not 0 <= top - above < _NEW_PARAGRAPH * (bottom - top)
        if far:
            yield ""
        above = top
        yield "".join(span["text"] for span in line["spans"]).strip()
