"""Figures of HTML: where their pictures are, what is said of them, at which block they stand.

A place is a path, relative to the document or with "/" to the folder that was given, where "//HOST"
is the folder of another host, as tools that copy sites lay it; "data:…" where
the picture is written in the document; "part:NAME" for a part of a zipped one (Office, EPUB);
"page=N&xywh=…" for a rectangle of a PDF's page, in points; "kept:HASH" for one that is kept.
"""

import posixpath
import re
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import replace
from urllib.parse import unquote, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from ingestion.archives import stays_inside
from ingestion.html_parts import line
from ingestion.html_shown import is_picture_file
from ingestion.html_tree import found
from ingestion.page import Block, BlockKind, Figure, collapse

WITHIN = ("data:", "part:", "page=", "kept:")
"""How places within a document begin."""
PICTURES = frozenset((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".svg"))
"""Suffixes of pictures that can be drawn."""
_DATA = re.compile(r"data:image/(?:png|jpe?g|gif|webp|bmp|svg\+xml);base64,", re.IGNORECASE)
_LARGEST_WRITTEN = 4_000_000
_MOST_WRITTEN = 40_000_000
"""Characters of all pictures that are written in one document."""
_ELSEWHERE = ("h1", "h2", "h3", "h4", "h5", "h6", "pre", "code", "dt", "th", "caption", "summary")
"""What becomes a name or is read letter for letter: a picture there is an icon."""
_MARK = re.compile(" ?\ufdd0(\\d+)\ufdd1")
"""Stands where a figure does while the text is read; documents cannot hold these characters."""
_STYLED_ELSEWHERE = (
    ".//style | .//*[self::rect or self::circle or self::ellipse or self::polygon or self::path]"
    "[not(ancestor-or-self::*[@fill or @style])]"
)
_BULLET = re.compile(r"\s*(?:-|\w{1,8}\.)\s*")
_ROOTS = ("", "static/", "public/")
"""Where generators of sites keep what they serve at the root."""


def marked_figures(content: HtmlElement) -> list[Figure]:
    """Write a picture's description and a mark behind it; return the figures that were marked."""
    figures: list[Figure] = []
    for picture in list(content.iter("img")):
        alt = collapse(picture.get("alt") or "")
        alt = "" if is_picture_file(alt) else alt
        mark = ""
        place = place_of(picture.get("src") or "")
        if place and next(picture.iterancestors(*_ELSEWHERE), None) is None:
            mark = f"\ufdd0{len(figures)}\ufdd1"
            title = collapse(picture.get("title") or "")
            figures.append(Figure(place, _caption(picture) or title or alt, alt or title))
        picture.tail = f" {alt}{mark} {picture.tail or ''}"
    return figures


def figure_of_drawing(svg: etree._Element) -> tuple[Figure, ...]:
    """Return the figure of an SVG that is written in a page, if it has its colours in itself.

    Without the page's style sheet its shapes would be black.
    """
    if svg.xpath(_STYLED_ELSEWHERE):
        return ()
    written = etree.tostring(svg, encoding="utf-8", with_tail=False)
    place = f"data:image/svg+xml;base64,{b64encode(written).decode()}"
    title = next(map(line, svg.findall("title")), "")
    return (Figure(place, _caption(svg) or title, title),) if place_of(place) else ()


def place_of(source: str) -> str:
    """Return the place of a picture that a document names, "" where it can be in no folder."""
    if _DATA.match(source):
        return source if len(source) <= _LARGEST_WRITTEN else ""
    try:
        parts = urlsplit(source.strip())
        host = parts.hostname or ""
    except ValueError:
        return ""
    path = unquote(parts.path).replace("\\", "/")
    is_picture = posixpath.splitext(path)[1].lower() in PICTURES
    if host and parts.scheme in ("", "http", "https"):
        path = f"//{host}{path}"
    elif parts.scheme or parts.netloc or path.startswith(WITHIN):
        return ""
    return path if is_picture and path.isprintable() else ""


def paths_of(place: str, file: str) -> Iterator[str]:
    """Yield the paths that a place beside `file` may mean, in the folder that was given."""
    folder = posixpath.dirname(file)
    root = place.startswith("/")
    places = [posixpath.join(at, place.lstrip("/")) for at in (_ROOTS if root else (folder,))]
    module, is_antora, _ = file.rpartition("pages/")
    if is_antora:
        places.append(f"{module}images/{place}")
    if not folder and not root:
        # Files that were uploaded one by one have lost their folders.
        places.append(posixpath.basename(place))
    for path in dict.fromkeys(map(posixpath.normpath, places)):
        if stays_inside(path):
            yield path


def _caption(picture: etree._Element) -> str:
    """Return what stands below a picture as its caption."""
    for around in picture.iterancestors("figure", "div"):
        if around.tag == "figure" or "figure" in (around.get("class") or ""):
            captions = found(around, ".//figcaption | .//*[contains(@class, 'caption')]")
            return line(captions[0]) if captions else ""
    return ""


def with_figures(blocks: Sequence[Block], figures: Sequence[Figure]) -> list[Block]:
    """Take the marks out of blocks, and let each have the figures that were marked in it.

    What held nothing else goes; its figures stand at the block before, or at the first one.
    """
    if not figures:
        return list(_within_room(blocks))
    read: list[Block] = []
    homeless: tuple[Figure, ...] = ()
    bullet = ""
    for block in blocks:
        own = tuple(figures[int(number)] for number in _MARK.findall(block.text))
        if own:
            text = _without(block.text)
            text = text.lstrip() if block.kind is BlockKind.PARAGRAPH else text
            block = replace(block, text=text, header=_all_without(block.header))
        block = replace(block, path=_all_without(block.path)) if block.path else block
        if own and block.kind is BlockKind.LIST_ITEM and _BULLET.fullmatch(block.text):
            bullet, homeless = f"{block.text.rstrip()} ", homeless + own
            continue
        if own and not block.text:
            if read:
                read[-1] = replace(read[-1], figures=read[-1].figures + own)
            else:
                homeless += own
            continue
        if bullet and block.kind is BlockKind.PARAGRAPH:
            block = replace(block, kind=BlockKind.LIST_ITEM, text=f"{bullet}{block.text}")
        bullet = ""
        read.append(replace(block, figures=block.figures + homeless + own))
        homeless = ()
    if homeless and read:
        read[-1] = replace(read[-1], figures=read[-1].figures + homeless)
    return list(_within_room(read))


def _within_room(blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield blocks without the pictures that would make a document's answer too long to be sent."""
    room = _MOST_WRITTEN
    for block in blocks:
        kept = []
        for figure in block.figures:
            room -= len(figure.place)
            kept += [figure] if room >= 0 else []
        yield block if len(kept) == len(block.figures) else replace(block, figures=tuple(kept))


def _without(text: str) -> str:
    return _MARK.sub("", text).rstrip(" ") if _MARK.search(text) else text


def _all_without(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_without, texts))
