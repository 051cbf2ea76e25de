import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpora.catalog.catalog import Catalog
from corpora.catalog.release import (
    Product,
    Release,
    Token,
    is_prerelease,
    likely_meant,
    name_tokens,
    releases_named,
    sort_key,
    unordered,
)
from corpora.database.engine import Database
from corpora.documents.upload_checks import check
from corpora.documents.uploads import UploadedFile


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("17.2", (17, 2)),
        ("R17.2", (17, 2)),
        ("rel. 17-20", (17, 20)),
        ("v1-4-52", (1, 4, 52)),
        ("16.12.09", (16, 12, 9)),
        ("10.0_u7", (10, 0, "u", 7)),
        ("10.0 update 7", (10, 0, "u", 7)),
        ("3.5-sp1", (3, 5, "sp", 1)),
        ("3.5 Service Pack 1", (3, 5, "sp", 1)),
        ("11-24h2-iot-lts", (11, 24, "h", 2, "iot", "lts")),
        ("20.2R2-S3.5", (20, 2, "r", 2, "s", 3, 5)),
        ("10.2(9)M", (10, 2, 9, "m")),
        ("2.0b1", (2, 0, "beta", 1)),
        ("2.0-beta.1", (2, 0, "beta", 1)),
        ("2.0 release candidate 1", (2, 0, "rc", 1)),
        ("1.0.2b", (1, 0, 2, "b")),
        ("Resolute Raccoon", ("resolute", "raccoon")),
        ("Spring '25", (2025, "spring")),
        ("Sept 2024", (2024, "september")),
        ("2024 Fall SP1", (2024, "autumn", "sp", 1)),
        ("Q2 2024", (2024, "q", 2)),
        ("24Q3", (2024, "q", 3)),
        ("May", ("may",)),
        ("release", ("release",)),
        ("", ()),
    ],
)
def test_a_name_is_read_as_numbers_and_words(name: str, tokens: tuple[Token, ...]) -> None:
    assert name_tokens(name) == tokens


@pytest.mark.parametrize(
    "ordered",
    [
        "3.2 3.9 3.19 3.20 3.100",
        "1.9 2.0.dev3 2.0a1 2.0b2 2.0rc9 2.0rc10 2.0 2.0.1 2.1",
        "2.0.0-alpha.1 2.0.0-beta.2 2.0.0-M1 2.0.0-rc.1 2.0.0 2.0.1",
        "3.4 3.5 3.5-sp1 3.5-sp2 3.5.1",
        "20.2R1 20.2R2 20.2R2-S3.5 20.2R2-S3.10 20.2R10 20.3R1",
        "10.2(8)M 10.2(9)M 10.2(10)M 10.3(1)F",
        "4.9-lts 4.10",
        "24.04 24.10 25.04 2026.3 2026.10",
        "11-23h2 11-24h2 11-24h2-iot-lts 11-25h2",
        "10.0 10.0_u7 10.0_u10 10.1",
    ],
)
def test_names_are_ordered_naturally(ordered: str) -> None:
    names = ordered.split()
    shuffled = random.Random(7).sample(names, len(names))
    assert sorted(shuffled, key=sort_key) == names


@pytest.mark.parametrize(
    "ordered",
    [
        ["October 2022", "May 2023", "January 2024", "March 2024"],
        ["Winter '24", "Spring '25", "Summer '25", "Fall '25"],
        ["Q4 2023", "2024.Q1", "Q2 2024"],
    ],
)
def test_names_of_a_time_are_ordered_year_first(ordered: list[str]) -> None:
    assert sorted(random.Random(7).sample(ordered, len(ordered)), key=sort_key) == ordered


@pytest.mark.parametrize(
    ("names", "open_ones"),
    [
        (["1.9", "1.10", "2.0-sp1"], []),
        (["October 2022", "May 2023"], []),
        (["Bionic", "Focal"], ["Bionic", "Focal"]),
        (["2.0-alpine", "2.0-slim"], ["2.0-alpine", "2.0-slim"]),
        (["Summer '24", "Winter '24", "Spring '25"], ["Summer '24", "Winter '24"]),
        (["Bionic"], []),
        (["1.1.1a", "1.1.1b", "2024a", "2024b"], []),
        (["Spring", "Fall"], ["Spring", "Fall"]),
        ([], []),
    ],
)
def test_names_that_differ_by_no_number_tell_no_order(
    names: list[str], open_ones: list[str]
) -> None:
    assert unordered(names) == open_ones


@settings(derandomize=True)
@given(st.lists(st.text(max_size=12), max_size=8))
def test_any_names_can_be_ordered(names: list[str]) -> None:
    once = sorted(names, key=sort_key)
    assert sorted(random.Random(7).sample(once, len(once)), key=sort_key) == once


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2.0rc1", True),
        ("3.0-beta.2", True),
        ("4.0.dev7", True),
        ("5.0-SNAPSHOT", True),
        ("2.0.0-M1", True),
        ("2.0a1", True),
        ("2.0", False),
        ("1.0.2a", False),
        ("10.2(9)M", False),
        ("3.5-sp1", False),
        ("beta", False),
    ],
)
def test_a_prerelease_is_told_by_its_name(name: str, expected: bool) -> None:
    assert is_prerelease(name) is expected


@pytest.mark.parametrize(
    ("names", "latest", "newest"),
    [
        ("1.0 2.0 2.1rc1", None, "2.0"),
        ("1.0b1 1.0rc1", None, "1.0rc1"),
        ("1.0 2.0", "sunfish-1.0", "1.0"),
        ("", None, None),
    ],
)
def test_the_newest_is_the_last_final_release_or_the_administrators_latest(
    names: str, latest: str | None, newest: str | None
) -> None:
    releases = tuple(
        Release("Hub", name, (f"Sunfish-{name}",), prerelease=is_prerelease(name))
        for name in names.split()
    )
    found = Product("Hub", releases=releases, latest=latest).newest
    assert (found.name if found else None) == newest


@pytest.mark.parametrize(
    ("text", "own", "other"),
    [
        ("1.4 Changelog", True, False),
        ("1.3 Changelog", False, True),
        ("Default in 1.3: 5; default in 1.4: 10", True, True),
        ("Changes of 1.4.54", True, False),
        ("Installation guide", False, False),
    ],
)
def test_a_text_names_its_own_release_or_another(text: str, own: bool, other: bool) -> None:
    named = releases_named(text, "1.4.54")
    assert (named.own, named.other) == (own, other)


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
