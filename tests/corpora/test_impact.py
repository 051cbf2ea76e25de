from pathlib import Path

import pytest

from chatbot.conversations.conversations import Conversations
from chatbot.turn import Citation
from corpora.catalog.glossary import Entry, Glossaries
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import TurnRow
from corpora.documents.impact import impact_of_deleting
from corpora.errors import UnknownRelease
from tests.chatbot.asked import answer
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.data_folders import copy_data, database_url

pytestmark = pytest.mark.database


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


def cite(
    database: Database, conversation: str, release: str, *files: str, product: str = "Beacon"
) -> int:
    """Keep an answer, in this conversation, that cites these files; return its id."""
    conversations = Conversations(database)
    identity = next((c.id for c in conversations.recent() if c.title == conversation), None)
    cited = [Citation("", file, release, 1, "", None, "", 1) for file in files]
    reply = answer(product=product, release=release, citations=cited)
    return conversations.add(identity or conversations.start(product, conversation), "", reply)


def test_removing_a_document_counts_what_cites_and_holds_it(database: Database) -> None:
    cite(database, "a", "17.10", "guide.md", "reference/alarms.md")
    cite(database, "a", "17.10", "guide.md")
    cite(database, "b", "17.10", "guide.md")
    anew = cite(database, "b", "17.10", "guide.md")
    with database.writing() as session:
        session.get_one(TurnRow, anew).superseded = True
    cite(database, "c", "17.20", "guide.md")
    cite(database, "d", "17.10", "guide.md", product="Buoy")
    impact = impact_of_deleting(database, "Beacon", "17.10", ["guide.md"])
    assert (impact.documents, impact.generations) == (1, 2)
    assert impact.pages > 0
    assert (impact.answers, impact.conversations) == (3, 2)
    assert impact.shared_with == ()


def test_deleting_a_release_or_product_counts_all_of_it_and_nothing_else(
    database: Database,
) -> None:
    Glossaries(database).put("Beacon", Entry("mast", ("pole",)))
    cite(database, "a", "17.10", "guide.md", "reference/alarms.md")
    cite(database, "a", "17.20", "guide.md")
    impact = impact_of_deleting(database, "beacon", "17.10")
    assert (impact.documents, impact.generations) == (2, 2)
    assert (impact.answers, impact.conversations) == (1, 1)
    assert impact.shared_with == ("Beacon 17.20",)
    assert impact.releases == ("17.10",)
    everything = impact_of_deleting(database, "Beacon")
    assert sorted(everything.releases) == ["17.10", "17.20"]
    assert (everything.documents, everything.generations, everything.terms) == (4, 3, 1)
    assert everything.shared_with == ()
    with pytest.raises(UnknownRelease, match="19"):
        impact_of_deleting(database, "Beacon", "19")
