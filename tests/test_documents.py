"""What the documents say of each other, of the version and of the code is so."""

import re
import tomllib
from pathlib import Path

import pytest

from eval.answers import MEASURES

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "eval", "examples")
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(f for name in FOLDERS for f in (ROOT / name).rglob("*.md"))]
)
_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")


def read(path: Path) -> str:
    return path.read_text("utf-8")


def anchors(path: Path) -> set[str]:
    """The anchors of a document's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", read(path), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document: Path) -> None:
    for file, anchor in _LINK.findall(_CODE.sub("", read(document))):
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), f"{document.name} links to {file}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{document.name} links to {file}#{anchor}"


def test_the_version_is_the_same_everywhere() -> None:
    version = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]["version"]
    released = re.search(r"^## (\d\S*) – (\S+)$", read(ROOT / "CHANGELOG.md"), re.MULTILINE)
    citation = read(ROOT / "CITATION.cff")
    assert released is not None
    assert released[1] == version
    assert f"\nversion: {version}\n" in citation
    assert f"\ndate-released: {released[2]}\n" in citation


def test_the_glossary_names_what_the_code_has() -> None:
    rows = re.findall(r"^\| \*\*.*\| (.*) \|$", read(ROOT / "docs" / "glossary.md"), re.MULTILINE)
    assert len(rows) > 40
    packages = ("ingestion", "corpora", "chatbot", "eval", "ui")
    code = "\n".join(read(file) for name in packages for file in (ROOT / name).rglob("*.py"))
    for row in rows:
        for name, attribute in re.findall(r"`(\w+)(?:\(\)|\.(\w+))?`", row):
            assert re.search(rf"^(?:class |def |){name}\b", code, re.MULTILINE), name
            assert re.search(rf"^ *(?:def )?{attribute}\b", code, re.MULTILINE), attribute
        for file in re.findall(r"`(\w+/[\w/.]+)`", row):
            assert (ROOT / file).is_file(), file


def test_the_table_of_measures_names_what_the_evaluation_counts() -> None:
    table = read(ROOT / "docs" / "evaluation.md").partition("\n## The measures\n")[2]
    first = re.findall(r"^\| ([^|]+) \|", table.partition("\n## ")[0], re.MULTILINE)
    named = {name for cell in first for name in cell.split("; ")}
    assert named >= {label for label, _ in MEASURES.values()}
