"""The sample documentation builds, and says what the answers to its questions say."""

import json
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import docutils.core
import docutils.nodes
import pymupdf
import pytest
from lxml import etree, html

EXAMPLES = Path(__file__).parents[2] / "examples"
RELEASES = ("17.10", "17.20", "18.00")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


QUESTIONS = read_lines(EXAMPLES / "questions.jsonl")
GLOSSARY_QUESTIONS = read_lines(EXAMPLES / "glossary_questions.jsonl")
MORE_QUESTIONS = read_lines(EXAMPLES / "more_questions.jsonl")
ANSWERED_QUESTIONS = read_lines(EXAMPLES / "answered_questions.jsonl")
YES_NO_QUESTIONS = read_lines(EXAMPLES / "yes_no_questions.jsonl")
ALL_QUESTIONS = [
    *QUESTIONS,
    *GLOSSARY_QUESTIONS,
    *MORE_QUESTIONS,
    *ANSWERED_QUESTIONS,
    *YES_NO_QUESTIONS,
]
UNANSWERABLE = [q for q in ALL_QUESTIONS if q["kind"] == "unanswerable"]
ANSWERABLE = [q for q in ALL_QUESTIONS if q["kind"] != "unanswerable"]


def by_id(questions: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("question", questions, ids=[q["id"] for q in questions])


def build(output: Path) -> Path:
    command = [sys.executable, "-W", "error", str(EXAMPLES / "build.py"), "--output", str(output)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return output


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("examples"))


def documents(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def clean(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()


def passage(built: Path, source: dict[str, Any]) -> list[str]:
    """The lines of a page or a section, none if it is missing.

    A table row, a paragraph and a label of a drawing are a line each.
    """
    file = built / "tessaline" / source["release"] / source["file"]
    anchor = source.get("anchor")
    lines: list[str] = []
    if file.suffix == ".pdf":
        with pymupdf.open(file) as document:
            lines = document[source["page"] - 1].get_text(sort=True).splitlines()
    elif file.suffix == ".svg":
        lines = [str(text) for text in etree.parse(file).getroot().itertext()]
    elif file.suffix == ".html":
        for heading in html.parse(file).xpath("//*[@id=$id]", id=anchor):
            for element in heading.itersiblings():
                if re.fullmatch("h[12]", element.tag):
                    break
                rows = element.xpath("self::table//tr | self::ol/li") or [element]
                lines += [" ".join(row.itertext()) for row in rows]
    elif file.suffix == ".md":
        _, *sections = re.split(r"^#+ ", file.read_text(encoding="utf-8"), flags=re.M)
        for section in sections:
            title, *rest = section.splitlines()
            if re.sub(r"\W+", "-", title.lower()) == anchor:
                lines = rest
    else:
        tree = docutils.core.publish_doctree(file.read_text(encoding="utf-8"))
        for section in tree.findall(docutils.nodes.section):
            if anchor in section["ids"]:
                lines = [node.astext() for node in section.children]
    return [clean(line) for line in lines]


def answers(question: dict[str, Any], text: str) -> bool:
    """Whether a text would be scored as a right answer."""
    return all(re.search(p, text, re.I) for p in question["must_include"]) and not any(
        re.search(p, text, re.I) for p in question["must_not_include"]
    )


def text_of(file: Path) -> str:
    if file.suffix == ".pdf":
        with pymupdf.open(file) as document:
            return clean(" ".join(page.get_text() for page in document))
    return clean(file.read_text(encoding="utf-8"))


def test_every_release_has_every_document(built: Path) -> None:
    names = {
        release: [p.relative_to(folder).as_posix() for p in documents(folder)]
        for release, folder in ((r, built / "tessaline" / r) for r in RELEASES)
    }
    assert names["17.10"] == names["17.20"] == names["18.00"]
    assert {Path(name).suffix for name in names["18.00"]} == {
        ".html",
        ".md",
        ".pdf",
        ".rst",
        ".svg",
    }
    suggestions = read_lines(EXAMPLES / "suggestions.jsonl")
    assert {s["product"] for s in suggestions} == {"tessaline"}


@pytest.mark.parametrize("release", RELEASES)
def test_links_and_markup_are_sound(built: Path, release: str) -> None:
    folder = built / "tessaline" / release
    for file in folder.rglob("*.html"):
        tree = html.parse(file)
        ids = tree.xpath("//@id")
        assert len(ids) == len(set(ids))
        assert tree.xpath("//nav//a[@aria-current='page']")
        for link in tree.xpath("//a/@href[not(starts-with(., '#'))]"):
            assert (file.parent / link).resolve().is_file(), (file.name, link)
    assert html.parse(folder / "fault-clearing.html").xpath("//*[local-name()='svg']")
    assert html.parse(folder / "configuration/line-ports.html").xpath("//td[@rowspan]")
    etree.parse(folder / "cabling.svg")
    commands = (folder / "command-reference.rst").read_text(encoding="utf-8")
    docutils.core.publish_doctree(commands, settings_overrides={"halt_level": 2})


@pytest.mark.parametrize("release", RELEASES)
def test_no_trace_of_the_sources_is_left(built: Path, release: str) -> None:
    for file in documents(built / "tessaline" / release):
        text = text_of(file)
        assert not re.search(r"::: |\$\w|\| *\| *\|", text), file.name


@by_id([q for q in ANSWERABLE if q["kind"] != "compare"])
def test_the_answer_stands_in_each_source(built: Path, question: dict[str, Any]) -> None:
    for source in question["sources"]:
        assert source["release"] == question["release"] or question["release"] is None
        assert any(answers(question, line) for line in passage(built, source)), source


@by_id([q for q in ANSWERABLE if q["kind"] == "compare"])
def test_a_comparison_needs_both_releases(built: Path, question: dict[str, Any]) -> None:
    assert [source["release"] for source in question["sources"]] == question["releases"]
    one, other = ("\n".join(passage(built, source)) for source in question["sources"])
    assert answers(question, one + other)
    assert not answers(question, one)
    assert not answers(question, other)


@by_id([q for q in ALL_QUESTIONS if q["kind"] == "release_specific_differs"])
def test_another_release_says_something_else(built: Path, question: dict[str, Any]) -> None:
    source = question["sources"][0]
    answering = {line for line in passage(built, source) if answers(question, line)}
    elsewhere = [
        passage(built, source | {"release": release})
        for release in RELEASES
        if release != source["release"]
    ]
    assert any(answering.difference(lines) for lines in elsewhere)


@by_id(UNANSWERABLE)
def test_what_cannot_be_answered_is_not_there(built: Path, question: dict[str, Any]) -> None:
    assert answers(question, question["gold_answer"])
    folder = built / "tessaline" / question["release"]
    assert folder.exists() is not question.get("release_not_in_corpora", False)
    for file in documents(folder):
        for term in question["absent_in_release"]:
            assert not re.search(term, text_of(file), re.I), (file.name, term)
