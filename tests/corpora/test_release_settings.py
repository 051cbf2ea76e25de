from __future__ import annotations

from datetime import date

import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database
from corpora.database.tables import EmbeddingModelRow
from corpora.errors import UnusableName
from corpora.generations import generations

pytestmark = pytest.mark.database


@pytest.fixture
def administration(database: Database) -> ReleaseAdministration:
    with database.writing() as session:
        session.add(EmbeddingModelRow(name="model", dimension=3))
    for release in ("18.00b1", "17.9", "17.10"):
        release_id = Catalog(database).add_release("Beacon", release)
        generations.publish(database, generations.claim(database, release_id, 1, "chunking"))
    Catalog(database).add_release("Beacon", "16")
    Catalog(database).add_release("anchor", "1")
    return ReleaseAdministration(database)


def names(administration: ReleaseAdministration) -> list[str]:
    return [release.name for release in administration.overview("Beacon").releases]


def test_a_shelf_holds_also_what_is_not_offered(administration: ReleaseAdministration) -> None:
    assert administration.products() == ("anchor", "Beacon")
    administration.change_release("Beacon", "17.9", ReleaseSettings(hidden=True))
    assert names(administration) == ["16", "17.9", "17.10", "18.00b1"]
    overview = administration.overview("beacon")
    assert [r.generation is not None for r in overview.releases] == [False, True, True, True]
    assert [r.settings.hidden for r in overview.releases] == [False, True, False, False]
    assert [r.name for r in Catalog(administration.database).product("Beacon").releases] == [
        "17.10",
        "18.00b1",
    ]


def test_all_that_is_said_of_a_release_is_kept(administration: ReleaseAdministration) -> None:
    said = ReleaseSettings(
        (" Heron ", "", "heron", "H 9"), " 17.20 ", True, date(2026, 12, 31), True
    )
    administration.change_release("Beacon", "17.9", said)
    kept = ReleaseSettings(("Heron", "H 9"), "17.20", True, date(2026, 12, 31), True)
    assert administration.settings("Beacon", "17.9") == kept
    assert names(administration) == ["16", "17.10", "17.9", "18.00b1"]
    administration.change_release("Beacon", "17.9", ReleaseSettings())
    assert administration.settings("Beacon", "17.9") == ReleaseSettings()


@pytest.mark.parametrize(
    ("aliases", "told"),
    [
        (("17.10",), r"already a name of Beacon 17\.10"),
        (("a\nb",), "cannot be the name"),
        (("17.9",), "this release itself"),
        (("fine", "HERON"), r"already a name of Beacon 17\.10"),
    ],
)
def test_a_change_that_is_refused_changes_nothing(
    administration: ReleaseAdministration, aliases: tuple[str, ...], told: str
) -> None:
    administration.change_release("Beacon", "17.10", ReleaseSettings(("Heron",)))
    with pytest.raises(UnusableName, match=told):
        administration.change_release("Beacon", "17.9", ReleaseSettings(aliases, hidden=True))
    assert administration.settings("Beacon", "17.9") == ReleaseSettings()
