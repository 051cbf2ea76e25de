"""A chat and an ingest work on one data folder at the same time."""

import subprocess
import sys
from pathlib import Path

import pytest

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.generations.generations import KEPT_FOR_ROLLBACK
from tests.corpora.beacon import ingest_beacon, many_pages, write_beacon
from tests.data_folders import database_url

pytestmark = pytest.mark.database

ROOT = Path(__file__).parents[2]


def test_a_chat_goes_on_while_releases_are_published_and_turns_to_the_newest(
    database: Database, data_dir: Path, tmp_path: Path
) -> None:
    docs = many_pages(tmp_path / "docs", files=3)
    heights = range(10, 10 + KEPT_FOR_ROLLBACK + 3)
    ingest_beacon(database, write_beacon(docs, heights[0]))
    asking = subprocess.Popen(
        [sys.executable, "-m", "tests.corpora.asking_process", database_url(data_dir), data_dir],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with asking:
        assert asking.stdout
        answers = [asking.stdout.readline().split()]
        for height in heights[1:]:
            generation = ingest_beacon(database, write_beacon(docs, height)).generation
            while answers[-1] and answers[-1][0] != str(generation):
                answers.append(asking.stdout.readline().split())
        out, errors = asking.communicate("")
        answers += [line.split() for line in out.splitlines()]
    assert (asking.returncode, errors) == (0, "")
    assert all(documents == "5" for _, _, documents in answers)
    turns = list(dict.fromkeys((int(generation), int(height)) for generation, height, _ in answers))
    assert [height for _, height in turns] == list(heights)
    assert turns == sorted(turns)
    assert turns[-1][0] == Catalog(database).serving("Beacon", "17.10").generation
