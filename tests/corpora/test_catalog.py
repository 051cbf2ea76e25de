from datetime import date

import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database
from corpora.database.tables import EmbeddingModelRow
from corpora.errors import NoCorpus, UnknownRelease, UnusableName
from corpora.generations import generations

pytestmark = pytest.mark.database


@pytest.fixture
def catalog(database: Database) -> Catalog:
    with database.writing() as session:
        session.add(EmbeddingModelRow(name="model", dimension=3))
    return Catalog(database)


@pytest.fixture
def administration(database: Database) -> ReleaseAdministration:
    return ReleaseAdministration(database)


def publish(database: Database, product: str, *releases: str) -> list[int]:
    published = []
    for release in releases:
        release_id = Catalog(database).add_release(product, release)
        generation = generations.claim(database, release_id, 1, "chunking")
        generations.publish(database, generation)
        published.append(generation)
    return published


def names(catalog: Catalog, *, every: bool = False) -> dict[str, list[str]]:
    return {p.name: [r.name for r in p.releases] for p in catalog.products(every=every)}


def test_releases_come_in_natural_order(catalog: Catalog, database: Database) -> None:
    publish(database, "Beacon", "18.00", "17.9", "17.10")
    publish(database, "anchor", "1.10", "1.9", "2.0rc1", "2.0")
    assert names(catalog) == {
        "anchor": ["1.9", "1.10", "2.0rc1", "2.0"],
        "Beacon": ["17.9", "17.10", "18.00"],
    }
    assert [r.prerelease for r in catalog.product("anchor").releases] == [False, False, True, False]


def test_names_in_words_are_no_latest_before_an_administrator_says_so(
    catalog: Catalog, database: Database, administration: ReleaseAdministration
) -> None:
    publish(database, "Sorrel", "3.2", "next", "3.3")
    sorrel = catalog.product("Sorrel")
    assert [(r.name, r.prerelease) for r in sorrel.releases][1:] == [("3.3", False), ("next", True)]
    assert sorrel.newest == sorrel.releases[1]
    publish(database, "Ash", "Bionic", "Focal")
    assert catalog.product("Ash").newest is None
    assert catalog.has_open_order("Ash")
    assert not catalog.has_open_order("Sorrel")
    administration.change_release("Ash", "Bionic", ReleaseSettings(sorts_as="2"))
    administration.change_release("Ash", "Focal", ReleaseSettings(sorts_as="1"))
    newest = catalog.product("Ash").newest
    assert newest is not None
    assert newest.name == "Bionic"


def test_what_was_never_published_is_listed_only_on_request(
    catalog: Catalog, database: Database
) -> None:
    publish(database, "Beacon", "17.10")
    catalog.add_release("Beacon", "17.20")
    catalog.add_release("Lighthouse", "1")
    assert names(catalog) == {"Beacon": ["17.10"]}
    assert names(catalog, every=True) == {"Beacon": ["17.10", "17.20"], "Lighthouse": ["1"]}
    with pytest.raises(NoCorpus, match=r"no documentation of Beacon 17\.20.*Beacon 17\.10"):
        catalog.serving("Beacon", "17.20")


def test_case_and_spaces_make_no_new_release(catalog: Catalog, database: Database) -> None:
    first = catalog.add_release("Beacon", "R17a")
    assert catalog.add_release(" beacon ", "r17A ") == first
    assert names(catalog, every=True) == {"Beacon": ["R17a"]}


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x00b", "x" * 101])
def test_unusable_names_are_refused(catalog: Catalog, name: str) -> None:
    with pytest.raises(UnusableName, match="release"):
        catalog.add_release("Beacon", name)
    with pytest.raises(UnusableName, match="product"):
        catalog.add_release(name, "1")
    assert names(catalog, every=True) == {}


def test_a_product_answers_to_its_aliases(
    catalog: Catalog, administration: ReleaseAdministration, database: Database
) -> None:
    publish(database, "Beacon", "1")
    publish(database, "Lighthouse", "1")
    administration.change_product("Beacon", ProductSettings(("BCN", "the beacon")))
    assert catalog.product("bcn").name == "Beacon"
    for alias, told in (("lighthouse", "product Lighthouse"), ("beacon", "this product itself")):
        with pytest.raises(UnusableName, match=told):
            administration.change_product("Beacon", ProductSettings((alias,)))
    with pytest.raises(
        UnknownRelease, match=r"no product 'Buoy'\. Available: Beacon, Lighthouse\."
    ):
        catalog.product("Buoy")


