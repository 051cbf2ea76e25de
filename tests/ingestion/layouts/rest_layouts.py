"""What projects write in reStructuredText, with the directives of Sphinx and its extensions."""

from __future__ import annotations

from tests.ingestion.layouts.layout import Layout

_LEAD = "The valve closes after five seconds.\n\n"


def _rest(text: str, expected: str) -> Layout:
    return Layout("page.rst", (_LEAD + text).encode(), f"paragraph {_LEAD}{expected}")


LAYOUTS = {
    "what a version changed": _rest(
        """.. versionadded:: 3.2
   The option ``mode``.

.. versionchanged:: 3.3 It may be slow.

.. deprecated:: 3.4

   Use ``speed``.

   It goes in 4.0.

.. versionremoved:: 4.0
""",
        """paragraph New in version 3.2: The option mode.
paragraph Changed in version 3.3: It may be slow.
paragraph Deprecated since version 3.4: Use speed.
paragraph It goes in 4.0.
paragraph Removed in version 4.0.""",
    ),
    "a setting": _rest(
        """.. confval:: hold_time
   :type: ``int``
   :default: ``45``

   How long it stays open.
""",
        """signature hold_time
paragraph Type: int
paragraph Default: 45
paragraph How long it stays open.""",
    ),
    "options of a command": _rest(
        """.. program:: valve

.. option:: -v LEVEL, --verbose LEVEL

   Says more.

.. envvar:: VALVE_HOME

   Where it lies.
""",
        """signature -v LEVEL, --verbose LEVEL
paragraph Says more.
signature VALVE_HOME
paragraph Where it lies.""",
    ),
    "a function with its fields": _rest(
        """.. py:function:: close(id: int, hard: bool = False) -> int
                 close(name: str) -> int

   Closes a valve.

   :param int id: the valve
   :param hard: at once
   :type hard: bool
   :returns: 0 if it closed
   :raises OSError: where it is stuck
""",
        """signature close(id: int, hard: bool = False) -> int
signature close(name: str) -> int
paragraph Closes a valve.
definition id – the valve
definition hard – at once
definition type hard: bool
definition returns: 0 if it closed
definition raises OSError: where it is stuck""",
    ),
    "a class and its methods": _rest(
        """.. class:: Valve(id)

   A valve.

   .. method:: close()
      :async:

      Closes it.

   .. attribute:: state
      :type: str
""",
        """signature Valve(id)
paragraph A valve.
signature close()
paragraph Closes it.
signature state
paragraph Type: str""",
    ),
    "tabs of sphinx-tabs": _rest(
        """.. tabs::

   .. tab:: Debian

      Install it::

         apt install valve

   .. code-tab:: python Python

      valve.close()
""",
        """heading Debian
paragraph Install it:
code apt install valve
heading Python
code valve.close()""",
    ),
    "tabs and cards of sphinx-design": _rest(
        """.. tab-set::

   .. tab-item:: Debian
      :sync: deb

      Use apt.

   .. tab-item:: Fedora

      Use dnf.

.. dropdown:: Elsewhere
   :open:

   Build it.
""",
        """heading Debian
paragraph Use apt.
heading Fedora
paragraph Use dnf.
heading Elsewhere
paragraph Build it.""",
    ),
    "notes with and without a title": _rest(
        """.. warning:: It is hot.

.. note::

   Wear:

   * gloves
   * glasses

.. admonition:: Before you begin

   Read all of it.
""",
        """paragraph Warning: It is hot.
paragraph Note: Wear:
list_item - gloves
list_item - glasses
paragraph Before you begin: Read all of it.""",
    ),
    "a glossary and other definitions": _rest(
        """.. glossary::

   seal
   gasket
      Keeps it tight.

   stem : part
      Moves the disc.

valve
   Closes a pipe.

   Opens it too.
""",
        """definition seal, gasket – Keeps it tight.
definition stem – Moves the disc.
definition valve – Closes a pipe.
paragraph Opens it too.""",
    ),
    "tables by comma and by list": _rest(
        """.. csv-table:: Limits
   :header: "Valve", "bar"
   :widths: 10, 20

   "V1", 16
   "V2", 25

.. list-table::
   :header-rows: 1
   :stub-columns: 1

   * - Valve
     - Notes
   * - V1
     - * small
       * red
   * - V2
     - large
""",
        """paragraph Limits
table_header Valve — bar
table_row V1 — 16
table_row V2 — 25
table_header Valve — Notes
table_row V1 — small; red
table_row V2 — large""",
    ),
    "a grid with spanning cells": _rest(
        """+-------+---------------+
| Valve | Pressure      |
|       +-------+-------+
|       | min   | max   |
+=======+=======+=======+
| V1    | 1     | 16    |
+-------+-------+-------+
| V2    | off           |
+-------+---------------+
""",
        """table_header Valve — Pressure min — Pressure max
table_row V1 — 1 — 16
table_row V2 — off — off""",
    ),
    "code with numbers, a caption and emphasis": _rest(
        """.. code-block:: python
   :linenos:
   :caption: valve.py
   :emphasize-lines: 2

   def close():
       pass
""",
        """paragraph valve.py
code def close():⏎    pass""",
    ),
    "footnotes and citations": _rest(
        """It holds 16 bar [1]_ or 25 [#hot]_, says [Bar20]_.

.. [1] At 20 °C.
.. [#hot] At 80 °C.
.. [Bar20] The book of bars.
""",
        """paragraph It holds 16 bar [1] or 25 [2], says [Bar20].
paragraph [1] At 20 °C.
paragraph [2] At 80 °C.
paragraph [Bar20] The book of bars.""",
    ),
    "options as docutils lists them": _rest(
        """-v, --verbose     Says more.
--level=N         How much more.
/S                Says nothing.
""",
        """definition -v, --verbose – Says more.
definition --level=N – How much more.
definition /S – Says nothing.""",
    ),
    "a figure, a rubric and what only some see": _rest(
        """.. figure:: a.png
   :alt: Section through the valve

   The valve.

   Seen from the left.

.. rubric:: Examples

.. only:: html

   Click on it.

.. raw:: html

   <b>bold</b>
""",
        """paragraph Section through the valve
paragraph The valve.
paragraph Seen from the left.
heading Examples
paragraph Click on it.""",
    ),
    "lists that are nested and go on": _rest(
        """1. Open it:

   .. code-block:: sh

      valve open

2. Wait.

   a) a minute
   b) an hour

#. Close it.
""",
        """list_item 1. Open it:
code valve open
list_item 2. Wait.
list_item   1. a minute
list_item   2. an hour
list_item 3. Close it.""",
    ),
    "a list in columns, a line block, a quotation": _rest(
        """.. hlist::
   :columns: 2

   * open
   * close

| Valve Street 5
| Seal City

   Never open it.

   -- The maker
""",
        """list_item - open
list_item - close
paragraph Valve Street 5
paragraph Seal City
paragraph Never open it.
paragraph —The maker""",
    ),
    "substitutions, roles and formulas": _rest(
        """.. |unit| replace:: bar

It holds 16 |unit|; see :doc:`the guide </guide>`, :ref:`limits`, :confval:`hold_time`,
:py:meth:`~valve.Valve.close`, H\\ :sub:`2`\\ O and 10\\ :sup:`3`.

.. math:: Q = k \\sqrt{p}
""",
        """paragraph It holds 16 bar; see the guide, limits, hold_time, close(), H2O and 10^3.
code Q = k \\sqrt{p}""",
    ),
    "what only a site needs": _rest(
        """.. toctree::
   :maxdepth: 2

   guide
   reference

.. index:: single: valve

.. _limits:

.. contents:: On this page
   :local:

.. meta::
   :description: nothing to read

.. comment that nobody reads

The end.
""",
        "paragraph The end.",
    ),
}
