from __future__ import annotations

from pathlib import Path

import pytest

from corpora.catalog.glossary import Entry, read_glossary, written_glossary
from corpora.errors import GlossaryError

ENTRIES = (Entry("performance monitoring", ("PM", "perf mon")), Entry("wait-to-restore", ("WTR",)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "glossary.csv"


@pytest.mark.parametrize(
    "text",
    [
        "term,synonyms\nperformance monitoring,PM,perf mon\nwait-to-restore,WTR\n",
        "\ufeffTerm;Synonyms;\r\nperformance monitoring;PM;perf mon\r\nwait-to-restore;WTR;\r\n",
        "term\tsynonym\n\n\t\t\nperformance monitoring\tPM\tperf mon\nwait-to-restore\tWTR",
        '"term","synonyms"\n" performance\nmonitoring",PM,"perf mon"\nwait-to-restore,"WTR"\n',
    ],
    ids=["comma", "semicolon", "tab", "quoted"],
)
def test_a_spreadsheet_may_save_it_as_it_likes(file: Path, text: str) -> None:
    file.write_bytes(text.encode())
    assert read_glossary(file) == ENTRIES


def test_what_is_written_reads_back(file: Path) -> None:
    entries = (
        *ENTRIES,
        Entry('a "quoted", term', ("semi;colon", "naïve façade", "日本")),
        Entry(
            "=cmd|'/C calc'!A0", ("+1", "-48 V", "@SUM(A1)", "'apostrophe'", "'=1", "--max-rate")
        ),
    )
    text = written_glossary(entries)
    file.write_text(text, "utf-8")
    assert read_glossary(file) == entries
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "line 1: the first row must be `term,synonyms`"),
        (b"PM,performance monitoring\n", "line 1: the first row must be `term,synonyms`"),
        (b"term,synonyms\nPM,a\n\nWTR\n", "line 4: 'WTR' needs at least one synonym"),
        (b"term,synonyms\nPM,a\n,b\n", "line 3: the term is missing"),
        (b'term,synonyms\n"P\nM",a\nWTR,b\nP M,c\n', "line 5: 'P M' is also in line 2"),
        (b"term,synonyms\nPM,a\n" + b"x" * 5000 + b",b\n", "line 3: 'x+'… has 5,000 characters"),
        (b"term,synonyms\nPM,a\x07b\n", "line 2: 'a.x07b' contains an invisible character"),
        (b"term,synonyms\nPM,a\x00b\n", "line 2: "),
        (b'term,synonyms\nPM,a\n"WTR,b\n', "line 3: not a valid CSV row"),
        (b"term,synonyms\nPM," + b"y" * 200_000 + b"\n", "line 2: not a valid CSV row"),
        ("term,synonyms\nPM,a\nGerät,b\n".encode("cp1252"), "line 3: not UTF-8.*CSV UTF-8"),
        ("term,synonyms\nPM,a\n".encode("utf-16"), "line 1: not UTF-8"),
        (b"term,synonyms\n" + b"PM,a\n" * 2_000_000, "larger than the limit of 2,000,000 bytes"),
    ],
)
def test_what_cannot_be_read_is_told_with_file_and_line(file: Path, data: bytes, why: str) -> None:
    file.write_bytes(data)
    with pytest.raises(GlossaryError, match=rf"glossary\.csv.*{why}"):
        read_glossary(file)


def test_the_sample_is_in_order() -> None:
    sample = Path(__file__).parents[2] / "examples" / "glossary.csv"
    assert len(read_glossary(sample)) > 40
