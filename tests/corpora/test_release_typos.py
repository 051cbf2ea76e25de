from __future__ import annotations

import pytest

from corpora.catalog.catalog import Catalog
from corpora.catalog.release import likely_meant
from corpora.database.engine import Database
from corpora.documents.upload_checks import check
from corpora.documents.uploads import UploadedFile

TENS = ["17.10", "17.20", "17.30"]


@pytest.mark.parametrize(
    "name",
    [
        *("17.2O", "l7.20", "１７.２０", "17,20", "17-20", "17..20", "17.20.", "v17.20", "1720"),
        *("17.2", "17.200", "17.220", "7.20", "117.20", "71.20"),
    ],
)
def test_a_typing_error_is_seen(name: str) -> None:
    assert likely_meant(name, TENS) == "17.20"


@pytest.mark.parametrize(
    "name",
    [
        *("17.30", "17.40", "17.99", "17.11", "17.12", "17.31", "17.0", "18.20", "19.10", "16.30"),
        *("17.20.1", "17.0.1", "17.20-beta", "17.20 SP1", "17.20a", "jammy", "2026.1"),
    ],
)
def test_another_release_is_none(name: str) -> None:
    assert likely_meant(name, TENS) is None


@pytest.mark.parametrize(
    ("name", "there", "meant"),
    [
        ("17.30", ["17.10"], None),
        ("1.1", ["1.0"], None),
        ("1.3", ["1.1"], None),
        ("2.10", ["2.8", "2.9"], None),
        ("2.1", ["2.8", "2.9", "2.10"], None),
        ("100", ["98", "99"], None),
        ("11.1", ["1.10", "1.11"], None),
        ("1.1.1", ["1.1.0", "1.11"], None),
        ("24.04", ["20.04", "22.04"], None),
        ("22.10", ["22.04"], None),
        ("2.0rc10", ["2.0rc1", "2.0rc9"], None),
        ("4.0", ["3.0"], None),
        ("noble", ["jammy"], None),
        ("17.30", [], None),
        ("3.2", ["3.19", "3.20"], "3.20"),
        ("2.10", ["2.1"], "2.1"),
        ("12.1", ["2.1"], "2.1"),
        ("jammey", ["jammy"], "jammy"),
        ("17.20-bata", ["17.20-beta"], "17.20-beta"),
        ("2.0rc1", ["2.0 RC 1"], "2.0 RC 1"),
    ],
)
def test_it_depends_on_the_releases_there_are(
    name: str, there: list[str], meant: str | None
) -> None:
    assert likely_meant(name, there) == meant


def test_a_release_that_is_there_is_itself(database: Database) -> None:
    for release in ("17.2", "17.20"):
        Catalog(database).add_release("Beacon", release)

    def told(product: str, release: str) -> str:
        files = [UploadedFile("a.md", b"# A\n")]
        return "".join(f.problem for f in check(files, product, release, database, 100))

    assert told("beacon", " 17.2 ") == told("Lamp", "17.2O") == ""
    assert "a name similar to 17.20" in told("beacon", "17.2O")
