"""Files that are not what they say, or would lie where nobody wants them; each has to be refused.

The plain ones are rows of `uploads.jsonl`, a content's bytes as Latin-1.
What may lie in a folder and is read as text, or left out with one line, stands in
tests/ingestion/hostile_inputs.py.
"""

import io
import json
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.ingestion.hostile_inputs import PNG, _member, archives
from tests.ingestion.office_files import zipped

TEXT = b"# Valve\n\nThe valve closes after five seconds.\n"
_PLAIN = {
    row["case"]: (row["name"], row.get("content", TEXT.decode()).encode("latin-1"))
    for row in map(
        json.loads, Path(__file__).with_name("uploads.jsonl").read_text("utf-8").splitlines()
    )
}
_ARCHIVES = (
    *("absolute", "drive", "backslash", "control", "bomb", "bomb-of-text", "encrypted", "link"),
    *("device", "pipe", "names", "truncated", "nothing", "no-zip", "right-to-left", "picture"),
    "empty-file",
)
"""Of tests/ingestion/hostile_inputs.py those in which nothing is left to read."""


def _more() -> Iterator[tuple[str, bytes]]:
    yield "only-slip.zip", zipped(("../slip.md", TEXT))
    yield "only-nested.zip", zipped(("inner.zip", zipped(("a.md", TEXT))))
    yield "folder-link.zip", _member("docs/", mode=stat.S_IFLNK | 0o777)
    yield "hidden.zip", zipped((".git/hooks/post-checkout.md", TEXT))
    yield "programs.zip", zipped(("run.exe", b"MZ"), ("run.sh", b"#!/bin/sh"))
    yield "python.zip", zipped(("sitecustomize.py", b"import os"))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(100):
            archive.writestr(f"{number}.md", b"word " * 1_000_000)
    yield "many-bombs.zip", file.getvalue()


_OF_READING = [(name, data) for name, data in archives() if name[:-4] in _ARCHIVES]
UPLOADS: dict[str, tuple[str, bytes]] = {
    **_PLAIN,
    "content-picture-as-text": ("guide.md", PNG),
    "content-zip-as-page": ("guide.html", zipped(("a.md", TEXT))),
    **{f"archive-{name[:-4]}": (name, data) for name, data in (*_OF_READING, *_more())},
}
