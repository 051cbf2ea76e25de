from __future__ import annotations

import pytest

from ingestion.loaders.markdown import load
from ingestion.page import Block, BlockKind, DocumentKind, UnreadableFile


def read(text: str) -> list[Block]:
    return [block for page in load(text.encode(), "x.md").pages for block in page.blocks]


def test_front_matter_gives_the_title_and_is_left_out() -> None:
    document = load(b'---\ntitle: "Release notes 17.20"\n---\n# News\n\nText.\n', "a.md")
    assert document.title == "Release notes 17.20"
    assert document.kind is DocumentKind.RELEASE_NOTES
    assert document.pages[0].text == "News\n\nText."


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert load(b"Text.\n\n## Ports\n", "a.md").title == "Ports"
    assert load(b"Text.\n", "doc/a.md").title == "a.md"


def test_headings_have_the_anchors_that_github_gives_them() -> None:
    text = "# What's `new` in 17.20?\n## Fixed\n## Fixed\n## Own {#own-one}\n"
    assert [(b.text, b.anchor) for b in read(text)] == [
        ("What's new in 17.20?", "whats-new-in-1720"),
        ("Fixed", "fixed"),
        ("Fixed", "fixed-1"),
        ("Own", "own-one"),
    ]


def test_paths_follow_the_headings() -> None:
    blocks = read("# A\n## B\ntext\n\nC\n-\nmore\n")
    assert [b.path for b in blocks if b.kind is BlockKind.PARAGRAPH] == [("A", "B"), ("A", "C")]


def test_a_table_is_read_row_by_row() -> None:
    blocks = read("| Alarm | Severity |\n|---|---|\n| `LOS` | critical |\n")
    assert [b.text for b in blocks] == ["Alarm — Severity", "LOS — critical"]
    assert blocks[1].header == ("Alarm", "Severity")


def test_code_is_letter_for_letter_and_lists_are_marked() -> None:
    text = "1. Stop:\n   ```sh\n   stop  --all \\\n     <now>\n   ```\n2. Start\n   - slowly\n"
    assert [b.text for b in read(text)] == [
        "1. Stop:",
        "stop  --all \\\n  <now>",
        "2. Start",
        "  - slowly",
    ]


def test_html_inside_is_read_as_html() -> None:
    text = "<div><table><tr><th>A</th></tr><tr><td>1</td></tr></table></div>\n\n<!-- c -->\nText.\n"
    assert [b.text for b in read(text)] == ["A", "1", "Text."]


def test_scripts_inside_are_not_read() -> None:
    assert [b.text for b in read("Text.\n\n<script>steal()</script>\n")] == ["Text."]


@pytest.mark.parametrize(
    "note",
    [
        "> [!WARNING]\n> Hot\n> surface.\n",
        "!!! warning\n    Hot\n    surface.\n",
        '??? note "Warning"\n    Hot\n    surface.\n',
        ":::warning\nHot\nsurface.\n:::\n",
        "::::{note} Warning\nHot\nsurface.\n::::\n",
        "```{warning}\n:class: red\nHot\nsurface.\n```\n",
    ],
)
def test_notes_begin_with_their_label(note: str) -> None:
    assert [b.text for b in read(f"Before.\n\n{note}\nAfter.\n")] == [
        "Before.",
        "Warning: Hot surface.",
        "After.",
    ]


def test_what_sphinx_adds_to_markdown_is_read_for_its_text() -> None:
    text = """(target)=
See {ref}`the ports <ports>`.

```{code-block} python
:linenos:
run()
```

```{versionadded} 17.20
More speed.
```

```{toctree}
ports
```
"""
    assert [b.text for b in read(text)] == [
        "See the ports.",
        "run()",
        "New in version 17.20: More speed.",
    ]


@pytest.mark.parametrize("text", ["", "---\ntitle: x\n---\n", "<!-- nothing -->", "# "])
def test_a_file_without_text_says_so(text: str) -> None:
    with pytest.raises(UnreadableFile, match=r"empty|no text"):
        load(text.encode(), "x.md")


@pytest.mark.parametrize("text", ["[" * 20_000, "*a " * 20_000, "`a" * 20_000, "<" * 100_000])
def test_text_that_never_closes_its_marks_is_read_as_it_stands(text: str) -> None:
    assert sum(len(page.text) for page in load(text.encode(), "x.md").pages) > 9_000


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_nesting_without_end_is_refused(mark: str) -> None:
    with pytest.raises(UnreadableFile, match="no text"):
        load((mark * 50_000 + "x").encode(), "x.md")
