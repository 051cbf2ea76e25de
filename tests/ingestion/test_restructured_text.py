from __future__ import annotations

from pathlib import Path

import pytest

from ingestion.loaders.text import load
from ingestion.page import Block, BlockKind, UnreadableFile


def read(text: str) -> list[Block]:
    return [block for page in load(text.encode(), "x.rst").pages for block in page.blocks]


def test_sections_give_paths_anchors_and_the_title() -> None:
    document = load(b"Manual\n======\n\nIntro.\n\nPorts\n-----\n\nText.\n", "x.rst")
    assert document.title == "Manual"
    assert [(b.text, b.path, b.anchor) for b in document.pages[0].blocks][1:] == [
        ("Intro.", ("Manual",), "manual"),
        ("Ports", ("Manual", "Ports"), "ports"),
        ("Text.", ("Manual", "Ports"), "ports"),
    ]


def test_tables_lists_and_code() -> None:
    text = """
===== ========
Alarm Severity
===== ========
LOS   critical
===== ========

- one

  - two

.. code-block:: python
   :linenos:

   def f(a,
         b): ...
"""
    assert [b.text for b in read(text)] == [
        "Alarm — Severity",
        "LOS — critical",
        "- one",
        "  - two",
        "def f(a,\n      b): ...",
    ]


def test_sphinx_objects_are_signatures_with_their_parameters() -> None:
    text = """
.. py:function:: connect(host, port=80)
   :noindex:

   Connects.

   :param str host: the host
   :param port: the port

      New in 2.
   :returns: a connection
"""
    blocks = read(text)
    assert [(b.kind, b.text) for b in blocks] == [
        (BlockKind.SIGNATURE, "connect(host, port=80)"),
        (BlockKind.PARAGRAPH, "Connects."),
        (BlockKind.DEFINITION, "host – the host"),
        (BlockKind.DEFINITION, "port – the port"),
        (BlockKind.PARAGRAPH, "New in 2."),
        (BlockKind.DEFINITION, "returns: a connection"),
    ]
    assert {b.anchor for b in blocks} == {"connect"}
    assert blocks[4].path == ("connect", "port")


@pytest.mark.parametrize("directive", ["setting", "conf_valve"])
def test_a_name_for_the_heading_below_is_no_text(directive: str) -> None:
    text = f"""
Valves
======

They open.

.. {directive}:: HOLD_TIME

``HOLD_TIME``
-------------

How long.
"""
    assert [(b.kind, b.text) for b in read(text)] == [
        (BlockKind.HEADING, "Valves"),
        (BlockKind.PARAGRAPH, "They open."),
        (BlockKind.HEADING, "HOLD_TIME"),
        (BlockKind.PARAGRAPH, "How long."),
    ]


def test_an_object_says_its_type_and_its_default() -> None:
    text = """
.. confval:: hold_time
   :type: int
   :default: ``30``

   How long it holds.
"""
    assert [b.text for b in read(text)] == [
        "hold_time",
        "Type: int",
        "Default: 30",
        "How long it holds.",
    ]


def test_sphinx_notes_begin_with_their_label() -> None:
    text = """
.. versionadded:: 1.4
   Now with speed.

.. deprecated:: 2.0

.. note:: Take care.

.. seealso:: Ports
"""
    assert [b.text for b in read(text)] == [
        "New in version 1.4: Now with speed.",
        "Deprecated since version 2.0.",
        "Note: Take care.",
        "See also: Ports",
    ]


def test_roles_are_read_as_sphinx_shows_them() -> None:
    text = "Use :meth:`~net.Port.open` of :class:`net.Port`, see :ref:`the list <ports>`, `x`:odd:."
    assert read(text)[0].text == "Use open() of net.Port, see the list, x."


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
    assert [b.text for b in read(text)] == ["Linux", "Use apt.", "|x| `y`_"]
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


QUOTED = b"""\
Settings
========

``hold-time``

  Seconds that the valve stays open.

  *Default*: 30

Look into these places:

#. :file:`../etc/valve.conf`
#. :file:`.valve` and :meth:`.close`

  A quotation stands below no name.
"""


def test_a_name_with_indented_text_below_it_is_its_definition() -> None:
    blocks = [b for page in load(QUOTED, "settings.rst").pages for b in page.blocks]
    owned = {b.text: b.path[-1] for b in blocks}
    assert owned["Seconds that the valve stays open."] == "hold-time"
    assert owned["Default: 30"] == "hold-time"
    assert owned["Look into these places:"] == "Settings"


def test_the_dots_of_a_file_belong_to_its_name() -> None:
    texts = [b.text for page in load(QUOTED, "settings.rst").pages for b in page.blocks]
    assert "1. ../etc/valve.conf" in texts
    assert "2. .valve and close()" in texts
