"""Files that are not what they say, or would lie where nobody wants them; each has to be refused.

What may lie in a folder and is read as text, or left out with one line, stands in
tests/ingestion/hostile_inputs.py.
"""

from __future__ import annotations

import io
import stat
import zipfile
from collections.abc import Iterator

from tests.ingestion.hostile_inputs import PNG, _member, _zip, archives

TEXT = b"# Valve\n\nThe valve closes after five seconds.\n"
_NAMES = {
    "up": "../guide.md",
    "up-inside": "a/../../guide.md",
    "absolute": "/etc/guide.md",
    "drive": "C:/guide.md",
    "backslash": "..\\..\\guide.md",
    "backslash-inside": "a\\guide.md",
    "network": "//evil.test/share/guide.md",
    "dot": "./guide.md",
    "hidden": ".guide.md",
    "hidden-folder": ".git/guide.md",
    "ssh": ".ssh/authorized_keys.md",
    "empty-part": "a//guide.md",
    "bell": "gu\x07ide.md",
    "escape": "\x1b[31mguide.md",
    "delete": "gu\x7fide.md",
    "turned": "guide\u202edm.md",
    "isolated": "guide\u2066.md",
    "tag-character": "guide\U000e0041.md",
    "zero-width": "gu\u200bide.md",
    "line-separator": "gu\u2028ide.md",
    "long": "x" * 300 + ".md",
    "long-in-bytes": "é" * 200 + ".md",
    "nothing-but-suffix": ".md",
    "no-suffix": "guide",
    "program": "guide.exe",
    "script": "guide.sh",
    "page-of-server": "guide.php",
    "double-suffix": "guide.md.exe",
    "double-suffix-turned": "guide.exe\u202edm.md",
    "suffix-and-space": "guide.md ",
    "suffix-and-dot": "guide.md.",
    "stream-of-windows": "guide.md::$DATA",
    "template": "guide.jinja",
    "python": "__init__.py",
    "settings": "strata.toml",
    "pickle": "model.pkl",
    "database": "strata.db",
    "tar": "guide.tar.gz",
    "symbolic": "guide.lnk",
}
_CONTENTS = {
    "picture-as-text": ("guide.md", PNG),
    "program-as-text": ("guide.txt", b"\x7fELF" + bytes(100)),
    "windows-program": ("guide.md", b"MZ\x90\x00\x03\x00\x00\x00" + bytes(100)),
    "zip-as-page": ("guide.html", _zip(("a.md", TEXT))),
    "pdf-as-page": ("guide.html", b"%PDF-1.7 cut off"),
    "page-as-pdf": ("guide.pdf", b"<html><body>x</body></html>"),
    "page-as-markdown": ("guide.md", b"<!doctype html><html><script>alert(1)</script></html>"),
    "commented-page": ("guide.md", b"<!-- x --><html><script>alert(1)</script></html>"),
    "page-as-zip": ("guide.zip", b"<html></html>"),
    "gzip-as-text": ("guide.txt", b"\x1f\x8b\x08" + bytes(50)),
    "rar-as-text": ("guide.txt", b"Rar!\x1a\x07" + bytes(50)),
    "old-office-as-text": ("guide.txt", b"\xd0\xcf\x11\xe0" + bytes(50)),
    "rich-text": ("guide.txt", b"{\\rtf1 x}"),
    "nul-bytes": ("guide.md", b"# Guide\0\0\0\0"),
    "empty": ("guide.md", b""),
    "white-space": ("guide.md", b" \n\t\r\n"),
    "cut-off-pdf": ("guide.pdf", b"%PDF-1.7\n1 0 obj<</Type/Catalog"),
}
_ARCHIVES = (
    *("absolute", "drive", "backslash", "control", "bomb", "bomb-of-text", "encrypted", "link"),
    *("device", "pipe", "names", "truncated", "nothing", "no-zip", "right-to-left", "picture"),
    "empty-file",
)
"""Of tests/ingestion/hostile_inputs.py those in which nothing is left to read."""


def _more() -> Iterator[tuple[str, bytes]]:
    yield "only-slip.zip", _zip(("../slip.md", TEXT))
    yield "only-nested.zip", _zip(("inner.zip", _zip(("a.md", TEXT))))
    yield "folder-link.zip", _member("docs/", mode=stat.S_IFLNK | 0o777)
    yield "hidden.zip", _zip((".git/hooks/post-checkout.md", TEXT))
    yield "programs.zip", _zip(("run.exe", b"MZ"), ("run.sh", b"#!/bin/sh"))
    yield "python.zip", _zip(("sitecustomize.py", b"import os"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(100):
            archive.writestr(f"{number}.md", b"word " * 1_000_000)
    yield "many-bombs.zip", file.getvalue()


_OF_READING = [(name, data) for name, data in archives() if name[:-4] in _ARCHIVES]
UPLOADS: dict[str, tuple[str, bytes]] = {
    **{f"name-{id}": (name, TEXT) for id, name in _NAMES.items()},
    **{f"content-{id}": file for id, file in _CONTENTS.items()},
    **{f"archive-{name[:-4]}": (name, data) for name, data in (*_OF_READING, *_more())},
}
