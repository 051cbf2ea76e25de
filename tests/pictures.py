"""Small pictures for tests, and hostile ones."""

import io
import struct
import zlib

from PIL import Image, ImageDraw

SCRIPTED = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 200 100">
<script>alert(1)</script><image href="file:///etc/passwd" width="9" height="9"/>
<rect width="90" height="50" onclick="alert(2)"/><text x="10" y="90">Inlet</text></svg>"""


def picture(width: int = 300, height: int = 200, colour: str = "red", kind: str = "PNG") -> bytes:
    """A picture of a line on white paper, with a comment that nobody is to keep."""
    image = Image.new("RGB", (width, height), "white")
    ImageDraw.Draw(image).line((0, 0, width, height), fill=colour, width=8)
    target = io.BytesIO()
    image.save(target, kind, comment=b"secret place")
    return target.getvalue()


def bomb(side: int = 60_000) -> bytes:
    """A PNG of few bytes that unpacks to gigabytes."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        checked = kind + data
        return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = chunk(b"IDAT", zlib.compress(bytes(1 << 20), 9))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + rows + chunk(b"IEND", b"")