def test_latest_is_the_newest_final_release_unless_an_admin_says_otherwise(
    catalog: Catalog, administration: ReleaseAdministration, database: Database
) -> None:
    def latest() -> str | None:
        newest = catalog.product("Beacon").newest
        assert administration.overview("Beacon").latest == (newest.name if newest else None)
        return newest.name if newest else None

    publish(database, "Beacon", "17.10", "17.20", "18.00b1")
    assert latest() == "17.20"
    administration.change_product("Beacon", ProductSettings(latest="17.10"))
    assert latest() == "17.10"
    administration.change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    assert latest() == "17.20"
    administration.change_release("Beacon", "18.00b1", ReleaseSettings(prerelease=False))
    assert latest() == "18.00b1"
    with pytest.raises(UnknownRelease, match=r"19.*17\.20, 18\.00b1"):
        administration.change_product("Beacon", ProductSettings(latest="19"))


def test_a_retired_release_is_gone_until_it_is_restored(
    catalog: Catalog, administration: ReleaseAdministration, database: Database
) -> None:
    generation, *_ = publish(database, "Beacon", "17.10", "17.20")
    administration.change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    assert names(catalog) == {"Beacon": ["17.20"]}
    with pytest.raises(NoCorpus):
        catalog.serving("Beacon", "17.10")
    administration.change_release("Beacon", "17.10", ReleaseSettings())
    assert catalog.serving("Beacon", "17.10").generation == generation


def test_rollback_goes_back_one_generation_at_a_time(catalog: Catalog, database: Database) -> None:
    first, second, third = publish(database, "Beacon", *["17.10"] * 3)
    assert catalog.rollback("Beacon", "17.10") == ""
    assert catalog.serving("Beacon", "17.10").generation == second
    assert catalog.serving("Beacon", "17.10").generation == second
    assert catalog.rollback("Beacon", "17.10") == ""
    assert catalog.serving("Beacon", "17.10").generation == first
    with pytest.raises(UnknownRelease, match="No earlier version"):
        catalog.rollback("Beacon", "17.10")
    assert [g.id for g in catalog.generations("Beacon", "17.10")] == [third, second, first]


def test_any_kept_generation_can_serve_also_a_later_one(
    catalog: Catalog, database: Database
) -> None:
    first, _, third = publish(database, "Beacon", *["17.10"] * 3)
    other, *_ = publish(database, "Beacon", "17.20")
    catalog.serve("Beacon", "17.10", first)
    assert catalog.serving("Beacon", "17.10").generation == first
    catalog.serve("Beacon", "17.10", third)
    assert catalog.serving("Beacon", "17.10").generation == third
    building = generations.claim(database, catalog.add_release("Beacon", "17.10"), 1, "chunking")
    for not_kept in (other, building, 999):
        with pytest.raises(
            UnknownRelease, match=r"This version of Beacon 17\.10 is no longer kept"
        ):
            catalog.serve("Beacon", "17.10", not_kept)
    assert catalog.serving("Beacon", "17.10").generation == third


def test_all_that_is_said_of_a_release_is_kept(
    administration: ReleaseAdministration, catalog: Catalog, database: Database
) -> None:
    publish(database, "Beacon", "17.9", "17.10")
    said = ReleaseSettings(
        (" Heron ", "", "heron", "H 9"), " 17.20 ", True, date(2026, 12, 31), True
    )
    administration.change_release("Beacon", "17.9", said)
    kept = ReleaseSettings(("Heron", "H 9"), "17.20", True, date(2026, 12, 31), True)
    assert administration.settings("Beacon", "17.9") == kept
    overview = administration.overview("beacon").releases
    assert [(r.name, r.settings.hidden) for r in overview] == [("17.10", False), ("17.9", True)]
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
    administration: ReleaseAdministration,
    catalog: Catalog,
    database: Database,
    aliases: tuple[str, ...],
    told: str,
) -> None:
    publish(database, "Beacon", "17.9", "17.10")
    administration.change_release("Beacon", "17.10", ReleaseSettings(("Heron",)))
    with pytest.raises(UnusableName, match="already a name"):
        catalog.add_release("Beacon", "HERON")
    with pytest.raises(UnusableName, match=told):
        administration.change_release("Beacon", "17.9", ReleaseSettings(aliases, hidden=True))
    assert administration.settings("Beacon", "17.9") == ReleaseSettings()
