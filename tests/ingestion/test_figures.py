"""Figures of documents: read from where they are, drawn anew in the child process."""

import base64
import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from ingestion.figures import paths_of, place_of
from ingestion.listing import list_files
from ingestion.loaders import load
from ingestion.page import Document, Picture, Rejected
from ingestion.reading import read_files
from ingestion.sandbox import Sandbox
from tests.ingestion.office_files import deck, links, paragraph, saved, slide, word
from tests.pictures import SCRIPTED, bomb, picture

WRITTEN = "data:image/png;base64," + base64.b64encode(picture(colour="blue")).decode()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    box = Sandbox(memory=1 << 30, seconds=30)
    yield box
    box.close()


def drawn(sandbox: Sandbox, data: bytes, place: str = "a.png") -> Picture:
    made = sandbox.picture(data, place)
    assert isinstance(made, Picture), made
    return made


def read(folder: Path) -> dict[str, Document]:
    found = read_files(list_files([folder]))
    return {one.file: one for one in found if isinstance(one, Document)}


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF"])
def test_a_picture_is_drawn_anew_without_what_came_with_it(sandbox: Sandbox, kind: str) -> None:
    made = drawn(sandbox, picture(kind=kind) + b"<script>")
    assert b"secret place" not in made.data
    assert b"script" not in made.data
    assert (made.width, made.height) == (300, 200)
    with Image.open(io.BytesIO(made.data)) as image:
        assert image.format in {"PNG", "WEBP"}


def test_a_large_picture_is_made_smaller(sandbox: Sandbox) -> None:
    made = drawn(sandbox, picture(4_000, 1_000))
    assert (made.width, made.height) == (1_600, 400)


def test_lines_on_nothing_stand_on_white_paper(sandbox: Sandbox) -> None:
    target = io.BytesIO()
    Image.new("RGBA", (100, 100), (0, 0, 0, 0)).save(target, "PNG")
    with Image.open(io.BytesIO(drawn(sandbox, target.getvalue()).data)) as image:
        assert image.convert("RGB").getpixel((50, 50)) == (255, 255, 255)


