from __future__ import annotations

from datetime import date

import pytest

from corpora.catalog.catalog import Catalog, UnknownRelease, UnusableName
from corpora.catalog.release_settings import ProductSettings, ReleaseSettings, Shelves
from corpora.database.engine import Database
from corpora.database.tables import EmbeddingModelRow
from corpora.generations import generations


@pytest.fixture
def shelves(database: Database) -> Shelves:
    with database.writing() as session:
        session.add(EmbeddingModelRow(id=1, name="model", dimension=3))
    for release in ("18.00b1", "17.9", "17.10"):
        release_id = Catalog(database).add_release("Beacon", release)
        generations.publish(database, generations.claim(database, release_id, 1, "chunking"))
    Catalog(database).add_release("Beacon", "16")
    Catalog(database).add_release("anchor", "1")
    return Shelves(database)


def names(shelves: Shelves) -> list[str]:
    return [release.name for release in shelves.shelf("Beacon").releases]


def test_a_shelf_holds_also_what_is_not_offered(shelves: Shelves) -> None:
    assert shelves.products() == ("anchor", "Beacon")
    shelves.change_release("Beacon", "17.9", ReleaseSettings(hidden=True))
    assert names(shelves) == ["16", "17.9", "17.10", "18.00b1"]
    shelf = shelves.shelf("beacon")
    assert [r.generation is not None for r in shelf.releases] == [False, True, True, True]
    assert [r.settings.hidden for r in shelf.releases] == [False, True, False, False]
    assert [r.name for r in Catalog(shelves.database).product("Beacon").releases] == [
        "17.10",
        "18.00b1",
    ]


def test_latest_is_among_what_is_offered(shelves: Shelves) -> None:
    assert shelves.shelf("Beacon").latest == "17.10"
    shelves.change_product("Beacon", ProductSettings(latest="17.9"))
    assert shelves.shelf("Beacon").latest == "17.9"
    shelves.change_release("Beacon", "17.9", ReleaseSettings(hidden=True))
    assert shelves.shelf("Beacon").latest == "17.10"
    shelves.change_release("Beacon", "18.00b1", ReleaseSettings(prerelease=False))
    assert shelves.shelf("Beacon").latest == "18.00b1"
    assert shelves.shelf("anchor").latest is None


def test_all_that_is_said_of_a_release_is_kept(shelves: Shelves) -> None:
    said = ReleaseSettings(
        (" Heron ", "", "heron", "H 9"), " 17.20 ", True, date(2026, 12, 31), True
    )
    shelves.change_release("Beacon", "17.9", said)
    kept = ReleaseSettings(("Heron", "H 9"), "17.20", True, date(2026, 12, 31), True)
    assert shelves.settings("Beacon", "17.9") == kept
    assert names(shelves) == ["16", "17.10", "17.9", "18.00b1"]
    shelves.change_release("Beacon", "17.9", ReleaseSettings())
    assert shelves.settings("Beacon", "17.9") == ReleaseSettings()


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
    shelves: Shelves, aliases: tuple[str, ...], told: str
) -> None:
    Catalog(shelves.database).add_alias("Beacon", "17.10", "Heron")
    with pytest.raises(UnusableName, match=told):
        shelves.change_release("Beacon", "17.9", ReleaseSettings(aliases, hidden=True))
    assert shelves.settings("Beacon", "17.9") == ReleaseSettings()


def test_the_names_of_a_product_are_its_own(shelves: Shelves) -> None:
    shelves.change_product("Beacon", ProductSettings(("BCN", "bcn")))
    assert shelves.shelf("bcn").settings.aliases == ("BCN",)
    for alias, told in (("Anchor", "product anchor"), ("beacon", "this product itself")):
        with pytest.raises(UnusableName, match=told):
            shelves.change_product("Beacon", ProductSettings((alias,)))
    with pytest.raises(UnknownRelease, match="19"):
        shelves.change_product("Beacon", ProductSettings(latest="19"))
    assert shelves.shelf("Beacon").settings == ProductSettings(("BCN",))
