"""What projects write in Markdown: GitHub, MkDocs, Docusaurus and MyST."""

from __future__ import annotations

from tests.ingestion.layouts.layout import Layout

_LEAD = "The valve closes after five seconds.\n\n"


def _markdown(text: str, expected: str) -> Layout:
    return Layout("page.md", (_LEAD + text).encode(), f"paragraph {_LEAD}{expected}")


LAYOUTS = {
    "footnotes": _markdown(
        """It holds 16 bar[^1] or 25[^hot].

[^1]: At 20 °C.
[^hot]: At 80 °C,
    and not longer.
""",
        """paragraph It holds 16 bar[1] or 25[2].
paragraph [1] At 20 °C.
paragraph [2] At 80 °C, and not longer.""",
    ),
    "definitions": _markdown(
        """seal
:   Keeps it tight.
:   Is replaced each year.

stem
:   Moves the disc.

    Is greased.
""",
        """definition seal – Keeps it tight.
paragraph Is replaced each year.
definition stem – Moves the disc.
paragraph Is greased.""",
    ),
    "tasks": _markdown(
        """- [x] open
- [ ] close
""",
        """list_item - [x] open
list_item - [ ] close""",
    ),
    "tabs of mkdocs": _markdown(
        """=== "Debian"

    Install it:

    ```sh
    apt install valve
    ```

=== "Fedora"

    Use dnf.
""",
        """heading Debian
paragraph Install it:
code apt install valve
heading Fedora
paragraph Use dnf.""",
    ),
    "tabs of docusaurus": _markdown(
        """import Tabs from '@theme/Tabs';

<Tabs groupId="os">
<TabItem value="deb" label="Debian">

Use apt.

</TabItem>
<TabItem value="rpm" label="Fedora">

Use dnf.

</TabItem>
</Tabs>
""",
        """heading Debian
paragraph Use apt.
heading Fedora
paragraph Use dnf.""",
    ),
    "tabs of myst": _markdown(
        """::::{tab-set}
:::{tab-item} Debian
Use apt.
:::
:::{tab-item} Fedora
Use dnf.
:::
::::
""",
        """heading Debian
paragraph Use apt.
heading Fedora
paragraph Use dnf.""",
    ),
    "notes of mkdocs with blocks inside": _markdown(
        """!!! warning "Hot"

    Wear:

    - gloves
    - glasses

??? note
    Wait.
""",
        """paragraph Hot: Wear:
list_item - gloves
list_item - glasses
paragraph Note: Wait.""",
    ),
    "notes of github and docusaurus": _markdown(
        """> [!IMPORTANT]
> Keep it dry.

:::tip[Faster]
Close it by hand.
:::
""",
        """paragraph Important: Keep it dry.
paragraph Faster: Close it by hand.""",
    ),
    "what a version changed, in myst": _markdown(
        """```{versionadded} 3.2
The option `mode`.
```

:::{deprecated} 3.4
Use `speed`.
:::
""",
        """paragraph New in version 3.2: The option mode.
paragraph Deprecated since version 3.4: Use speed.""",
    ),
    "a table with bars in its cells": _markdown(
        """| Option | Values        |
|:-------|:-------------:|
| `mode` | `fast\\|slow` |
| level  | low<br>high   |
""",
        """table_header Option — Values
table_row mode — fast|slow
table_row level — low high""",
    ),
    "code with a title and numbers": _markdown(
        """```python title="valve.py" linenums="1" hl_lines="2"
def close():
    pass
```

~~~
plain
~~~
""",
        """paragraph valve.py
code def close():⏎    pass
code plain""",
    ),
    "steps with code between them": _markdown(
        """1. Open the shell:

    ```sh
    valve shell
    ```

2. Close it:
    - slowly
    - by hand
3. Leave.
""",
        """list_item 1. Open the shell:
code valve shell
list_item 2. Close it:
list_item   - slowly
list_item   - by hand
list_item 3. Leave.""",
    ),
    "details, comments and front matter": Layout.of(
        "page.md",
        """\
        ---
        title: Valve guide
        ---

        <!-- nobody reads this -->

        <details>
        <summary>More</summary>

        Close it.

        </details>
        """,
        """
        heading More
        paragraph Close it.
        """,
    ),
    "headings with attributes": _markdown(
        """## Limits {#limits .big}

Setext
------

It holds.
""",
        """heading Limits
heading Setext
paragraph It holds.""",
    ),
    "formulas and references": _markdown(
        """The flow is $Q = k \\sqrt{p}$, see {ref}`limits`, [the guide][g] and <https://a.example/b>.

[g]: https://a.example
""",
        "paragraph The flow is $Q = k \\sqrt{p}$, see limits, the guide and https://a.example/b.",
    ),
}
