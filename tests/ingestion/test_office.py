import pytest

from ingestion.loaders import load
from ingestion.page import Block, BlockKind, Document, UnreadableFile, numbered_place
from tests.ingestion.office_files import deck, paragraph, saved, slide, table, word, zipped
from tests.ingestion.test_layouts import LAYOUTS


def blocks(document: Document) -> list[Block]:
    return [block for page in document.pages for block in page.blocks]


def told(data: bytes, file: str) -> list[tuple[str, str]]:
    return [(block.kind.value, block.text) for block in blocks(load(data, file))]


def test_a_word_file_has_headings_lists_tables_and_notes() -> None:
    body = (
        paragraph("Valve guide", "Title")
        + paragraph("Timers", "Heading1")
        + paragraph("Set the timers first.", note=1)
        + paragraph("Open the cover.", item=(2, 0))
        + paragraph("Turn the screw.", item=(2, 0))
        + paragraph("Keep it dry.", item=(1, 0))
        + paragraph("Above all the seal.", item=(1, 1))
        + table(("Parameter", "Default"), ("hold_time", "45 s"))
    )
    document = load(word(body, ["Only on a cold valve."]), "guide.docx")
    assert document.title == "Valve guide"
    assert [(b.kind.value, b.text) for b in blocks(document)] == [
        ("heading", "Valve guide"),
        ("heading", "Timers"),
        ("paragraph", "Set the timers first.[1]"),
        ("list_item", "1. Open the cover."),
        ("list_item", "2. Turn the screw."),
        ("list_item", "- Keep it dry."),
        ("list_item", "  - Above all the seal."),
        ("table_header", "Parameter — Default"),
        ("table_row", "hold_time — 45 s"),
        ("paragraph", "[1] Only on a cold valve."),
    ]


def test_code_in_a_word_file_is_known_by_its_style_or_its_font() -> None:
    styled = paragraph("if hot:", "Code") + paragraph("    close()", "Code")
    set_so = paragraph("if hot:", font="Courier New") + paragraph("    close()", font="Consolas")
    for body in (styled, set_so):
        assert told(word(body), "a.docx") == [("code", "if hot:\n    close()")]


def test_a_first_row_in_bold_is_a_tables_header() -> None:
    body = table(("Port", "Speed"), ("A", "10"), header=False, bold=True)
    assert blocks(load(word(body), "a.docx"))[-1].header == ("Port", "Speed")


def test_what_was_deleted_or_said_aside_is_not_read() -> None:
    gone = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>"
    )
    assert told(word(gone), "a.docx") == [("paragraph", "kept")]


def test_a_slide_is_a_page_with_its_title_list_table_and_notes() -> None:
    from pptx.util import Inches

    made = deck()
    slide(made, "Valve")
    second = slide(made, "Timers", [(0, "Set them first"), (1, "in order")], "Say it slowly.")
    frame = second.shapes.add_table(2, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for place, text in enumerate(("Parameter", "Default", "hold_time", "45 s")):
        frame.cell(*divmod(place, 2)).text = text
    document = load(saved(made), "deck.pptx")
    assert [page.number for page in document.pages] == [1, 2]
    assert document.title == "Valve"
    assert [(b.kind.value, b.text) for b in document.pages[1].blocks] == [
        ("heading", "Timers"),
        ("list_item", "- Set them first"),
        ("list_item", "  - in order"),
        ("table_header", "Parameter — Default"),
        ("table_row", "hold_time — 45 s"),
        ("paragraph", "Speaker notes: Say it slowly."),
    ]
    assert {block.path for block in document.pages[1].blocks} == {("Timers",)}


def test_a_large_table_with_little_in_it_is_no_bomb() -> None:
    made = deck()
    added = slide(made, "Timers").shapes.add_table(150, 150, 0, 0, 9_000, 9_000).table
    added.cell(149, 149).text = "45 s"
    (page,) = load(saved(made), "deck.pptx").pages
    assert page.blocks[-1].text.endswith("45 s")


def test_frames_are_read_from_top_to_bottom_and_pictures_for_their_description() -> None:
    made = deck()
    page = made.slides.add_slide(made.slide_layouts[6])
    for top, text in ((300, "below"), (100, "above")):
        page.shapes.add_textbox(0, top, 100, 100).text_frame.text = text
    group = page.shapes.add_group_shape()
    group.shapes.add_textbox(0, 200, 100, 100).text_frame.text = "between"
    shape = page.shapes.add_shape(1, 0, 400, 10, 10)
    shape._element._nvXxPr.cNvPr.set("descr", "no picture, and so not read")
    assert told(saved(made), "a.pptx") == [
        ("paragraph", "above"),
        ("paragraph", "between"),
        ("paragraph", "below"),
    ]


def test_steps_on_a_slide_are_numbered() -> None:
    from lxml import etree

    made = deck()
    page = slide(made, "Steps", [(0, "Open it."), (0, "Close it.")])
    for line in page.placeholders[1].text_frame.paragraphs:
        namespace = "http://schemas.openxmlformats.org/drawingml/2006/main"
        etree.SubElement(line._p.get_or_add_pPr(), f"{{{namespace}}}buAutoNum", type="arabicPeriod")
    items = [text for kind, text in told(saved(made), "a.pptx") if kind == BlockKind.LIST_ITEM]
    assert items == ["1. Open it.", "2. Close it."]


@pytest.mark.parametrize(
    ("file", "remarks"),
    [
        (
            "docx/diagrams-and-charts.docx",
            (
                "1 chart was not read (below “Upgrade”)",
                "2 pictures were not read (the first below “Upgrade”)",
            ),
        ),
        (
            "docx/equations-on-a-line.docx",
            ("1 formula was not read (before the first heading)",),
        ),
        (
            "pptx/struck-out-hidden-and-numbered-on-slides.pptx",
            ("1 hidden slide was not read (on slide 2)",),
        ),
        (
            "pptx/pictures-and-a-diagram-without-links-on-slides.pptx",
            ("2 pictures were not read (the first on slide 1)",),
        ),
        ("docx/boxes-controls-and-merged-cells.docx", ()),
        (
            "xlsx/comments-that-are-damaged.xlsx",
            (
                "hidden rows and columns are not read: 2",
                "damaged comments are not read (on Limits)",
            ),
        ),
    ],
)
def test_what_has_no_text_is_counted_with_its_place(file: str, remarks: tuple[str, ...]) -> None:
    assert load((LAYOUTS / file).read_bytes(), file).remarks == remarks


def test_files_with_macros_are_read_without_them() -> None:
    assert told(word(paragraph("kept"), vbaProject=b"macro"), "a.docm") == [("paragraph", "kept")]


@pytest.mark.parametrize(
    ("data", "file"),
    [
        (word(""), "a.docx"),
        (saved(deck()), "a.pptx"),
        (zipped(("word/document.xml", "<broken")), "a.docx"),
        (zipped(("[Content_Types].xml", "<broken")), "a.pptx"),
        (b"PK\x03\x04 and no more", "a.pptx"),
        (word(paragraph("a Word file")), "a.pptx"),
        (saved(deck()), "a.docx"),
    ],
)
def test_what_cannot_be_read_says_so(data: bytes, file: str) -> None:
    with pytest.raises(UnreadableFile, match=r"text|damaged|presentation"):
        load(data, file)


def test_a_page_goes_by_its_number_where_the_file_numbers_it() -> None:
    assert numbered_place("a/b.PDF", 3) == "page 3"
    assert numbered_place("b.pptx", 3) == "slide 3"
    assert numbered_place("b.docx", 3) == ""
