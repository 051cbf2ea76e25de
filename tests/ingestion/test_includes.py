import zipfile
from pathlib import Path

import pytest

from ingestion.includes import Included, may_include, with_included
from ingestion.listing import list_files
from ingestion.page import Document
from ingestion.reading import read_files

FILES = {
    "docs/shared/note.inc": "The valve is hot.\n\n.. include:: deeper.inc\n",
    "docs/shared/deeper.inc": "Wear gloves.\n",
    "docs/valve.py": "import os\n\ndef close():\n    # begin\n    shut()\n    # end\n",
    "docs/keys.csv": "Key,Use\nttl,60\n",
    "docs/_port.mdx": "On {props.name} 7443.\n",
    "snippets/keep.md": "Keep it *dry*.\n",
    "docs/round.inc": "Round.\n\n.. include:: round.inc\n",
}


def included(text: str, file: str = "docs/guide.rst") -> str:
    def read(name: str) -> bytes | None:
        return FILES[name].encode() if name in FILES else None

    whole = with_included(text.encode(), file, read).text
    return text if whole is None else whole


def test_a_file_is_included_with_what_it_includes_at_its_place() -> None:
    told = included("Guide\n=====\n\n.. note::\n\n   .. include:: shared/note.inc\n\nThe end.\n")
    assert told == (
        "Guide\n=====\n\n.. note::\n\n   The valve is hot.\n\n   Wear gloves.\n\nThe end.\n"
    )


@pytest.mark.parametrize(
    ("file", "text", "read"),
    [
        ("a.rst", ".. include:: /docs/shared/deeper.inc\n", "Wear gloves.\n"),
        ("a.rst", "* - .. include:: shared/deeper.inc\n  - 10\n", "* - Wear gloves.\n  - 10\n"),
        (
            "a.rst",
            ".. csv-table:: Keys\n   :file: keys.csv\n   :header-rows: 1\n\nEnd.\n",
            ".. csv-table:: Keys\n   :header-rows: 1\n\n   Key,Use\n   ttl,60\n\nEnd.\n",
        ),
        ("a.md", '--8<-- "snippets/keep.md"\n', "Keep it *dry*.\n\n"),
        ("a.md", "```{include} ../snippets/keep.md\n```\n", "Keep it *dry*.\n\n"),
        (
            "a.mdx",
            "import Port from './_port.mdx'\n\n<Port name=\"Linux\" />\n<Other />\n",
            "import Port from './_port.mdx'\n\nOn Linux 7443.\n<Other />\n",
        ),
        ("a.mdx", "```\n<Port />\n```\nimport Port from '@site/docs/_port.mdx'\n", None),
    ],
)
def test_what_is_included_stands_in_its_place(file: str, text: str, read: str | None) -> None:
    assert included(text, f"docs/{file}") == (text if read is None else read)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ("   :lines: 1,3\n", "import os\ndef close():"),
        ("   :start-after: # begin\n   :end-before: # end\n   :dedent:\n", "shut()"),
        ("   :start-at: def\n   :end-at: begin\n", "def close():\n    # begin"),
        ("   :lines: 4-\n", "    # begin\n    shut()\n    # end"),
    ],
)
def test_a_listing_is_what_its_options_cut_out(options: str, code: str) -> None:
    told = included(f".. literalinclude:: valve.py\n   :language: python\n{options}\nThe end.\n")
    indented = "\n".join(f"   {line}" for line in code.split("\n"))
    assert told == f".. code-block:: python\n\n{indented}\n\nThe end.\n"


ANTORA = {
    "docs/modules/ROOT/partials/p.adoc": "== Part\n\nText.\n",
    "docs/modules/ROOT/examples/x.py": (
        "import os\n# tag::main[]\ndef f():\n    # tag::inner[]\n    return 1\n"
        "    # end::inner[]\n# end::main[]\n"
    ),
    "docs/modules/other/partials/q.adoc": "Of another module.\n",
}


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("include::../partials/p.adoc[]\n", "== Part\n\nText.\n"),
        ("include::partial$p.adoc[]\n", "== Part\n\nText.\n"),
        (":dir: partial$\n\ninclude::{dir}p.adoc[]\n", ":dir: partial$\n\n== Part\n\nText.\n"),
        ("include::other:partial$q.adoc[]\n", "Of another module.\n"),
        ("include::valve:other:partial$q.adoc[]\n", "Of another module.\n"),
        ("include::example$x.py[tag=inner]\n", "    return 1\n"),
        ("include::example$x.py[tags=main;!inner]\n", "def f():\n"),
        ("include::example$x.py[tag=inner,indent=0]\n", "return 1\n"),
        ('include::example$x.py[lines="1;3..4"]\n', "import os\ndef f():\n"),
        (
            "include::partial$p.adoc[leveloffset=+1]\n",
            ":leveloffset: +1\n\n== Part\n\nText.\n\n\n:leveloffset: -1\n",
        ),
        ("include::nowhere.adoc[]\n", "include::nowhere.adoc[]\n"),
        ("\\include::partial$p.adoc[]\n", "\\include::partial$p.adoc[]\n"),
    ],
)
def test_what_asciidoc_includes_is_found_as_antora_finds_it(written: str, read: str) -> None:
    def content(name: str) -> bytes | None:
        return ANTORA[name].encode() if name in ANTORA else None

    whole = with_included(written.encode(), "docs/modules/ROOT/pages/a.adoc", content).text
    assert (written if whole is None else whole) == read


