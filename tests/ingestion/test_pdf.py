from __future__ import annotations

import io
from importlib import import_module
from typing import Any

import pytest

from ingestion.loaders.pdf import load
from ingestion.page import Document, DocumentKind, UnreadableFile

pymupdf: Any = import_module("pymupdf")

FILLER = (
    "The chassis holds two control cards and up to sixteen traffic cards, each of which needs "
    "an airflow from front to back that the fan tray provides while its filters are clean."
)


def _story(body: str) -> Any:
    """Set HTML on as many A4 pages as it needs."""
    story, out, more = pymupdf.Story(body), io.BytesIO(), 1
    paper = pymupdf.paper_rect("a4")
    writer = pymupdf.DocumentWriter(out)
    while more:
        device = writer.begin_page(paper)
        more, _ = story.place(pymupdf.Rect(72, 90, paper.x1 - 72, paper.y1 - 90))
        story.draw(device)
        writer.end_page()
    writer.close()
    return pymupdf.open("pdf", out.getvalue())


def _pages(*texts: str) -> Any:
    """A page for each text, with that one line on it."""
    pdf = pymupdf.open()
    for text in texts:
        pdf.new_page().insert_text((72, 100), text)
    return pdf


def _load(pdf: Any, file: str = "guide.pdf") -> Document:
    with pdf:
        return load(pdf.tobytes(), file)


def test_every_page_of_the_file_is_a_page_even_an_empty_one() -> None:
    document = _load(_pages(FILLER[:80], "", "The end of it."))
    assert [page.number for page in document.pages] == [1, 2, 3]
    assert document.pages[1].blocks == ()
    assert document.pages[2].text == "The end of it."


def test_pictures_are_counted_without_logos_and_icons() -> None:
    pdf = _pages(*[FILLER[:80]] * 3)
    logo, figure, other = (pymupdf.Pixmap(pymupdf.csRGB, (0, 0, size, size)) for size in (9, 8, 7))
    for page in pdf:
        page.insert_image((400, 20, 500, 60), pixmap=logo)
    for number, picture, size in ((0, figure, 20), (1, figure, 200), (2, other, 100)):
        pdf[number].insert_image((72, 200, 72 + size, 200 + size), pixmap=picture)
    assert _load(pdf).remarks == ("2 pictures were not read (the first on page 2)",)


def test_signs_without_a_letter_are_counted_with_their_place() -> None:
    pdf = _pages(FILLER[:80], FILLER[:80])
    writer = pymupdf.TextWriter(pdf[1].rect)
    writer.append((72, 130), "Turn it \ue123 to 4.", font=pymupdf.Font("cjk"))
    writer.write_text(pdf[1])
    (remark,) = _load(pdf).remarks
    assert remark.startswith("1 sign has no letter in its font and was not read (on page 2, in “Tu")


@pytest.mark.parametrize(
    ("stated", "title"),
    [
        ("Orbis NX Installation guide", "Orbis NX Installation guide"),
        ("Microsoft Word - install_v3.docx", "Installation guide"),
        ("untitled", "Installation guide"),
        ("", "Installation guide"),
    ],
)
def test_the_title_is_the_stated_one_or_the_largest_text(stated: str, title: str) -> None:
    pdf = _story(f"<p>{FILLER}</p><h1>Installation guide</h1><p>{FILLER}</p>")
    pdf.set_metadata({"title": stated})
    document = _load(pdf, "a/x.pdf")
    assert document.title == title
    assert document.kind is DocumentKind.GUIDE
    assert document.file == "a/x.pdf"


def test_letters_across_the_page_are_no_title() -> None:
    pdf = _story(f"<h1>Diagnostics</h1><p>{FILLER}</p>")
    turn = (pymupdf.Point(200, 500), pymupdf.Matrix(40))
    pdf[0].insert_text((200, 500), "DRAFT COPY", fontsize=60, morph=turn)
    assert _load(pdf).title == "Diagnostics"


def test_a_locked_file_says_so() -> None:
    with _pages("secret") as pdf:
        data = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="a", owner_pw="b")
    with pytest.raises(UnreadableFile, match="locked with a password"):
        load(data, "a.pdf")


def test_a_file_that_only_forbids_changes_is_read() -> None:
    with _pages("not secret at all") as pdf:
        data = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="b")
    assert load(data, "a.pdf").pages[0].text == "not secret at all"


def test_scanned_pages_say_what_they_need() -> None:
    pdf = _pages("", "")
    pixels = pymupdf.Pixmap(pymupdf.csGRAY, (0, 0, 20, 20), False)
    pixels.clear_with(128)
    for page in pdf:
        page.insert_image(page.rect, pixmap=pixels)
    with pytest.raises(UnreadableFile, match="OCR"):
        _load(pdf)


@pytest.mark.parametrize(
    "data", [b"", b"%PDF-1.7\n", b"%PDF-1.7\nnot a word of it is true", b"\0" * 99]
)
def test_damaged_files_say_so(data: bytes) -> None:
    with pytest.raises(UnreadableFile, match="damaged"):
        load(data, "a.pdf")


def test_a_file_cut_in_the_middle_never_breaks_the_loader() -> None:
    with _story(f"<h1>Guide</h1>{f'<p>{FILLER}</p>' * 60}") as pdf:
        data = pdf.tobytes()
    for share in range(1, 10):
        try:
            document = load(data[: len(data) * share // 10], "a.pdf")
        except UnreadableFile:
            continue
        assert document.pages
