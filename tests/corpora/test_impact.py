from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Entry, Glossaries
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import ConversationRow, TurnCitationRow, TurnRow
from corpora.documents.impact import impact_of_deleting
from corpora.errors import UnknownRelease
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.data_folders import copy_data, database_url

pytestmark = pytest.mark.database

NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two releases that share the alarms; 17.10 has an earlier generation with another guide."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    source = write_beacon(folder / "docs")
    ingest_beacon(database, source)
    write_beacon(source, mast=15)
    ingest_beacon(database, source)
    ingest_beacon(database, write_beacon(folder / "newer", mast=20), release="17.20")
    database.close()
    return folder / "data"


@pytest.fixture
def data_dir(published: Path, tmp_path: Path) -> Path:
    """The data folder of this test's own."""
    return copy_data(published, tmp_path / "data")


def cite(database: Database, conversation: str, release: str, *files: str, **turn: object) -> None:
    with database.writing() as session:
        if session.get(ConversationRow, conversation) is None:
            session.add(
                ConversationRow(
                    id=conversation, owner="", product="Beacon", title="", created=NOW, updated=NOW
                )
            )
            session.flush()
        known = session.query(TurnRow).count()
        row = TurnRow(
            **{
                "conversation_id": conversation,
                "position": known,
                "question": "",
                "answer": {},
                "created": NOW,
                "superseded": False,
                "owner": "",
                "product": "Beacon",
                "route": "documents",
                "abstained": False,
                "seconds": 0.1,
                "profile": "embedded",
                "model": "",
                "model_calls": 0,
                **turn,
            }
        )
        session.add(row)
        session.flush()
        for file in files:
            session.add(TurnCitationRow(turn_id=row.id, release=release, file=file))


def test_removing_a_document_counts_what_cites_and_holds_it(database: Database) -> None:
    cite(database, "a", "17.10", "guide.md", "reference/alarms.md")
    cite(database, "a", "17.10", "guide.md")
    cite(database, "b", "17.10", "guide.md")
    cite(database, "b", "17.10", "guide.md", superseded=True)
    cite(database, "c", "17.20", "guide.md")
    cite(database, "d", "17.10", "guide.md", product="Buoy")
    impact = impact_of_deleting(database, "Beacon", "17.10", ["guide.md"])
    assert (impact.documents, impact.generations) == (1, 2)
    assert impact.pages > 0
    assert (impact.answers, impact.conversations) == (3, 2)
    assert impact.shared_with == ()


def test_a_file_of_the_same_content_stays_in_another_release(database: Database) -> None:
    alarms = impact_of_deleting(database, "Beacon", "17.10", ["reference/alarms.md"])
    assert alarms.shared_with == ("Beacon 17.20",)
    assert alarms.answers == 0


def test_deleting_a_release_counts_all_of_it_and_nothing_else(database: Database) -> None:
    cite(database, "a", "17.10", "guide.md", "reference/alarms.md")
    cite(database, "a", "17.20", "guide.md")
    impact = impact_of_deleting(database, "beacon", "17.10")
    assert (impact.documents, impact.generations) == (2, 2)
    assert (impact.answers, impact.conversations) == (1, 1)
    assert impact.shared_with == ("Beacon 17.20",)
    assert impact.releases == ("17.10",)
    with pytest.raises(UnknownRelease, match="19"):
        impact_of_deleting(database, "Beacon", "19")


def test_deleting_a_product_takes_its_glossary_along(database: Database) -> None:
    Glossaries(database).put("Beacon", Entry("mast", ("pole",)))
    cite(database, "a", "17.10", "guide.md")
    cite(database, "a", "17.20", "guide.md")
    impact = impact_of_deleting(database, "Beacon")
    assert sorted(impact.releases) == ["17.10", "17.20"]
    assert (impact.documents, impact.generations, impact.terms) == (4, 3, 1)
    assert (impact.answers, impact.conversations) == (2, 1)
    assert impact.shared_with == ()


def test_a_release_without_documents_affects_nothing(database: Database) -> None:
    Catalog(database).add_release("Beacon", "18")
    impact = impact_of_deleting(database, "Beacon", "18")
    assert (impact.documents, impact.pages, impact.generations, impact.answers) == (0, 0, 0, 0)
