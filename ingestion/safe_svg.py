"""An SVG drawing, rebuilt from elements and attributes that can only draw.

What is not known to be harmless is left out: scripts, handlers, style sheets, HTML, animations,
whatever would be fetched or read from a disk. A file that declares entities, or whose references
to itself would draw more than anybody can look at, is refused.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from lxml import etree

from ingestion.decoding import decode
from ingestion.loaders.svg import parse_svg
from ingestion.page import UnreadableFile

MOST_ELEMENTS = 200_000
"""The most elements that may be drawn, counted again for each reference to them."""
_DEEPEST = 300

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_HREF = f"{{{_XLINK}}}href"
# What draws it looks for "xlink:href", and for no other prefix.
_NAMESPACES: Any = {None: _SVG, "xlink": _XLINK}
_DRAWING_NAMES = """
    svg g defs symbol use path rect circle ellipse line polyline polygon text tspan textPath image
    clipPath mask pattern marker linearGradient radialGradient stop
"""
_DRAWING = {name.lower(): name for name in _DRAWING_NAMES.split()}
"""By their small letters, as they stand in an SVG that was written in HTML."""
_GROUPS = {"a": "g", "switch": "g"}
_ATTRIBUTE_NAMES = """
    id x y z x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points pathLength width height viewBox
    preserveAspectRatio transform rotate textLength lengthAdjust startOffset offset refX refY
    orient markerWidth markerHeight markerUnits gradientUnits gradientTransform spreadMethod
    patternUnits patternContentUnits patternTransform clipPathUnits maskUnits maskContentUnits
    style color fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap
    stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset stop-color stop-opacity
    opacity clip-path clip-rule mask marker marker-start marker-mid marker-end display visibility
    font font-family font-size font-style font-weight font-variant font-stretch text-anchor
    text-decoration letter-spacing word-spacing dominant-baseline alignment-baseline
    baseline-shift vector-effect paint-order overflow
"""
_ATTRIBUTES = {name.lower(): name for name in _ATTRIBUTE_NAMES.split()}
_OWN = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)[\"']?\s*\)", re.I)
_ELSEWHERE = re.compile(r"url\s*\(|[\\@]|/\*|expression|javascript:", re.I)
_PICTURE = re.compile(r"data:image/(?:png|jpe?g|gif);base64,[A-Za-z0-9+/=\s]*")
_ENTITY = re.compile(r"<!\s*ENTITY", re.I)


class UnsafeDrawing(Exception):
    """A drawing is not drawn; the message says why."""


def harmless_svg(data: bytes) -> bytes:
    """Return the drawing without anything that does more than draw.

    Raises UnsafeDrawing for what is no SVG, declares entities or draws too much.
    """
    copy = etree.Element(f"{{{_SVG}}}svg", nsmap=_NAMESPACES)
    _fill(copy, _parsed(data))
    by_id = {str(e.get("id")): e for e in copy.iter() if e.get("id")}
    # Nested references would draw almost without end.
    if _drawn(copy, by_id, {}, 0) > MOST_ELEMENTS:
        raise UnsafeDrawing("it draws too much")
    return etree.tostring(copy, encoding="utf-8", xml_declaration=True)


def _parsed(data: bytes) -> etree._Element:
    try:
        text = decode(data)
        if _ENTITY.search(text):
            raise UnsafeDrawing("it declares entities")
        return parse_svg(text)
    except UnreadableFile as error:
        raise UnsafeDrawing(str(error)) from error


def _name(element: etree._Element) -> str:
    """The name of an element of SVG; empty for any other."""
    # An entity leaves an element whose tag is not a string.
    name = etree.QName(element) if isinstance(element.tag, str) else None
    return name.localname.lower() if name is not None and name.namespace in (None, _SVG) else ""


def _fill(copy: etree._Element, element: etree._Element) -> None:
    for key, value in _attributes(element):
        copy.set(key, value)
    copy.text = element.text
    for child in element:
        name = _name(child)
        name = _GROUPS.get(name, name)
        if name in _DRAWING:
            _fill(etree.SubElement(copy, f"{{{_SVG}}}{_DRAWING[name]}"), child)
        if child.tail:
            _append(copy, child.tail)
        if name in _DRAWING and _name(element) == "switch":
            # Only one of the choices is meant to be seen.
            return


def _append(copy: etree._Element, text: str) -> None:
    if len(copy):
        copy[-1].tail = (copy[-1].tail or "") + text
    else:
        copy.text = (copy.text or "") + text


def _attributes(element: etree._Element) -> Iterator[tuple[str, str]]:
    for key, value in element.attrib.items():
        key, value = str(key), str(value)
        name = etree.QName(key).localname
        if name == "href":
            own = value.strip().startswith("#")
            picture = _name(element) == "image" and _PICTURE.fullmatch(value.strip())
            if own or picture:
                yield _HREF, value.strip()
        elif key.lower() in _ATTRIBUTES and not _ELSEWHERE.search(_OWN.sub("", value)):
            yield _ATTRIBUTES[key.lower()], value


def _drawn(
    element: etree._Element, by_id: Mapping[str, etree._Element], known: dict[str, int], depth: int
) -> int:
    """Count what an element draws, what it refers to included."""
    if depth > _DEEPEST:
        raise UnsafeDrawing("its parts refer to each other too deeply")
    total = 1 + sum(_drawn(child, by_id, known, depth + 1) for child in element)
    for name in _references(element):
        if name in by_id:
            if name not in known:
                known[name] = 0  # A part that refers to itself is drawn no further.
                known[name] = _drawn(by_id[name], by_id, known, depth + 1)
            total += known[name]
    return total


def _references(element: etree._Element) -> Iterator[str]:
    for key, value in element.attrib.items():
        if key == _HREF:
            yield str(value).removeprefix("#")
        else:
            yield from _OWN.findall(str(value))