HOSTILE = {
    "bomb": (bomb(), "too large|decompression bomb"),
    "truncated": (picture()[:200], "damaged picture"),
    "no picture": (b"MZ\x90 a program", "no picture"),
    "html": (b"<html><script>alert(1)</script></html>", "no picture"),
    "svg bomb": (
        b'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>',
        "entities",
    ),
    "icon": (picture(20, 20), "an icon"),
    "rule": (picture(900, 4), "an icon"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_is_hostile_or_no_picture_is_refused(sandbox: Sandbox, name: str) -> None:
    data, reason = HOSTILE[name]
    answer = sandbox.picture(data, "a.png")
    assert isinstance(answer, Rejected)
    assert re.search(reason, answer.reason), answer.reason
    assert drawn(sandbox, picture())


def test_a_drawing_is_drawn_without_its_scripts(sandbox: Sandbox) -> None:
    made = drawn(sandbox, SCRIPTED.encode(), "a.svg")
    assert made.data.startswith(b"\x89PNG")
    assert (made.width, made.height) == (400, 200)


def test_figures_stand_at_their_blocks_with_caption_and_description(tmp_path: Path) -> None:
    (tmp_path / "docs/img").mkdir(parents=True)
    (tmp_path / "docs/img/pump one.png").write_bytes(picture())
    (tmp_path / "static").mkdir()
    (tmp_path / "static/root.jpg").write_bytes(picture(kind="JPEG"))
    (tmp_path / "docs/a.md").write_text(
        "# Pump\n\nIt turns.\n\n![The pump, open](img/pump%20one.png)\n\n"
        f"## Wiring\n\n- ![](/root.jpg)\n- Red is P1. ![A plug]({WRITTEN})\n\n"
        "![logo](https://example.com/a.png) ![up](../../etc/a.png) ![no](img/none.png)\n",
        encoding="utf-8",
    )
    (tmp_path / "docs/b.html").write_text(
        "<main><h1>Valve <img src='img/pump one.png'></h1><p>It shuts.</p><figure>"
        "<img src='img/pump one.png' alt='A valve'><figcaption>Fig. 1: Cut</figcaption></figure>"
        "</main>",
        encoding="utf-8",
    )
    documents = read(tmp_path)
    page = documents["docs/a.md"].pages[0]
    assert [(b.text, [f.place[:16] for f in b.figures]) for b in page.blocks] == [
        ("Pump", []),
        ("It turns.", []),
        ("The pump, open", ["img/pump one.png"]),
        ("Wiring", []),
        ("- root", ["/root.jpg"]),
        ("- Red is P1. A plug", [WRITTEN[:16]]),
        ("logo up no", ["//example.com/a.", "../../etc/a.png", "img/none.png"]),
    ]
    assert {place[:16] for place in documents["docs/a.md"].pictures} == {
        *("img/pump one.png", "/root.jpg", WRITTEN[:16])
    }
    html = documents["docs/b.html"].pages[0]
    assert html.text == "Valve\n\nIt shuts.\n\nA valve\n\nFig. 1: Cut"
    (figure,) = html.figures
    assert (figure.caption, figure.description) == ("Fig. 1: Cut", "A valve")


def test_pictures_are_read_in_an_archive_too(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("# A\n\nText ![x](b.png)\n")
    (tmp_path / "docs/b.png").write_bytes(picture())
    shutil.make_archive(str(tmp_path / "all"), "zip", tmp_path / "docs")
    (document,) = read_files(list_files([tmp_path / "all.zip"]))
    assert isinstance(document, Document)
    assert document.pictures.keys() == {"b.png"}


def test_a_damaged_picture_is_told_and_the_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# A\n\nText ![x](b.png) ![y](c.png)\n")
    (tmp_path / "b.png").write_bytes(bomb())
    (tmp_path / "c.png").write_text("no picture")
    document = read(tmp_path)["a.md"]
    assert document.pages[0].text == "A\n\nText x y"
    assert not document.pictures
    assert document.remarks[0].startswith("2 of its pictures cannot be shown (such as b.png: ")


def test_what_stands_on_most_pages_is_furniture(tmp_path: Path) -> None:
    sections = "".join(f"## S{i}\n\n{'word ' * 500}\n\n![l](logo.png)\n\n" for i in range(8))
    (tmp_path / "a.md").write_text(f"# A\n\n{sections}![p](pump.png)\n")
    for name in ("logo", "pump"):
        (tmp_path / f"{name}.png").write_bytes(picture(colour="red" if name == "logo" else "blue"))
    assert read(tmp_path)["a.md"].pictures.keys() == {"pump.png"}


def test_the_marks_of_figures_cannot_be_written_into_a_document() -> None:
    page = load("<p>A \ufdd00\ufdd1 &#xfdd0;0&#64977; b <img src=a.png></p>".encode(), "a.html")
    assert page.pages[0].text == "A 0 0 b"
    assert [f.place for f in page.pages[0].figures] == ["a.png"]


@pytest.mark.parametrize(
    "source",
    ["ftp://a.b/c.png", "//[/c.png", "file:///c.png", "c.exe", "data:text/html,x.png", "", "["],
)
def test_what_is_elsewhere_has_no_place(source: str) -> None:
    assert place_of(source) == ""


def test_a_picture_of_another_host_lies_in_a_folder_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "docs.example/img").mkdir(parents=True)
    (tmp_path / "docs.example/img/a.png").write_bytes(picture())
    (tmp_path / "b.md").write_text(
        "# B\n\nText ![x](https://u:p@Docs.example:8443/img/a.png?v=1) ![y](//c.example/d.png)\n"
    )
    assert read(tmp_path)["b.md"].pictures.keys() == {"//docs.example/img/a.png"}
    assert place_of("https://a.b/../../../c.png") == "//a.b/../../../c.png"
    assert list(paths_of("//a.b/../../../c.png", "b.md")) == []


def test_no_path_leads_out_of_the_folder() -> None:
    assert list(paths_of("../../a.png", "docs/b.md")) == []
    assert list(paths_of("/../../a.png", "docs/b.md")) == []
    assert list(paths_of("../a.png?x", "docs/b.md")) == ["a.png?x"]


def manual() -> bytes:
    """A PDF of two pages: a logo on both, a pump between two sections, a schematic."""
    import pymupdf

    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        for number in range(2):
            page = document.new_page(width=500, height=700)
            page.insert_image((400, 10, 460, 60), stream=picture(120, 100, "black"))
            page.insert_text((40, 100), f"{number + 1}. Section {number + 1}", fontsize=18)
            page.insert_text((40, 130), "Turn the wheel of the pump until it stops.")
            if number == 0:
                page.insert_image((60, 160, 260, 300), stream=picture())
                page.insert_text((60, 318), "Figure 7: The pump")
                page.insert_text((40, 400), "2. Another part", fontsize=18)
                page.insert_text((40, 430), "Nothing is shown of it in this manual.")
            else:
                for i in range(6):
                    x, y = 60 + 130 * (i % 3), 200 + 60 * (i // 3)
                    page.draw_oval((x, y, x + 50, y + 30))
                    page.insert_text((x + 10, y + 18), f"Relay {i}", fontsize=8)
                    page.draw_line((x + 25, y + 30), (x + 25, y + 60))
                    page.draw_line((x + 50, y + 15), (x + 120, y + 25))
        data: bytes = document.tobytes()
    return data


def test_figures_of_a_pdf_stand_at_the_text_above_them(tmp_path: Path) -> None:
    (tmp_path / "manual.pdf").write_bytes(manual())
    document = read(tmp_path)["manual.pdf"]
    first, second = document.pages
    ((block, figure),) = [(b, f) for b in first.blocks for f in b.figures]
    assert block.text.startswith("Turn the wheel")
    assert block.path == ("1. Section 1",)
    assert figure.caption == "Figure 7: The pump"
    made = document.pictures[figure.place]
    with Image.open(io.BytesIO(made.data)) as image:
        assert image.size == (416, 284)
        assert image.convert("RGB").getpixel((208, 142)) == (255, 0, 0)
    ((block, figure),) = [(b, f) for b in second.blocks for f in b.figures]
    assert block.text.startswith("Relay 0")
    assert figure.description.startswith("Relay 0")
    assert document.pictures[figure.place].width > 400


def test_figures_of_a_word_file_have_the_caption_below_them(tmp_path: Path) -> None:
    drawing = (
        '<w:p><w:r><w:drawing><wp:inline xmlns:wp="wp" xmlns:a="a">'
        '<wp:docPr id="1" name="p" descr=""/>'
        '<a:graphic><a:blip r:embed="p"/></a:graphic></wp:inline></w:drawing></w:r></w:p>'
    )
    body = (
        f"{paragraph('Pump', style='Heading1')}{paragraph('It turns.')}{drawing}"
        f"{paragraph('Figure 1: A pump', style='Caption')}"
        f"{paragraph('Valve', style='Heading1')}{paragraph('It shuts.')}"
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{i}"><w:name w:val="{name}"/></w:style>'
        for i, name in (("Heading1", "heading 1"), ("Caption", "caption"))
    )
    names = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    parts: dict[str, str | bytes] = {
        "styles.xml": f'<w:styles xmlns:w="{names}">{styles}</w:styles>',
        "_rels/document.xml.rels": links(
            f'Id="s" Type="{office}/styles" Target="styles.xml"',
            f'Id="p" Type="{office}/image" Target="media/p.png"',
        ),
        "media/p.png": picture(),
    }
    (tmp_path / "a.docx").write_bytes(word(body, (), **parts))
    document = read(tmp_path)["a.docx"]
    ((block, figure),) = [(b, f) for p in document.pages for b in p.blocks for f in b.figures]
    assert (block.text, block.path) == ("It turns.", ("Pump",))
    assert figure.caption == "Figure 1: A pump"
    assert document.pictures[figure.place].width == 300


def test_figures_of_a_slide_are_its_pictures(tmp_path: Path) -> None:
    made = deck()
    shown = slide(made, "Pump", [(0, "It turns.")]).shapes.add_picture(
        io.BytesIO(picture()), 0, 9_000_000, 900_000, 900_000
    )
    shown._element._nvXxPr.cNvPr.set("descr", "")
    (tmp_path / "a.pptx").write_bytes(saved(made))
    document = read(tmp_path)["a.pptx"]
    ((block, _),) = [(b, f) for p in document.pages for b in p.blocks for f in b.figures]
    assert block.path == ("Pump",)
    assert [p.width for p in document.pictures.values()] == [300]


def test_figures_of_a_notebook_are_what_its_code_draws(tmp_path: Path) -> None:
    drawn_by_code = WRITTEN.partition(",")[2]
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><path d="M1 1h9"/></svg>'
    cells = [
        {
            "cell_type": "markdown",
            "source": "# Pump\n\n![Open](attachment:a.png)",
            "attachments": {"a.png": {"image/png": drawn_by_code}},
        },
        {
            "cell_type": "code",
            "source": "plot()",
            "outputs": [
                {"data": {"text/plain": "<Figure>", "image/png": f"{drawn_by_code}\n"}},
                {"data": {"image/svg+xml": [svg]}},
            ],
        },
    ]
    (tmp_path / "a.ipynb").write_text(json.dumps({"cells": cells}))
    document = read(tmp_path)["a.ipynb"]
    assert [(b.text, len(b.figures)) for p in document.pages for b in p.blocks] == [
        ("Pump", 0),
        ("Open", 1),
        ("plot()", 2),
    ]
    assert [p.width for p in document.pictures.values()] == [300, 180]


def test_a_drawing_written_in_a_page_is_a_figure_if_its_colours_are_its_own(tmp_path: Path) -> None:
    box = '<rect width="9" height="9" {}/><text x="1" y="8">Motor P1</text>'
    size = 'width="300" height="160" viewBox="0 0 30 16"'
    drawings = (f"<svg {size}>{box.format(how)}</svg>" for how in ('fill="none"', 'class="node"'))
    shown = "<figcaption>Fig. 1</figcaption></figure><figure>".join(drawings)
    page = f"<main><h1>Pump</h1><p>It turns.</p><figure>{shown}</figure></main>"
    (tmp_path / "a.html").write_text(page)
    document = read(tmp_path)["a.html"]
    figures = [f for page in document.pages for f in page.figures]
    assert [f.caption for f in figures] == ["Fig. 1"]
    assert [p.width for p in document.pictures.values()] == [600]


def test_more_pictures_than_can_be_kept_leave_the_text_that_is_read() -> None:
    large = f"data:image/png;base64,{'A' * 3_999_000}"
    pictures = "".join(f"<p>Text {i} <img src='{large}'></p>" for i in range(20))
    document = load(f"<main><h1>A</h1>{pictures}</main>".encode(), "a.html")
    figures = [f for page in document.pages for f in page.figures]
    assert len(figures) == 10
    assert "Text 19" in document.pages[-1].text
