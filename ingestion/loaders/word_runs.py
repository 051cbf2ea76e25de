"""The runs of a Word paragraph: one walk over all that is shown in a line of text."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from ingestion.loaders.office_figures import (
    description,
    figure_blocks,
    is_decoration,
    pictures_in,
)
from ingestion.loaders.office_math import linear
from ingestion.loaders.office_symbols import is_fixed_width, shown_as
from ingestion.loaders.ooxml import Element, Related, is_on, number, value
from ingestion.loaders.word_styles import Styles
from ingestion.page import Block, Figure
from ingestion.superscripts import superscript
from ingestion.unread import Unread

_NOT_SHOWN = frozenset(
    ("del", "moveFrom", "pPr", "rPr", "sdtPr", "sdtEndPr", "rt", "delText", "instrText")
)
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_UNSEEN = ("vanish", "strike", "dstrike")
_FORMULA = re.compile(r"equation|mathtype", re.IGNORECASE)


@dataclass
class Shown:
    """What is shown of a paragraph: its text, and what stands behind it on lines of its own."""

    text: str = ""
    is_mono: bool = False
    figures: list[Block] = field(default_factory=list)
    boxes: list[Element] = field(default_factory=list)
    pictures: tuple[Figure, ...] = ()


@dataclass
class Runs:
    """Reads paragraphs; a note's mark is its number, and the text of a deleted end goes on.

    `notes` are the marks of the notes by their kind and id.
    """

    styles: Styles
    related: Related
    name_of: Callable[[str], str]
    unread: Unread
    notes: dict[tuple[str, str], int] = field(default_factory=dict)
    _carried: str = ""
    _fields: list[str | None] = field(default_factory=list)
    _shown: Shown = field(default_factory=Shown)
    _fonts: list[str] = field(default_factory=list)
    _of_paragraph: str | None = None
    _place: str = ""

    def read(self, paragraph: Element, place: str) -> Shown | None:
        """Return what is shown of a paragraph, None where it is not there for a reader.

        `place` is where it stands, in words for a person.
        """
        self._of_paragraph = self.styles.of(paragraph)
        self._shown, self._fields, self._fonts = Shown(self._carried), [], []
        self._carried, self._place = "", place
        self._walk(paragraph)
        shown, mark = self._shown, paragraph.find("pPr/rPr")
        shown.is_mono = bool(self._fonts) and all(map(is_fixed_width, self._fonts))
        gone = mark is not None and any(mark.find(tag) is not None for tag in ("del", "moveFrom"))
        if gone and not (shown.figures or shown.boxes or shown.pictures):
            self._carried = shown.text
            return None
        unseen = mark is not None and is_on(mark.find("vanish"))
        return None if unseen and not (shown.text.strip() or shown.boxes) else shown

    def is_bold(self, cell: Element) -> bool:
        """Whether all that is written in a table's cell is bold."""
        written = [
            self._has("b", run, self.styles.of(paragraph))
            for paragraph in cell.iter("p")
            for run in paragraph.iter("r")
            if (run.findtext("t") or "").strip()
        ]
        return bool(written) and all(written)

    def _walk(self, element: Element) -> None:
        for child in element:
            if child.tag in _NOT_SHOWN:
                continue
            if child.tag == "r":
                self._run(child)
            elif child.tag in {"oMath", "oMathPara"}:
                self._shown.text += linear(child)
            elif (box := child.find("sdtPr/checkbox")) is not None:
                self._shown.text += _ticked(is_on(box.find("checked")))
            elif not is_placeholder(child):
                self._walk(child)

    def _run(self, run: Element) -> None:
        seen = not any(self._has(tag, run, self._of_paragraph) for tag in _UNSEEN)
        for part in run:
            if part.tag == "fldChar":
                self._field(part)
            elif part.tag == "instrText" and self._fields and self._fields[-1] is not None:
                self._fields[-1] += part.text or ""
            elif seen and all(instruction is None for instruction in self._fields):
                self._part(part, run)

    def _part(self, part: Element, run: Element) -> None:
        if part.tag == "t":
            font = self._font(run)
            text = shown_as(font, part.text or "")
            lifted = number(value(self._of_run(run, "rPr/position"))) > 0
            if lifted or value(self._of_run(run, "rPr/vertAlign")) == "superscript":
                text = superscript(text, self._shown.text) or text
            if text.strip():
                self._fonts.append(font)
            self._shown.text += text
        elif part.tag == "sym":
            code = part.get("char", "")
            letter = chr(int(code, 16)) if re.fullmatch("[0-9A-Fa-f]{1,4}", code) else ""
            self._shown.text += shown_as(part.get("font", ""), letter)
        elif part.tag in {"footnoteReference", "endnoteReference"}:
            note = part.tag.removesuffix("Reference"), part.get("id", "")
            self._shown.text += f"[{self.notes.setdefault(note, len(self.notes) + 1)}]"
        elif part.tag in {"drawing", "pict", "object"}:
            self._figure(part)
        elif part.tag not in _NOT_SHOWN:
            self._shown.text += _SIGNS.get(part.tag, "")
            self._walk(part)

    def _has(self, tag: str, run: Element, of_paragraph: str | None) -> bool:
        """Whether a run has a property: its own, that of its style or of its paragraph's."""
        path = f"rPr/{tag}"
        found = self._of_run(run, path)
        return is_on(self.styles.given(of_paragraph, path) if found is None else found)

    def _font(self, run: Element) -> str:
        path = "rPr/rFonts[@ascii]"
        fonts, usual = self._of_run(run, path), self.styles.given(self.styles.usual, path)
        if fonts is None:
            fonts = self.styles.given(self._of_paragraph, path)
        # What all text is set in says nothing of a part of it.
        return "" if fonts is None or fonts is usual else fonts.get("ascii", "")

    def _of_run(self, run: Element, path: str) -> Element | None:
        own = run.find(path)
        style = value(run.find("rPr/rStyle"))
        return own if own is not None or style is None else self.styles.given(style, path)

    def _field(self, mark: Element) -> None:
        """Follow a field from its instruction, which is not shown, over its result to its end."""
        kind = mark.get("fldCharType")
        if kind == "begin":
            self._shown.text += _chosen(mark.find("ffData"))
            self._fields.append("")
        elif kind == "separate" and self._fields:
            self._fields[-1] = None
        elif kind == "end" and self._fields:
            instruction = self._fields.pop()
            if instruction and instruction.split()[:1] == ["EQ"]:
                self.unread.add("formula", self._place)

    def _figure(self, figure: Element) -> None:
        outer = figure.find(".//docPr")
        if outer is not None and outer.get("hidden") in {"1", "true"}:
            return
        while (box := figure.find(".//txbxContent")) is not None:
            box.getparent().remove(box)
            self._shown.boxes.append(box)
        blocks = figure_blocks(figure, self.related, (), self.unread, self._place)
        self._shown.figures += blocks
        named = [outer, *figure.iter("cNvPr", "shape", "imagedata")]
        text = " ".join(dict.fromkeys(filter(None, map(description, named))))
        if not any(map(is_decoration, named)):
            self._shown.pictures += pictures_in(figure, self.name_of, text)
        if text:
            self._shown.text += f" {text} "
        elif (embedded := figure.find(".//OLEObject")) is not None:
            is_formula = _FORMULA.search(embedded.get("ProgID", ""))
            self.unread.add("formula" if is_formula else "embedded object", self._place)
        elif not any(map(is_decoration, named)):
            for _ in figure.iter("pic", "imagedata"):
                self.unread.add("picture", self._place)


def is_placeholder(control: Element) -> bool:
    """Whether a control holds no text of its own: what to enter in it, or a table of contents."""
    if control.tag != "sdt":
        return False
    part = control.find("sdtPr/docPartObj/docPartGallery")
    is_contents = part is not None and part.get("val") == "Table of Contents"
    return is_contents or control.find("sdtPr/showingPlcHdr") is not None


def _ticked(on: bool) -> str:
    return "☑" if on else "☐"


def _chosen(form: Element | None) -> str:
    """Return what is ticked or chosen in a field of a form."""
    if form is None:
        return ""
    if (box := form.find("checkBox")) is not None:
        ticked = box.find("checked")
        return _ticked(is_on(box.find("default") if ticked is None else ticked))
    entries = form.findall("ddList/listEntry")
    at = number(value(form.find("ddList/result")))
    return value(entries[at]) or "" if at < len(entries) else ""
