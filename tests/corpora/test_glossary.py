from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from sqlalchemy import select

from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import MOST_ENTRIES, Entry, Glossaries
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.database.engine import Database, open_database
from corpora.database.tables import GlossaryRow, ProductRow
from corpora.errors import GlossaryError, UnknownRelease
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


def test_a_product_takes_its_terms_with_it(glossaries: Glossaries, database: Database) -> None:
    glossaries.replace("switch", [PM])
    with database.writing() as session:
        session.delete(session.scalars(select(ProductRow).where(ProductRow.name == "switch")).one())
    with database.reading() as session:
        assert session.scalars(select(GlossaryRow)).all() == []


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


def test_what_is_not_there_is_told(glossaries: Glossaries) -> None:
    with pytest.raises(UnknownRelease, match=r"no product 'hub'.*router, switch"):
        glossaries.entries("hub")
    with pytest.raises(GlossaryError, match=r"no term 'PM'.*strata glossary list --product switch"):
        glossaries.remove("TX8", "PM")


def test_an_entry_gets_another_term_unless_that_is_taken(glossaries: Glossaries) -> None:
    glossaries.replace("switch", [PM, WTR])
    glossaries.put("switch", Entry("revert time", ("WTR",)), instead_of="wait-to-restore")
    assert [e.term for e in glossaries.entries("switch")] == [PM.term, "revert time"]
    for instead_of in ("revert time", ""):
        with pytest.raises(GlossaryError, match="is already a term"):
            glossaries.put("switch", Entry(PM.term, ("other",)), instead_of=instead_of)
    assert glossaries.entries("switch") == (PM, Entry("revert time", ("WTR",)))
