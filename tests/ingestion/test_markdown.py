import pytest

from ingestion.loaders.markdown import load
from ingestion.page import Block, DocumentKind, UnreadableFile


def read(text: str) -> list[Block]:
    return [block for page in load(text.encode(), "x.md").pages for block in page.blocks]


def test_front_matter_gives_the_title_and_is_left_out() -> None:
    document = load(b'---\ntitle: "Release notes 17.20"\n---\n# News\n\nText.\n', "a.md")
    assert document.title == "Release notes 17.20"
    assert document.kind is DocumentKind.RELEASE_NOTES
    assert document.pages[0].text == "News\n\nText."


def test_front_matter_that_is_no_yaml_gives_its_title() -> None:
    assert load(b"---\ntitle: Valve: the guide\nx: [\n---\nText.\n", "a.md").title == (
        "Valve: the guide"
    )


def test_a_module_that_is_imported_ends_with_its_line() -> None:
    text = "import {\n  A,\n} from 'a';\nimport B from \"b\"\n# Title\n\nText.\n"
    assert [b.text for b in read(text)] == ["Title", "Text."]


def test_without_front_matter_the_first_heading_is_the_title() -> None:
    assert load(b"Text.\n\n## Ports\n", "a.md").title == "Ports"
    assert load(b"Text.\n", "doc/a.md").title == "a.md"


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


@pytest.mark.parametrize("text", ["", "---\ntitle: x\n---\n", "<!-- nothing -->", "# "])
def test_a_file_without_text_says_so(text: str) -> None:
    with pytest.raises(UnreadableFile, match=r"empty|no text"):
        load(text.encode(), "x.md")


@pytest.mark.parametrize("text", ["[" * 20_000, "*a " * 20_000, "`a" * 20_000, "<" * 100_000])
def test_text_that_never_closes_its_marks_is_read_as_it_stands(text: str) -> None:
    assert sum(len(page.text) for page in load(text.encode(), "x.md").pages) > 9_000


@pytest.mark.parametrize(
    "use", ["{{ outer }}\n\n", "`{{ long }}` ", "|long|\n\n", "{LONG}\n\n", "{sub-ref}`outer`\n\n"]
)
def test_values_that_would_make_a_library_of_a_page_are_left_as_written(use: str) -> None:
    words = "word " * 180
    inner = "{{ long }} " * 300
    front = (
        f'---\nextra:\n  long: "{words}"\nsubstitutions:\n  long: "{words}"\n  outer: "{inner}"\n'
    )
    document = load(f'{front}---\nexport const LONG = "{words}"\n\n{use * 2_000}'.encode(), "a.md")
    assert sum(len(page.text) for page in document.pages) < 1_500_000
    assert document.remarks == (
        "its variables stand for more than 1,000,000 letters; the rest of them is left as written",
    )


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_nesting_without_end_is_refused(mark: str) -> None:
    with pytest.raises(UnreadableFile, match="no text"):
        load((mark * 50_000 + "x").encode(), "x.md")
