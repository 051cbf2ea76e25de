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
from tests.ui.attacks.attack import Attack

TEXT = b"# Valve\n\nThe valve closes after five seconds.\n"
NAME = "a name has to be a plain relative path without anything that nobody sees"
CONTENT = "the first bytes have to be what the suffix says"
MEMBER = "members are judged like files, and nothing is unpacked to where a member says"
SIZE = "what a member unpacks to is bounded, and counted while it is read"
KIND = "only formats that a loader reads are taken, by the last suffix"

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
_ARCHIVES = {
    name: archive
    for name, archive in archives()
    if name
    in {
        "absolute.zip",
        "drive.zip",
        "backslash.zip",
        "control.zip",
        "bomb.zip",
        "bomb-of-text.zip",
        "encrypted.zip",
        "link.zip",
        "device.zip",
        "pipe.zip",
        "names.zip",
        "truncated.zip",
        "nothing.zip",
        "no-zip.zip",
        "right-to-left.zip",
        "picture.zip",
        "empty-file.zip",
    }
}


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


UPLOADS = [
    *(
        Attack(f"name-{id}", "upload", "rest, page", (name, TEXT),
               "a file lies outside of its folder, runs, or hides what it is",
               KIND if name[-3:] != ".md" else NAME)
        for id, name in _NAMES.items()
    ),
    *(
        Attack(f"content-{id}", "upload", "rest, page, command", file,
               "a file is read as what it is not", CONTENT)
        for id, file in _CONTENTS.items()
    ),
    *(
        Attack(f"archive-{name[:-4]}", "upload", "rest, page, command", (name, content),
               "a member lies outside of its folder, fills the disk or is followed",
               SIZE if "bomb" in name or name == "names.zip" else MEMBER)
        for name, content in (*_ARCHIVES.items(), *_more())
    ),
]  # fmt: skip
