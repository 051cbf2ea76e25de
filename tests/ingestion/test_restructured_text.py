from pathlib import Path

import pytest

from ingestion.loaders.text import load
from ingestion.page import Block, UnreadableFile


def read(text: str) -> list[Block]:
    return [block for page in load(text.encode(), "x.rst").pages for block in page.blocks]


def test_unknown_directives_keep_their_text_and_print_nothing(
    capfd: pytest.CaptureFixture[str],
) -> None:
    text = """
.. tabs::

   .. tab:: Linux
      :opt: 1

      Use apt.

.. toctree::

   a

|x| `y`_
"""
    assert [b.text for b in read(text)] == ["Linux", "Use apt.", "x `y`_"]
    assert capfd.readouterr() == ("", "")


def test_nothing_is_included_or_passed_through_raw(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret words")
    text = f"""
Text.

.. include:: {secret}

.. literalinclude:: {secret}

.. raw:: html

   <p>raw words</p>

.. csv-table::
   :file: {secret}
"""
    assert [b.text for b in read(text)] == ["Text."]


def test_a_line_too_long_for_docutils_is_read_as_plain_text() -> None:
    document = load(b"Title\n=====\n\n" + b"*a " * 100_000, "x.rst")
    assert document.title == "Title"
    assert len(document.pages) > 90


@pytest.mark.parametrize("text", ["", ".. only a comment", ".. |x| replace:: y"])
def test_a_file_without_text_says_so(text: str) -> None:
    with pytest.raises(UnreadableFile, match=r"empty|no text"):
        load(text.encode(), "x.rst")


def test_nesting_without_end_is_refused() -> None:
    text = "\n\n".join("  " * depth + "- x" for depth in range(600))
    with pytest.raises(UnreadableFile, match="nested too deeply"):
        load(text.encode(), "x.rst")


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("`Schema.load <marshmallow.Schema.load>`", "Schema.load"),
        ("`~queue.Queue.get`", "get"),
        (":meth:`~queue.Queue.get`", "get()"),
        (":class:`~.Queue`", "Queue"),
        (":file:`~/.config/x.conf`", "~/.config/x.conf"),
        ("`.gitignore`", ".gitignore"),
        ("`vector<int>`", "vector<int>"),
        ("`cp <source> <target>`", "cp <source> <target>"),
        ("`!important`", "!important"),
    ],
)
def test_a_reference_is_shown_by_its_title_or_last_part(written: str, shown: str) -> None:
    assert [block.text for block in read(f"T\n=\n\nSee {written} here.")] == [
        "T",
        f"See {shown} here.",
    ]
