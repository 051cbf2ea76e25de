"""Word files and presentations, made by code."""

import io
import zipfile
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PARTS = ("footnotes", "numbering", "styles")
_STYLES = {"Title": "Title", "Code": "Source Code"} | {
    f"Heading{i}": f"heading {i}" for i in range(1, 7)
}


def word(body: str, footnotes: Sequence[str] = (), **more: str | bytes) -> bytes:
    """A Word file with this body; `more` are further parts by their name below "word/"."""
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="{i}"><w:name w:val="{name}"/></w:style>'
        for i, name in _STYLES.items()
    )
    levels = {
        number: "".join(
            f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
            f'<w:lvlText w:val="{"•" if form == "bullet" else f"%{i + 1}."}"/></w:lvl>'
            for i in range(3)
        )
        for number, form in ((1, "bullet"), (2, "decimal"))
    }
    numbering = "".join(
        f'<w:abstractNum w:abstractNumId="{i}">{level}</w:abstractNum>'
        for i, level in levels.items()
    ) + "".join(f'<w:num w:numId="{i}"><w:abstractNumId w:val="{i}"/></w:num>' for i in levels)
    notes = "".join(
        f'<w:footnote w:id="{i}">{paragraph(note)}</w:footnote>'
        for i, note in enumerate(footnotes, 1)
    )
    own = (f'Id="{name}" Type="{_OFFICE}/{name}" Target="{name}.xml"' for name in _PARTS)
    parts: dict[str, str | bytes] = {
        "document.xml": _part("document", f"<w:body>{body}</w:body>"),
        "styles.xml": _part("styles", styles),
        "numbering.xml": _part("numbering", numbering),
        "footnotes.xml": _part("footnotes", notes),
        "_rels/document.xml.rels": links(*own),
        **more,
    }
    return zipped(
        ("[Content_Types].xml", _content_types()),
        (
            "_rels/.rels",
            links(f'Id="r" Type="{_OFFICE}/officeDocument" Target="word/document.xml"'),
        ),
        *((f"word/{name}", content) for name, content in parts.items()),
    )


def _part(name: str, content: str) -> str:
    return f'<w:{name} xmlns:w="{_WORD}" xmlns:r="{_OFFICE}">{content}</w:{name}>'


def links(*attributes: str) -> str:
    """The part of a package that says what belongs to another part."""
    inside = "".join(f"<Relationship {link}/>" for link in attributes)
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{inside}</Relationships>'


def _content_types() -> str:
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="{_PACKAGE}.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/word/document.xml" ContentType="{_TYPE}.document.main+xml"/></Types>'
    )


def zipped(*members: tuple[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def paragraph(
    text: str,
    style: str = "",
    *,
    item: tuple[int, int] | None = None,
    font: str = "",
    bold: bool = False,
    note: int | None = None,
) -> str:
    """A paragraph; `item` is its list (1 bullets, 2 numbers) and its level from 0."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if item:
        number, level = item
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'
    run = f'<w:rFonts w:ascii="{font}"/>' if font else ""
    run += "<w:b/>" if bold else ""
    mark = f'<w:r><w:footnoteReference w:id="{note}"/></w:r>' if note else ""
    return (
        f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:rPr>{run}</w:rPr>"
        f'<w:t xml:space="preserve">{escape(text)}</w:t></w:r>{mark}</w:p>'
    )


def table(*rows: Sequence[str], header: bool = True, bold: bool = False) -> str:
    """A table whose first row repeats on every page, or is only bold."""

    def cells(row: Sequence[str], bold: bool) -> str:
        return "".join(f"<w:tc>{paragraph(text, bold=bold)}</w:tc>" for text in row)

    written = "".join(
        f"<w:tr>{'<w:trPr><w:tblHeader/></w:trPr>' if header and not i else ''}"
        f"{cells(row, bold and not i)}</w:tr>"
        for i, row in enumerate(rows)
    )
    return f"<w:tbl>{written}</w:tbl>"


def deck() -> Any:
    """An empty presentation of python-pptx."""
    from pptx import Presentation

    return Presentation()


def slide(of: Any, title: str = "", items: Iterable[tuple[int, str]] = (), notes: str = "") -> Any:
    """A slide with a title, and a list whose items have a level each."""
    added = of.slides.add_slide(of.slide_layouts[1])
    added.shapes.title.text = title
    frame = added.placeholders[1].text_frame
    for number, (level, text) in enumerate(items):
        line = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        line.text, line.level = text, level
    if notes:
        added.notes_slide.notes_text_frame.text = notes
    return added


def saved(of: Any) -> bytes:
    file = io.BytesIO()
    of.save(file)
    return file.getvalue()
