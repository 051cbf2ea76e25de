from collections.abc import Iterable
from pathlib import Path

import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import (
    MOST_ENTRIES,
    Entry,
    Glossaries,
    read_glossary,
    written_glossary,
)
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.database.engine import Database, open_database
from corpora.errors import GlossaryError
from tests.data_folders import database_url

pytestmark = pytest.mark.database

PM = Entry("performance monitoring", ("PM", "perf mon"))
WTR = Entry("wait-to-restore", ("WTR",))


@pytest.fixture
def glossaries(database: Database) -> Glossaries:
    for product in ("switch", "router"):
        Catalog(database).add_release(product, "1.0")
    ReleaseAdministration(database).change_product("switch", ProductSettings(("TX8",)))
    return Glossaries(database)


def test_each_product_has_its_own_terms(glossaries: Glossaries) -> None:
    glossaries.replace("switch", [WTR, PM])
    glossaries.replace("router", [Entry("PM", ("packet mode",))])
    assert glossaries.entries("switch") == (PM, WTR)
    assert glossaries.entries("TX8") == (PM, WTR)
    assert glossaries.entries("router") == (Entry("PM", ("packet mode",)),)


def test_replacing_tells_what_it_changes_before_and_after(glossaries: Glossaries) -> None:
    glossaries.replace("switch", [PM, WTR])
    wanted = [Entry(PM.term, ("PM",)), Entry("fan module", ("=HYPERLINK(1)", "'; DROP TABLE x"))]
    compared = glossaries.compare("switch", wanted)
    assert glossaries.entries("switch") == (PM, WTR)
    changes = glossaries.replace("switch", wanted)
    assert changes == compared
    assert (changes.added, changes.changed, changes.removed) == (
        ("fan module",),
        ("performance monitoring",),
        ("wait-to-restore",),
    )
    assert glossaries.entries("switch") == (wanted[1], wanted[0])
    again = glossaries.replace("switch", wanted)
    assert (again.added, again.changed, again.removed) == ((), (), ())


def test_an_entry_can_be_put_changed_and_removed(glossaries: Glossaries) -> None:
    glossaries.put("switch", Entry("  wait-to-restore ", ("WTR\n", "WTR", "", "wait-to-restore")))
    assert glossaries.entries("switch") == (WTR,)
    glossaries.put("switch", Entry("wait-to-restore", ("revert timer",)))
    assert glossaries.entries("switch") == (Entry("wait-to-restore", ("revert timer",)),)
    glossaries.remove("switch", "wait-to-restore")
    assert glossaries.entries("switch") == ()


def test_what_another_process_writes_is_seen_at_once(
    glossaries: Glossaries, data_dir: Path
) -> None:
    assert glossaries.entries("switch") == ()
    other = open_database(database_url(data_dir))
    Glossaries(other).put("switch", PM)
    other.close()
    assert glossaries.entries("switch") == (PM,)


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([Entry("PM", ())], "'PM' needs at least one synonym"),
        ([Entry("PM", ("PM", " "))], "'PM' needs at least one synonym"),
        ([Entry(" ", ("PM",))], "the term is missing"),
        ([Entry("x" * 5000, ("PM",))], "5,000 characters, the limit is 100"),
        ([Entry("PM", ("per\x00formance",))], r"invisible character \('\\x00'\)"),
        ([Entry("PM", ("monitoring\u202etxt",))], r"invisible character \('\\u202e'\)"),
        ([Entry("PM", ("→",))], "at least one letter or digit"),
        ([Entry("PM", tuple(f"word {n}" for n in range(21)))], "21 synonyms, the limit is 20"),
        ([PM, PM], "appears twice"),
        ([Entry(f"T{n}", ("word",)) for n in range(MOST_ENTRIES + 1)], "2,001 entries"),
    ],
)
def test_what_cannot_be_an_entry_changes_nothing(
    glossaries: Glossaries, entries: Iterable[Entry], why: str
) -> None:
    glossaries.replace("switch", [WTR])
    with pytest.raises(GlossaryError, match=why):
        glossaries.replace("switch", entries)
    assert glossaries.entries("switch") == (WTR,)


def test_an_entry_gets_another_term_unless_that_is_taken(glossaries: Glossaries) -> None:
    glossaries.replace("switch", [PM, WTR])
    glossaries.put("switch", Entry("revert time", ("WTR",)), instead_of="wait-to-restore")
    assert [e.term for e in glossaries.entries("switch")] == [PM.term, "revert time"]
    for instead_of in ("revert time", ""):
        with pytest.raises(GlossaryError, match="is already a term"):
            glossaries.put("switch", Entry(PM.term, ("other",)), instead_of=instead_of)
    assert glossaries.entries("switch") == (PM, Entry("revert time", ("WTR",)))


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
