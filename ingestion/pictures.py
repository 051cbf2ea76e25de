"""A picture of unknown origin is drawn anew, so that what is kept is nothing but its pixels."""

import io
import re
from typing import Any

from ingestion.page import UnreadableFile

SMALLEST = 48
"""Pixels of the shorter side: what is smaller is an icon."""
_LARGEST = 1600
"""Pixels of the longer side that are kept."""
_MOST_PIXELS = 50_000_000
"""What a picture may unpack to: at four bytes each well below what the process may have."""
_LONGEST_PNG = 400_000
"""Bytes up to which a picture is kept without loss."""
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF")
_RECTANGLE = re.compile(r"page=(\d{1,6})&xywh=([\d.]+),([\d.]+),([\d.]+),([\d.]+)")
_ZOOM = 2.0
SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"RIFF": "image/webp"}
"""How the files of pictures that are kept begin."""


def media_type(data: bytes) -> str:
    """Return the media type of a picture that is kept; raise ValueError for any other bytes."""
    for begins, kind in SIGNATURES.items():
        if data.startswith(begins) and (kind != "image/webp" or data[8:12] == b"WEBP"):
            return kind
    raise ValueError("not a picture that is kept")


def drawn_anew(data: bytes, place: str) -> tuple[bytes, int, int]:
    """Return a picture as PNG or WebP with the width and height that it has there.

    `place` is that of a rectangle in a PDF, else `data` is the picture. Raises UnreadableFile for
    what is no picture, an icon, damaged, or unpacks to more pixels than are allowed.
    """
    from PIL import Image, ImageOps, UnidentifiedImageError

    Image.MAX_IMAGE_PIXELS = _MOST_PIXELS
    if rectangle := _RECTANGLE.fullmatch(place):
        data = _rectangle(data, *map(float, rectangle.groups()))
    elif _is_svg(data):
        data = _drawing(data)
    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as opened:
            width, height = opened.size
            if width * height > _MOST_PIXELS:
                raise UnreadableFile(
                    "a picture of {width:,} × {height:,} pixels, which is too large",
                    width=width,
                    height=height,
                )
            if min(width, height) < SMALLEST:
                raise UnreadableFile("an icon")
            opened.draft("RGB", (_LARGEST, _LARGEST))
            picture: Any = ImageOps.exif_transpose(opened)
            has_gaps = "A" in picture.getbands() or "transparency" in picture.info
            picture = picture.convert("RGBA" if has_gaps else "RGB")
    except UnidentifiedImageError as error:
        raise UnreadableFile("no picture, or of a kind that is not shown") from error
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise UnreadableFile("a damaged picture ({error})", error=error) from error
    if has_gaps:
        # Dark lines on nothing would vanish on a dark page.
        paper = Image.new("RGBA", picture.size, "white")
        picture = Image.alpha_composite(paper, picture).convert("RGB")
    picture.thumbnail((_LARGEST, _LARGEST))
    picture.info.clear()
    written = _written(picture, format="PNG")
    if len(written) > _LONGEST_PNG:
        written = min(written, _written(picture, format="WEBP", quality=85), key=len)
    return written, *picture.size


def _written(picture: Any, **how: Any) -> bytes:
    target = io.BytesIO()
    picture.save(target, **how)
    return target.getvalue()


def _is_svg(data: bytes) -> bool:
    return b"<svg" in data[:4096].lower()


def _drawing(data: bytes) -> bytes:
    """Draw an SVG from what in it can only draw."""
    from ingestion.mupdf import pymupdf
    from ingestion.safe_svg import UnsafeDrawing, harmless_svg

    try:
        harmless = harmless_svg(data)
    except UnsafeDrawing as error:
        raise UnreadableFile("a drawing that is not drawn: {error}", error=error) from error
    return _page(pymupdf(), harmless, "svg", 1, None)


def _rectangle(data: bytes, number: float, *box: float) -> bytes:
    from ingestion.mupdf import pymupdf

    x, y, width, height = box
    return _page(pymupdf(), data, "pdf", int(number), (x, y, x + width, y + height))


def _page(mupdf: Any, data: bytes, kind: str, number: int, clip: Any) -> bytes:
    try:
        with mupdf.open(stream=data, filetype=kind) as document:
            page = document[number - 1]
            if kind == "pdf":
                page.set_rotation(0)
            box = mupdf.Rect(clip) & page.rect if clip else page.rect
            zoom = min(_ZOOM, _LARGEST / max(box.width, box.height, 1))
            picture = page.get_pixmap(matrix=mupdf.Matrix(zoom, zoom), clip=box, alpha=False)
            return bytes(picture.tobytes())
    except (mupdf.mupdf.FzErrorBase, RuntimeError, ValueError, IndexError) as error:
        raise UnreadableFile("a picture that cannot be drawn ({error})", error=error) from error
