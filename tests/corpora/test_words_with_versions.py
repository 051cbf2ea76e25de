"""Which words have versions and which names are whose, as products' documents write them."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from chatbot.turn import Turn
from chatbot.understanding.clarification import resolve_turn
from corpora.catalog.catalog import Catalog
from corpora.catalog.release import Product
from corpora.catalog.rights import Audience, Right, Rights, Viewer
from corpora.database.engine import Database
from corpora.database.read_once import reading_once
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.words_with_versions import with_words
from tests.corpora.beacon import ingest_beacon, write
from tests.data_folders import data_dir_of

MANUAL = """# Settings

The setting `timeout` is the time that the beacon waits. timeout: 0.5 by default. The default is
2.5 seconds; the gain lies between 1.5 and 4.5. Set `max_payload` before you start the beacon.

# Requirements

The beacon needs Python 3.9, and python has to be found by the shell; use 5.6 or a newer one of the
firmware. See Table 3.4 and Section 8.1, and the API 4.7 of the vendor.
"""


Products = Callable[[], tuple[Product, ...]]
"""The products as a question gets them: of eight words at most they tell anything."""


def _products(database: Database) -> Products:
    catalog = Catalog(database)
    corpora = OpenCorpora(database, data_dir_of(database), catalog=catalog)
    return lambda: with_words(catalog, corpora)


@pytest.fixture
def products(database: Database, tmp_path: Path) -> Products:
    for release in ("2.1", "3.0"):
        ingest_beacon(database, write(tmp_path, manual=f"{MANUAL}\nOf {release}."), release=release)
    return _products(database)


WORDS = (
    ("python", True),
    ("Python", True),
    ("max_payload", False),
    ("payload", False),
    ("shell", False),
    ("timeout", None),
    ("and", None),
    ("is", None),
    ("use", None),
    ("helm", None),
)


def test_only_a_name_within_a_sentence_has_versions(products: Products) -> None:
    for word, told in WORDS:
        assert products()[0].has_versions(word) is told, word


RELEASES = (
    ("and 2.1?", ("2.1",)),
    ("does 2.1 have a timeout?", ("2.1",)),
    ("is 2.1 faster?", ("2.1",)),
    ("we use 2.1, what is the timeout?", ("2.1",)),
    ("max payload 2.1", ("2.1",)),
    ("timeout 2.1", ()),
    ("timeout @ 2.1", ()),
    ("settings table 2.1", ()),
    ("api 2.1", ()),
    ("max payload 1.7", ()),
    ("does python 2.1 work?", ("3.0",)),
    ("section 2.1", ("3.0",)),
)


def test_a_release_behind_a_word_is_not_taken_for_a_value_of_it(
    products: Products,
) -> None:
    for question, releases in RELEASES:
        assert resolve_turn(Turn(question=question), products()).releases == releases, question


@pytest.fixture
def two_products(database: Database, tmp_path: Path) -> Products:
    texts = {"Beacon": "`lamp_current` and `depth_limit` are set.", "Buoy": "Set `depth_limit`."}
    for product, text in texts.items():
        files = write(tmp_path / product, manual=f"# Settings\n\n{text}")
        for release in ("2.1", "3.0"):
            ingest_beacon(database, files, release=release, product=product)
    return _products(database)


PRODUCTS = (
    ("what is lamp_current?", "Beacon", ("3.0",)),
    ("lamp_current in 2.1", "Beacon", ("2.1",)),
    ("does lamp_current change depth_limit?", "Beacon", ("3.0",)),
    ("what is Lamp_Current of the buoy?", "Buoy", ("3.0",)),
    ("what is depth_limit?", None, ()),
    ("what is wave_height?", None, ()),
    ("does lamp_current change wave_height?", None, ()),
    ("what is lamp_current in 9.9?", "Beacon", ()),
    ("which lamp is it?", None, ()),
)


def test_a_name_that_one_product_alone_has_chooses_it(two_products: Products) -> None:
    for question, product, releases in PRODUCTS:
        resolution = resolve_turn(Turn(question=question), two_products())
        assert (resolution.product, resolution.releases) == (product, releases), question
        if question == "what is lamp_current?":
            assert resolution.explanation == "the latest; for Beacon, which has lamp_current"


def test_of_a_release_that_is_named_its_own_documents_tell(
    database: Database, tmp_path: Path
) -> None:
    sets = write(tmp_path / "sets", manual="# Settings\n\n`lamp_current` is set.")
    none = write(tmp_path / "none", manual="# Settings\n\nNothing is set.")
    for release in ("1.0", "2.0", "3.0", "4.0", "5.0"):
        ingest_beacon(database, sets, release=release)
        of_buoy = sets if release == "1.0" else none
        ingest_beacon(database, of_buoy, release=release, product="Buoy")
    products = _products(database)
    for question, product in (("lamp_current in 1.0", None), ("lamp_current in 2.0", "Beacon")):
        assert resolve_turn(Turn(question=question), products()).product == product, question


def test_documents_that_somebody_may_not_see_tell_them_nothing(
    database: Database, tmp_path: Path
) -> None:
    ingest_beacon(database, write(tmp_path, manual="# Settings\n\nSet `gain`."), release="2.1")
    ingest_beacon(database, write(tmp_path, manual=MANUAL), release="3.0")
    Rights(database).change("Beacon", "3.0", Right(Audience.ADMINS))
    sight = Rights(database).sight(Viewer("bo@example.org"))
    catalog = Catalog(database)
    corpora = OpenCorpora(database, data_dir_of(database), catalog=catalog)
    seen = Catalog(replace(database, sight=sight))
    with reading_once():
        # Whoever is asked for first: what is read once is read for each of them.
        for of, told in ((catalog, True), (seen, None), (catalog, True)):
            (product,) = with_words(of, corpora if of is catalog else corpora.limited(of))
            assert product.has_versions("python") is told
            assert [r.name for r in product.releases] == ["2.1", "3.0"][: 2 if told else 1]
