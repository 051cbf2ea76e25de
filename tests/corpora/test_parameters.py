"""What the forms of pages state of parameters, and what differs from release to release."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import pytest

from corpora.database.engine import Database
from corpora.indexing.corpus import open_corpus
from corpora.parameters.extraction import read_parameters
from corpora.parameters.parameter import Parameter
from corpora.parameters.releases import (
    Difference,
    OpenParameters,
    Outcome,
    ReleaseParameters,
    changes,
    opened_by,
    replacement,
)
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page
from tests.corpora.beacon import ingest_beacon, write
from tests.data_folders import data_dir_of

TIMERS = """# Timers

| Parameter | Default | Unit | Range or values | Meaning |
| --- | --- | --- | --- | --- |
| `hold-off` | 50 | ms | 0 to 1,000 | Wait before a switch. |
| `{second}` | 5 | min | 0 to 12 | Wait before going back. |

| Country | Inhabitants |
| --- | --- |
| Norway | 5 million |

## Commands

### show alarms

```
show alarms [severity LEVEL]
```

Lists the active alarms.
"""
SETTINGS = """# Settings

## loglevel

- Default: {level}
- Type: String

How much is written. New in version 2.1.

## old_name

Default: none

Deprecated since version 3.0: use `new_name` instead.

## Background

Default values are good for most.

- `retries`: How often it is tried. Default: 3.
- README.md: what to read first
"""
NOTES = """# Release notes

