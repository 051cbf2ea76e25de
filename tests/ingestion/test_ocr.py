from collections.abc import Sequence
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from ingestion.loaders import load
from ingestion.ocr import NoOcr, Ocr, find_ocr
from ingestion.page import Document, UnreadableFile
from ingestion.sandbox import Sandbox
from tests.ingestion.hostile_inputs import unmapped

pymupdf: Any = import_module("pymupdf")

LINES = (
    "VALVE GUIDE",
    "",
    "The valve closes after five seconds and opens again when",
    "it is told to. The default of hold_time is 45 s.",
    "",
    "1. Open the cover.",
    "2. Turn the screw.",
)
READ = [
    "VALVE GUIDE",
    "The valve closes after five seconds and opens again when it is told to. The default of "
    "hold_time is 45 s.",
    "1. Open the cover.",
    "2. Turn the screw.",
]


def scan(pdf: Any, lines: Sequence[str] = LINES, turn: int = 0) -> None:
    """Add a page that is the picture of a printed one, turned by so many degrees."""
    with pymupdf.open() as printed:
        page = printed.new_page()
        for number, line in enumerate(lines):
            page.insert_text((72, 100 + 16 * number), line, fontsize=11)
        picture = page.get_pixmap(matrix=pymupdf.Matrix(2, 2).prerotate(-turn))
        added = pdf.new_page(width=picture.width / 2, height=picture.height / 2)
        added.insert_image(added.rect, pixmap=picture)
        added.set_rotation(turn)


def scanned(pages: int = 1, turn: int = 0, text: str = "") -> bytes:
    """A file of scans, behind a page of text if there is any."""
    with pymupdf.open() as pdf:
        if text:
            pdf.new_page().insert_text((72, 100), text)
        for _ in range(pages):
            scan(pdf, turn=turn)
        data: bytes = pdf.tobytes()
    return data


@pytest.fixture
def ocr() -> Ocr:
    try:
        return find_ocr("eng", seconds=60)
    except NoOcr:
        pytest.skip("there is no Tesseract data here: run scripts/install_ocr.sh")


@pytest.mark.parametrize("turn", [0, 90, 270])
def test_a_scanned_page_is_read_as_it_is_shown(ocr: Ocr, turn: int) -> None:
    document = load(scanned(turn=turn), "scan.pdf", ocr)
    assert [block.text for block in document.pages[0].blocks] == READ
    assert document.remarks == ()


def test_scanned_pages_are_read_in_the_child_within_its_limits(ocr: Ocr) -> None:
    with closing(Sandbox(memory=1 << 30, seconds=60, ocr=ocr)) as sandbox:
        document = sandbox.parse(scanned(text="A page of text."), "mixed.pdf")
    assert isinstance(document, Document)
    assert document.pages[0].text == "A page of text."
    assert "45 s" in document.pages[1].text


def test_pages_for_which_there_is_no_time_are_said(ocr: Ocr) -> None:
    none = Ocr(ocr.languages, ocr.data, seconds=0)
    document = load(scanned(2, text="A page of text."), "mixed.pdf", none)
    assert document.remarks == (
        "OCR read 0 of 2 scanned pages, up to page 1, in its time: raise STRATA_READING_SECONDS, "
        "or split the file",
    )


def test_without_ocr_scanned_pages_are_counted_and_said() -> None:
    document = load(scanned(2, text="A page of text."), "mixed.pdf")
    (remark,) = document.remarks
    assert remark.startswith("2 of 3 pages are pictures of text (such as page 2)")
    assert "STRATA_OCR=eng" in remark
    with pytest.raises(UnreadableFile, match=r"no text; 1 of 1 pages .* STRATA_OCR=eng"):
        load(scanned(), "scan.pdf")


def test_glyphs_without_letters_are_said_and_read_by_ocr(ocr: Ocr) -> None:
    told = r"no text; 1 of 1 pages .* fonts that do not tell their letters .* STRATA_OCR=eng"
    with pytest.raises(UnreadableFile, match=told):
        load(unmapped(LINES), "fonts.pdf")
    document = load(unmapped(LINES), "fonts.pdf", ocr)
    assert [block.text for block in document.pages[0].blocks] == READ


def test_a_picture_on_a_page_of_text_is_no_scan() -> None:
    text = "The valve closes after five seconds and opens again when it is told to do so. " * 2
    with pymupdf.open() as pdf:
        scan(pdf)
        for number, line in enumerate((text[:78], text[78:])):
            pdf[0].insert_text((72, 700 + 14 * number), line, fontsize=9)
        data = pdf.tobytes()
    assert load(data, "a.pdf").remarks == ("1 picture was not read (on page 1)",)


@pytest.mark.parametrize("languages", ["", "eng deu", "../eng", "eng+"])
def test_what_names_no_language_is_refused(languages: str) -> None:
    with pytest.raises(NoOcr, match=r"eng\+deu"):
        find_ocr(languages, seconds=1)


def test_a_language_that_is_not_there_is_named_with_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "eng.traineddata").touch()
    assert find_ocr("eng", 1, str(tmp_path)).data == str(tmp_path)
    with pytest.raises(NoOcr, match=r"'chi_sim' was not found \(there are eng\).*-chi-sim"):
        find_ocr("eng+chi_sim", 1, str(tmp_path))
    with pytest.raises(NoOcr, match="none at all"):
        find_ocr("eng", 1, str(tmp_path / "nothing"))
