"""Diagrams (SmartArt) and charts of Office files, as text; and the count of what has none."""

import posixpath
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from ingestion.figures import PICTURES
from ingestion.loaders.office_math import linear
from ingestion.loaders.office_symbols import is_fixed_width, shown_as
from ingestion.loaders.ooxml import Element, Related, number
from ingestion.page import Block, BlockKind, Figure, collapse
from ingestion.superscripts import superscript
from ingestion.tables import table_blocks
from ingestion.unread import Unread

_NODES = {"node", "asst"}
_STEPS = {"process", "cycle"}
_DEEPEST = 10
_MOST = 5_000
"""Nodes of a diagram, or points of a chart's series."""
_EPOCH = date(1899, 12, 30)
_DATE = re.compile(r"(?=.*[yd])[^hs]+", re.IGNORECASE)
_LITERAL = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]|General')
_RAISED = re.compile(r"[1-9]")
_PICTURE_FILE = re.compile(r"^\S*\.(png|jpe?g|gif|svg|webp|bmp|ico|emf|wmf|tiff?)$", re.IGNORECASE)


def description(properties: Element | None) -> str:
    """Return what the author says that a picture shows, "" where it is only its file's name."""
    described = "" if properties is None else properties.get("descr") or properties.get("alt") or ""
    return "" if _PICTURE_FILE.match(collapse(described)) else collapse(described)


def is_decoration(properties: Element | None) -> bool:
    """Whether the author says that a picture shows nothing."""
    marks = () if properties is None else properties.iter("decorative")
    return any(mark.get("val") in {"1", "true"} for mark in marks)


def pictures_in(
    drawing: Element, name_of: Callable[[str], str], described: str
) -> tuple[Figure, ...]:
    """Return the pictures of a drawing; `name_of` names the part that a relation leads to."""
    relations = (e.get("embed") or e.get("id") or "" for e in drawing.iter("blip", "imagedata"))
    names = dict.fromkeys(map(name_of, relations))
    drawn = (name for name in names if posixpath.splitext(name)[1].lower() in PICTURES)
    return tuple(Figure(f"part:{name}", "", described) for name in drawn)


def settled(blocks: Iterable[Block], captions: Container[str] = frozenset()) -> list[Block]:
    """Let figures that stand on lines of their own be the block's before, else the first one's.

    A text of `captions` right behind is what stands below them.
    """
    read: list[Block] = []
    alone: tuple[Figure, ...] = ()
    for block in blocks:
        if block.figures and not block.text:
            alone += block.figures
            continue
        if alone and block.text in captions:
            alone = tuple(replace(figure, caption=block.text) for figure in alone)
        if alone and read:
            read[-1] = replace(read[-1], figures=read[-1].figures + alone)
            alone = ()
        read.append(replace(block, figures=alone + block.figures) if alone else block)
        alone = ()
    if alone and read:
        read[-1] = replace(read[-1], figures=read[-1].figures + alone)
    return read


def figure_blocks(
    frame: Element, related: Related, path: tuple[str, ...], unread: Unread, place: str
) -> list[Block]:
    """Return a diagram as a list, a chart as a table, by what the file keeps of it.

    What holds neither gives nothing; one whose words or values are not in the file is counted.
    """
    blocks: list[Block] = []
    for found, read, kind in (
        (frame.iter("relIds"), _diagram, "diagram"),
        (frame.iter("chart"), _chart, "chart"),
    ):
        for reference in found:
            root = related(reference.get("dm") or reference.get("id") or "")
            made = [] if root is None else list(read(root, path))
            if not made:
                unread.add(kind, place)
            blocks += made
    return blocks


def _diagram(model: Element, path: tuple[str, ...]) -> Iterator[Block]:
    points = {point.get("modelId"): point for point in model.iter("pt")}
    below: dict[str, list[tuple[int, str]]] = {}
    for link in model.iter("cxn"):
        if link.get("type", "parOf") == "parOf":
            place = number(link.get("srcOrd"))
            below.setdefault(link.get("srcId"), []).append((place, link.get("destId")))
    roots = [i for i, point in points.items() if point.get("type") == "doc"]
    counted = any(p.get("loCatId") in _STEPS for i in roots for p in points[i].iter("prSet"))
    count = 0
    for depth, text in _nodes(points, below, [*roots, *points]):
        count += not depth
        mark = f"{count}." if counted and not depth else "-"
        yield Block(BlockKind.LIST_ITEM, f"{'  ' * depth}{mark} {text}", path)