def test_a_listing_in_myst_is_fenced() -> None:
    told = included(
        "```{literalinclude} valve.py\n:lines: 1\n:language: python\n```\n", "docs/a.md"
    )
    assert told == "```python\nimport os\n```\n\n"


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("docs/a.rst", "So::\n\n   .. include:: shared/note.inc\n\nThe end.\n"),
        ("docs/a.rst", ".. code-block:: rst\n\n   .. include:: shared/note.inc\n"),
        ("docs/a.rst", ".. note::\n\n   So::\n\n      .. literalinclude:: valve.py\n"),
        ("docs/a.md", "~~~\n```{include} ../snippets/keep.md\n```\n~~~\n"),
        ("docs/a.md", "1. So\n\n   ````md\n   ```{include} ../snippets/keep.md\n   ```\n   ````\n"),
    ],
)
def test_what_includes_in_code_is_only_shown(file: str, text: str) -> None:
    assert included(text, file) == text


@pytest.mark.parametrize(
    "path", ["../secret.txt", "/../secret.txt", "../../etc/passwd", "nothing.inc", "a\\..\\b"]
)
def test_what_lies_outside_is_not_asked_for(path: str) -> None:
    text = f".. include:: {path}\n".encode()
    asked: list[str] = []

    def read(name: str) -> bytes | None:
        asked.append(name)
        return None

    assert with_included(text, "guide.rst", read) == Included(None, (path,))
    assert not any(".." in name.split("/") or name.startswith("/") for name in asked)


def test_a_file_that_includes_itself_or_grows_without_end_is_cut() -> None:
    assert included(".. include:: round.inc\n").count("Round.") == 1

    def read(name: str) -> bytes:
        level = int(name.partition(".")[0])
        return f".. include:: {level + 1}.inc\n\n".encode() * 40 + b"x" * 100_000

    whole = with_included(b".. include:: 1.inc\n", "0.rst", read)
    assert whole.missing
    assert len(whole.text or "") < 60_000_000


def test_what_includes_nothing_stays_as_it_is() -> None:
    for data in (b"plain\r\n", b"\x00include", b"include"):
        assert with_included(data, "a.rst", lambda name: None) == Included(None)
    assert not may_include(b"include", "a.pdf")
    assert not may_include(b"plain", "a.rst")


def test_files_of_the_folder_are_included_and_no_others(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (tmp_path / "secret.txt").write_text("the-word-that-nobody-may-see")
    (docs / "note.inc").write_text("The valve is hot.\n")
    (docs / ".hidden.inc").write_text("Hidden.\n")
    (docs / "link.inc").symlink_to(tmp_path / "secret.txt")
    names = ("note.inc", "../secret.txt", "link.inc", ".hidden.inc")
    (docs / "guide.rst").write_text("".join(f".. include:: {name}\n\n" for name in names))
    (document,) = read_files(list_files([docs]))
    assert isinstance(document, Document)
    assert document.pages[0].text == "The valve is hot."
    assert document.remarks == (
        "3 of the files that it includes were not read, as they are not in what was given or too "
        "much (such as ../secret.txt)",
    )


def test_files_of_the_archive_are_included(tmp_path: Path) -> None:
    path = tmp_path / "docs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("docs/guide.rst", ".. literalinclude:: code/valve.py\n")
        archive.writestr("docs/code/valve.py", "shut()\n")
    (document,) = read_files(list_files([path]))
    assert isinstance(document, Document)
    assert document.pages[0].text == "shut()"
    assert document.expanded == b".. code-block:: text\n\n   shut()\n"
