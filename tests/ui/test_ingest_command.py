"""`strata ingest`: what it reads, leaves out and says, with the real embedding model."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.ingestion.hostile_inputs import GROUPS
from tests.ingestion.office_files import zipped
from ui.cli.main import app
from ui.cli.terminal import SOME_LEFT_OUT

MARKDOWN = "# Valve\n\nThe valve closes after five seconds.\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STRATA_DATA_DIR", str(tmp_path / "data"))
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "valve.md").write_text(MARKDOWN)
    return docs


def ingest(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["ingest", *arguments, "--product", "valve", "--release", "1.0"])


def report(folder: Path) -> dict[str, Any]:
    told = ingest(str(folder), "--json")
    assert told.exit_code in (0, SOME_LEFT_OUT), told.output
    found: dict[str, Any] = json.loads(told.stdout)
    return found


def test_the_report_names_what_was_left_out(folder: Path) -> None:
    (folder / "logo.png").write_bytes(b"\x89PNG")
    (folder / "empty.md").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 cut off")
    (folder / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    Path(os.fsdecode(bytes(folder) + b"/odd\xff.md")).write_text(MARKDOWN)
    told = report(folder)
    assert told["skipped"] == {".png": 1}
    assert told["documents"] == 1
    left_out = {file["file"] for file in told["rejected"]}
    assert left_out == {"empty.md", "broken.pdf", "picture.md", "odd?.md"}
    again = ingest(str(folder))
    assert again.exit_code == SOME_LEFT_OUT
    assert "odd?.md" in again.output


def test_formats_that_nothing_reads_are_named_with_their_numbers(folder: Path) -> None:
    for name in ("a.textile", "b.textile", "c.org", "README", "logo.png", "site.css", ".hidden"):
        (folder / name).write_bytes(b"Port 6133")
    for name in ("a.yml", "b.yml", "c.json"):
        (folder / name).write_bytes(b'{"port": 6133}')
    named = zipped(("aaaaaaaa.md", b"Port 6133")).replace(b"a" * 8, "指南安装".encode("gbk"))
    (folder / "docs.zip").write_bytes(named)
    told = " ".join(ingest(str(folder)).output.split())
    assert "docs.zip does not say how its file names are encoded; they were read as GBK." in told
    assert (
        "in formats that Strata does not read: .textile (2), without a suffix (1), .org (1)."
        in told
    )
    assert "3 files were left out, as they are data and not OpenAPI: .yml (2), .json (1)." in told


def test_what_a_document_includes_is_not_left_out(folder: Path) -> None:
    (folder / "mast.inc").write_text("The mast is 12 m.\n")
    (folder / "other.inc").write_text("Nobody includes it.\n")
    (folder / "guide.rst").write_text("Guide\n=====\n\n.. include:: mast.inc\n")
    assert report(folder)["skipped"] == {".inc": 1}


def test_a_manual_that_repeats_itself_is_read_whole(folder: Path) -> None:
    notice = "Keep both hands away from the valve while it moves.\n\n"
    sections = (f"# Part {i}\n\n{notice * 8}Screw {i} is part {i * 7}.\n\n" for i in range(60))
    (folder / "repeated.md").write_text("".join(sections))
    (folder / "deep.md").write_text(
        f"# Deep\n\n{'> ' * 3000}end\n\n{'#' * 90_000}\n\n{'- ' * 500}x"
    )
    told = report(folder)
    assert told["outcome"] == "published"
    assert "repeated.md" not in {file["file"] for file in told["rejected"]}


def test_an_ingest_lets_answers_go_first(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Path] = []
    monkeypatch.setattr(
        "ui.cli.ingest.pauses_for_answers", lambda data_dir: lambda: asked.append(data_dir)
    )
    report(folder)
    assert set(asked) == {folder.parent / "data"}


@pytest.mark.timeout(600)
def test_whatever_lies_beside_it_a_good_file_is_published(
    folder: Path, pytestconfig: pytest.Config
) -> None:
    every = 1 if pytestconfig.getoption("--long") else 10
    for group, made in GROUPS.items():
        (folder / group).mkdir()
        for name, content in list(made())[::every]:
            (folder / group / name).write_bytes(content)
    told = report(folder)
    assert told["outcome"] == "published"
    rejected = {file["file"] for file in told["rejected"]}
    assert rejected
    assert "valve.md" not in rejected
    again = ingest(str(folder))
    assert again.exit_code == SOME_LEFT_OUT
    output = " ".join(again.output.split())
    # Control characters are never shown.
    shown = {"".join(filter(str.isprintable, file)) for file in rejected}
    assert [file for file in shown if file not in output] == []


def test_a_language_that_is_said_is_kept_for_the_release(folder: Path) -> None:
    assert report(folder)["languages"] == {"en": 1}
    told = ingest(str(folder), "--language", "de")
    assert "Languages of its documents: German (1)" in told.output
    assert "no changes" in ingest(str(folder)).output
    assert json.loads(ingest(str(folder), "--language", "auto", "--json").stdout)["languages"] == {
        "en": 1
    }
    unknown = ingest(str(folder), "--language", "klingon")
    assert unknown.exit_code == 1
    assert "'klingon' is not a known language" in str(unknown.exception)