def _nodes(
    points: dict[str, Element], below: dict[str, list[tuple[int, str]]], begin: Iterable[str]
) -> Iterator[tuple[int, str]]:
    """Yield the depth and the text of the nodes in the order of their links, each once."""
    waiting = [(0, at) for at in reversed([*begin])]
    passed: set[str] = set()
    while waiting and len(passed) < _MOST:
        depth, at = waiting.pop()
        if at in passed or at not in points:
            continue
        passed.add(at)
        is_node = points[at].get("type", "node") in _NODES
        text = " ".join(filter(None, map(drawn_text, points[at].iter("p")))) if is_node else ""
        if text:
            yield depth, text
        inner = min(depth + bool(text), _DEEPEST)
        waiting += ((inner, of) for _, of in sorted(below.get(at, ()), reverse=True))


def drawn_text(paragraph: Element) -> str:
    """Return the text of a paragraph of a drawing as it is shown, without what is struck out."""
    return collapse("".join(_drawn(paragraph)))


def drawn_code(paragraph: Element) -> str:
    """Return the text of a paragraph in a fixed-width font letter for letter, "" of any other."""
    runs = [run for run in paragraph.iter("r") if (run.findtext("t") or "").strip()]
    fonts = [run.find("rPr/latin") for run in runs]
    is_code = all(font is not None and is_fixed_width(font.get("typeface", "")) for font in fonts)
    return "".join(_drawn(paragraph)).rstrip() if fonts and is_code else ""


def _drawn(paragraph: Element) -> Iterator[str]:
    before = ""
    for part in paragraph:
        properties = part.find("rPr")
        struck = "noStrike" if properties is None else properties.get("strike", "noStrike")
        if part.tag in {"m", "oMath", "oMathPara"}:
            yield linear(part)
        elif part.tag == "br":
            yield "\n"
        elif struck == "noStrike":
            fonts = () if properties is None else properties.findall("sym")
            if properties is not None and not fonts:
                fonts = properties.findall("latin")
            text = part.findtext("t") or ""
            for font in fonts:
                text = shown_as(font.get("typeface", ""), text)
            is_raised = properties is not None and _RAISED.match(properties.get("baseline", ""))
            before = (superscript(text, before) if is_raised else "") or text
            yield before


def _chart(space: Element, path: tuple[str, ...]) -> Iterator[Block]:
    title = " ".join(filter(None, map(drawn_text, _under(space, "chart/title"))))
    if title:
        yield Block(BlockKind.PARAGRAPH, title, path)
    series = list(space.iter("ser"))
    names = [_points(one.find("tx")) for one in series]
    places = [_points(first(one, "cat", "xVal")) for one in series]
    values = [_points(first(one, "val", "yVal")) for one in series]
    shared = next(filter(None, places), {})
    axis = next(iter(space.iter("catAx", "dateAx", "valAx")), None)
    named = "" if axis is None else " ".join(map(drawn_text, _under(axis, "title")))
    if not any(values):
        return
    own_places = any(place and place != shared for place in places)
    rows: list[list[str]] = []
    if own_places:
        header = [named, *(["Series", "Value"])]
        for one, place, worth in zip(names, places, values, strict=True):
            rows += [[place.get(i, ""), _joined(one), v] for i, v in worth.items()]
    else:
        header = [named, *(_joined(one) for one in names)]
        keys = sorted({i for worth in (shared, *values) for i in worth})
        rows = [[shared.get(i, str(i + 1)), *(w.get(i, "") for w in values)] for i in keys]
    yield from table_blocks([header, *rows], header_rows=1, path=path)


def first(element: Element, *names: str) -> Element | None:
    """Return the first of the named children that is there."""
    return next((found for name in names if (found := element.find(name)) is not None), None)


def _under(element: Element, path: str) -> Iterable[Element]:
    found = element.find(path)
    return () if found is None else found.iter("p")


def _joined(points: dict[int, str]) -> str:
    return " ".join(points.values())


def _points(source: Element | None) -> dict[int, str]:
    """Return what the file keeps of a chart's cells, by their places."""
    if source is None:
        return {}
    form = _LITERAL.sub("", source.findtext(".//formatCode") or "")
    levels: Sequence[Element] = source.findall(".//lvl") or [source]
    found: dict[int, str] = {}
    for level in reversed(levels):
        texts: dict[int, str] = {}
        for point in level.iter("pt"):
            if len(texts) < _MOST:
                texts[number(point.get("idx"))] = _as_shown(point.findtext("v") or "", form)
        above = ""
        for place, text in sorted(texts.items()):
            # An outer level is named only where it begins.
            above = found.get(place, above)
            texts[place] = f"{above} {text}".strip()
        found = texts
    direct = source.findtext("v")
    return found or ({0: direct} if direct else {})


def _as_shown(text: str, form: str) -> str:
    """Return a cell's value about as a spreadsheet shows it."""
    try:
        worth = float(text)
    except ValueError:
        return collapse(text)
    if "%" in form:
        return f"{worth * 100:.10g}%"
    if _DATE.fullmatch(form) and 0 < worth < 100_000:
        return (_EPOCH + timedelta(days=int(worth))).isoformat()
    return f"{worth:.10g}"