- The way back is timed by `wait-to-restore` instead of `restore-time`.
- The beacon needs 8 GB of memory instead of 4 GB.
"""

pytestmark = pytest.mark.database


@pytest.fixture
def two(database: Database, tmp_path: Path) -> tuple[ReleaseParameters, ReleaseParameters]:
    """The parameters of two ingested releases."""
    for release, second, level in (
        ("1.0", "restore-time", "info"),
        ("2.0", "wait-to-restore", "warn"),
    ):
        texts = {"timers": TIMERS.format(second=second), "settings": SETTINGS.format(level=level)}
        notes = {"release-notes": NOTES} if release == "2.0" else {}
        ingest_beacon(database, write(tmp_path / release, **texts, **notes), release=release)
    return tuple(map(partial(opened(database), "Beacon"), ("1.0", "2.0")))


def opened(database: Database) -> OpenParameters:
    return opened_by(partial(open_corpus, database, data_dir_of(database)))


def only(release: ReleaseParameters, name: str) -> Parameter:
    (found,) = release.named(name)
    return found


def facts(parameter: Parameter) -> dict[str, str]:
    return {fact.relation: fact.value for fact in reversed(parameter.facts)}


def test_a_release_states_its_parameters_with_the_words_on_their_pages(
    two: tuple[ReleaseParameters, ReleaseParameters], database: Database
) -> None:
    release = two[1]
    assert facts(only(release, "HOLD-OFF")) == {
        "default": "50",
        "unit": "ms",
        "range": "0 to 1,000",
        "description": "Wait before a switch",
    }
    assert only(release, "hold-off").value("default") == "50 ms"
    assert only(release, "hold-off").owner == "Timers"
    level = only(release, "loglevel")
    assert level.value("type") == "String"
    assert level.value("introduced in") == "2.1"
    assert only(release, "old_name").value("deprecated") == "3.0"
    assert only(release, "old_name").value("replaced by") == "new_name"
    assert only(release, "show alarms").kind == "command"
    assert only(release, "show alarms").value("syntax") == "show alarms [severity LEVEL]"
    assert only(release, "retries").value("default") == "3"
    for name in ("Norway", "Background", "README.md", "Timers"):
        assert release.named(name) == ()
    corpus = open_corpus(database, data_dir_of(database), "Beacon", "2.0")
    stated = [(s.quote, s.place) for p in release.parameters for s in (p, *p.facts)]
    assert stated
    assert all(quote in corpus.page(place.page_id).text for quote, place in stated)
    # What stands below a name is quoted with it: "Default" stands there more than once.
    fact = level.fact("default")
    assert fact is not None
    assert fact.quote == "loglevel\n\n- Default: warn"


def test_what_is_new_changed_and_gone_between_two_releases(
    two: tuple[ReleaseParameters, ReleaseParameters],
) -> None:
    older, newer = two
    found = changes(older, newer)
    assert [(c.outcome, c.shown.name) for c in found] == [
        (Outcome.CHANGED, "loglevel"),
        (Outcome.NEW, "wait-to-restore"),
        (Outcome.GONE, "restore-time"),
    ]
    assert found[0].differences == (Difference("default", "info", "warn"),)
    assert found[2].replaced_by is not None
    assert found[2].replaced_by.new == "wait-to-restore"
    assert replacement("hold-off", newer) is None
    assert changes(newer, newer) == ()
    back = {c.shown.name: c.outcome for c in changes(newer, older)}
    assert back["restore-time"] is Outcome.NEW


def test_what_is_documented_in_another_form_is_not_gone(database: Database, tmp_path: Path) -> None:
    table = "# Limits\n\n| Option | Default |\n|---|---|\n| `max-rows` | 5 |\n| `max-age` | 9 |\n"
    prose = "# Limits\n\nA query gives 5 rows, or as many as `max-rows` says.\n"
    log = "# Log\n\n| Option | Meaning |\n|---|---|\n| `slow-log` | {} s. |\n| `quiet` | {}. |\n"
    for release, text, *meanings in (
        ("1.0", table, "Keeps queries of more than 3.6", "Writes 5 lines"),
        ("2.0", prose, "Keeps queries of more than 1.8", "No more than 8 lines"),
    ):
        written = write(tmp_path / release, limits=text, log=log.format(*meanings))
        ingest_beacon(database, written, release=release)
    older, newer = map(partial(opened(database), "Beacon"), ("1.0", "2.0"))
    found = changes(older, newer)
    assert [(c.outcome, c.shown.name) for c in found] == [
        (Outcome.CHANGED, "slow-log"),
        (Outcome.GONE, "max-age"),
    ]
    assert "1.8" in found[0].differences[0].after
    assert [c.shown.name for c in changes(newer, older)] == ["max-age", "slow-log"]


def test_a_value_that_a_sentence_tells_is_neither_changed_nor_gone(
    database: Database, tmp_path: Path
) -> None:
    table = "# A\n\n| Option | Default | Range |\n|---|---|---|\n| `max-rows` | 5 s | 1 to {} |\n"
    terms = "# A\n\n`max-rows`\n: Default: 5 s. Range 1 to 9.\n"
    for release, text in (("1.0", table.format(9)), ("2.0", terms), ("3.0", table.format(8))):
        ingest_beacon(database, write(tmp_path / release, limits=text), release=release)
    first, second, third = map(partial(opened(database), "Beacon"), ("1.0", "2.0", "3.0"))
    assert changes(first, second) == changes(second, first) == ()
    assert [c.differences for c in changes(second, third)] == [(Difference("range", "", "1 to 8"),)]


def test_a_default_ends_with_its_sentence_and_a_value_is_told_by_a_whole_figure(
    database: Database, tmp_path: Path
) -> None:
    kind = "# A\n\n`kind`\n: Default: text/html; charset=utf-8. Sent with each page.\n"
    write(tmp_path / "1.0", limits="# A\n\n| Option | Default | Range |\n|---|---|---|\n"
          "| `rows` | 5 s | 1 |\n", kinds=kind)  # fmt: skip
    write(tmp_path / "2.0", limits="# A\n\n`rows`\n: Default: 5 s. Since 1.4.\n", kinds=kind)
    for release in ("1.0", "2.0"):
        ingest_beacon(database, tmp_path / release, release=release)
    first, second = map(partial(opened(database), "Beacon"), ("1.0", "2.0"))
    assert only(first, "kind").value("default") == "text/html; charset=utf-8"
    assert [c.differences for c in changes(first, second)] == [(Difference("range", "1", ""),)]


def test_a_release_is_read_once_for_each_of_its_generations(
    database: Database, tmp_path: Path
) -> None:
    def ingest(level: str) -> None:
        source = write(tmp_path / "docs", settings=SETTINGS.format(level=level))
        ingest_beacon(database, source, release="1.0")

    open_parameters = opened(database)
    ingest("info")
    first = open_parameters("Beacon", "1.0")
    assert open_parameters("Beacon", "1.0") is first
    ingest("warn")
    assert only(open_parameters("Beacon", "1.0"), "loglevel").value("default") == "warn"
    assert only(first, "loglevel").value("default") == "info"


def of_blocks(*blocks: Block) -> dict[str, Parameter]:
    found, _ = read_parameters([stored_page(*blocks)])
    return {p.name: p for p in found}


def test_a_signature_has_its_arguments_with_their_defaults() -> None:
    path = ("API", "engine.create")
    found = of_blocks(
        Block(BlockKind.SIGNATURE, 'engine.create(url, *, size: int = 5, key=("a", 1))', path),
        Block(BlockKind.PARAGRAPH, "Opens an engine. New in version 1.4.", path),
        Block(BlockKind.DEFINITION, "url – where the database is", path),
    )
    assert found["engine.create"].kind == "function"
    assert found["engine.create"].owner == "API"
    assert found["engine.create"].value("introduced in") == "1.4"
    assert found["size"].value("default") == "5"
    assert found["key"].value("default") == '("a", 1)'
    assert found["url"].kind == found["size"].kind == "argument"
    assert found["url"].owner == "engine.create"
    assert found["url"].value("description") == "where the database is"


def test_a_signature_of_section_and_key_is_the_key_of_the_section() -> None:
    found = of_blocks(Block(BlockKind.SIGNATURE, "logging/format", ("Logging", "logging/format")))
    assert (found["format"].owner, found["format"].kind) == ("logging", "parameter")


def test_an_option_has_its_spellings_and_the_default_in_its_text() -> None:
    text = "-n, --dry-run – Change nothing. (default: False)"
    option = of_blocks(Block(BlockKind.DEFINITION, text, ("Options",)))["--dry-run"]
    assert (option.kind, option.aliases, option.owner) == ("option", ("-n",), "Options")
    assert option.value("default") == "False"


def test_a_name_may_have_a_stroke_inside() -> None:
    header = ("Setting", "Default")
    row = Block(BlockKind.TABLE_ROW, "bind/port — 7001", ("Settings",), header=header)
    assert of_blocks(row)["bind/port"].value("default") == "7001"


@pytest.mark.parametrize(
    "text", ["Norway – a country", "the whole sentence: is no name", "1.4 – a release", "– x"]
)
def test_what_is_no_name_is_no_parameter(text: str) -> None:
    assert of_blocks(Block(BlockKind.DEFINITION, text, ("Glossary",))) == {}


def test_what_is_told_of_one_release_is_no_parameter_of_this_one() -> None:
    path = ("Changes", "Version 1.2 (2020-01-01)")
    assert of_blocks(Block(BlockKind.DEFINITION, "--new-flag – is there now", path)) == {}


@pytest.mark.timeout(60)
def test_a_hostile_text_is_read_in_little_time() -> None:
    texts = ["a." * 50_000, "(" * 100_000, "default " * 20_000, "x" * 100_000, "- " + "a-" * 50_000]
    kinds = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.DEFINITION, BlockKind.SIGNATURE)
    blocks = [Block(kind, text, ("name_of", "it")) for kind in kinds for text in texts]
    started = time.process_time()
    named = Block(BlockKind.HEADING, "name_of", ("name_of", "it"))
    read_parameters([stored_page(named, *blocks)])
    assert time.process_time() - started < 5
