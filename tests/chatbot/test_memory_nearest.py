from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import delete, update
from sqlalchemy.event import listen

from chatbot.memory.pairs import Happened, MemoryQuestion, Origin, Score, Store, Thresholds
from chatbot.memory.stores.clusters import Where
from chatbot.memory.stores.nearest import Nearest, NearPair
from chatbot.memory.stores.snapshots import build_snapshot, newest_snapshot, start_building
from chatbot.memory.stores.stores import Stores
from corpora.database import Database
from corpora.embedding import Vectors
from corpora.memory_tables import MemoryPairRow
from corpora.tables import ReleaseRow
from corpora.vectors import BrokenIndex, VectorIndex
from tests.chatbot.made_memory import (
    EMBEDDING,
    THRESHOLDS,
    WHEN,
    made_pair,
    members,
    new_release,
    require_sound,
    unit,
)

ROOT = Path(__file__).parents[2]
LOOSE = Thresholds(0.6, 0.9999, 0.6)


@pytest.fixture
def nearest(database: Database, data_dir: Path) -> Iterator[Nearest]:
    nearest = Nearest(database, data_dir)
    yield nearest
    nearest.close()


@pytest.fixture
def release(database: Database) -> int:
    return new_release(database)


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, LOOSE, limit=10_000)


def question(*numbers: float, embedding: str = EMBEDDING) -> MemoryQuestion:
    return MemoryQuestion("How?", "", unit(*numbers), embedding)


def fill(stores: Stores, release: int, count: int, seed: int = 1) -> list[int]:
    """Add good pairs in random directions."""
    random = np.random.default_rng(seed)
    added = [stores.add(release, made_pair(unit(*random.normal(size=8)))) for _ in range(count)]
    return [a.pair for a in added if a.pair is not None]


def found_by(
    nearest: Nearest, release: int, store: Store, asked: MemoryQuestion, k: int
) -> list[NearPair]:
    return list(islice(nearest.nearest(release, store, asked).at_least(-1), k))


def compared(database: Database, release: int, vector: Vectors, k: int) -> list[int]:
    """The ids of the good pairs nearest to a vector, by comparing all."""
    good = [row for row in members(database, release) if row.store == "high" and not row.suspended]
    cosines = {row.id: float(np.frombuffer(row.vector, "<f4") @ vector) for row in good}
    return sorted(cosines, key=lambda pair: (-cosines[pair], pair))[:k]


def require_right(database: Database, nearest: Nearest, release: int, seed: int = 5) -> None:
    """What is found is what comparing with all finds."""
    random = np.random.default_rng(seed)
    for _ in range(20):
        asked = question(*random.normal(size=8))
        near = found_by(nearest, release, Store.HIGH, asked, 5)
        assert [n.row.id for n in near] == compared(database, release, asked.vector, 5)


def snapshots(data_dir: Path, release: int) -> list[str]:
    folder = data_dir / "memory" / str(release)
    return sorted(p.name for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


def test_a_pair_is_found_as_soon_as_it_is_added_with_its_exact_cosine(
    stores: Stores, nearest: Nearest, release: int
) -> None:
    assert found_by(nearest, release, Store.HIGH, question(1, 0, 0), 3) == []
    first = stores.add(release, made_pair(unit(1, 0.5, 0))).pair
    second = stores.add(release, made_pair(unit(1, 0.2, 0))).pair
    near = found_by(nearest, release, Store.HIGH, question(1, 0, 0), 3)
    assert [n.row.id for n in near] == [second, first]
    assert near[0].similarity == pytest.approx(unit(1, 0.2, 0)[0], abs=1e-6)
    assert len(found_by(nearest, release, Store.HIGH, question(1, 0, 0), 1)) == 1


def test_other_stores_releases_embeddings_and_suspended_pairs_are_not_found(
    database: Database, data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    stores.add(release, made_pair(unit(1, 0, 0), 0.1))
    stores.add(new_release(database), made_pair(unit(1, 0, 0)))
    stores.add(release, made_pair(unit(1, 0, 0, 0), embedding="another"))
    suspended = stores.add(release, made_pair(unit(1, 0.5, 0))).pair
    with database.writing() as session:
        session.get_one(MemoryPairRow, suspended).suspended = "its page has changed"
    for indexed in (False, True):
        if indexed:
            build_snapshot(database, data_dir, _where(release), wait=True)
        assert found_by(nearest, release, Store.HIGH, question(1, 0, 0), 3) == []
    other = found_by(nearest, release, Store.HIGH, question(1, 0, 0, 0, embedding="another"), 3)
    assert len(other) == 1


def _where(release: int) -> Where:
    return Where(release, Store.HIGH, EMBEDDING)


def test_a_snapshot_and_what_is_newer_find_what_comparing_with_all_finds(
    database: Database, data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    ids = fill(stores, release, 90)
    nearest.rebuild(release)
    require_right(database, nearest, release)
    ids += fill(stores, release, 20, seed=2)
    stores.remove(ids[:30], Happened.RETIRED, "")
    for pair in ids[60:80]:
        stores.rescore(pair, Score(0.1, Origin.RATING, WHEN))
    for pair in ids[60:70]:
        stores.rescore(pair, Score(0.9, Origin.RATING, WHEN))
    require_right(database, nearest, release)
    nearest.rebuild(release)
    require_right(database, nearest, release)
    assert [name.split("-")[0] for name in snapshots(data_dir, release)] == ["high", "low"]


def test_pairs_behind_many_that_are_suspended_are_found(
    database: Database, stores: Stores, nearest: Nearest, release: int
) -> None:
    ids = fill(stores, release, 150)
    nearest.rebuild(release)
    asked = question(1, 1, 0, 0, 0, 0, 0, 0)
    in_order = compared(database, release, asked.vector, 150)
    with database.writing() as session:
        gone = update(MemoryPairRow).where(MemoryPairRow.id.in_(in_order[:100]))
        session.execute(gone.values(suspended="its page has changed"))
    near = found_by(nearest, release, Store.HIGH, asked, 4)
    assert [n.row.id for n in near] == in_order[100:104]
    assert set(in_order) == set(ids)


def test_a_deleted_index_is_missed_by_nobody(
    database: Database, data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    fill(stores, release, 60)
    nearest.rebuild(release)
    require_right(database, nearest, release)
    shutil.rmtree(data_dir / "memory")
    require_right(database, nearest, release)
    again = Nearest(database, data_dir)
    require_right(database, again, release)
    again.rebuild(release)
    assert len(snapshots(data_dir, release)) == 1
    require_right(database, again, release)
    require_right(database, nearest, release)
    again.close()


@pytest.mark.parametrize("file", ["manifest.json", "chroma.sqlite3", "data_level0.bin"])
def test_a_broken_index_is_not_used_and_built_again(
    database: Database, data_dir: Path, stores: Stores, release: int, file: str
) -> None:
    fill(stores, release, 30)
    nearest = Nearest(database, data_dir)
    nearest.rebuild(release)
    (broken,) = snapshots(data_dir, release)
    (path,) = (data_dir / "memory" / str(release) / broken).rglob(file)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    require_right(database, nearest, release)
    nearest.rebuild(release)
    assert broken not in snapshots(data_dir, release)
    require_right(database, nearest, release)
    nearest.close()


def test_an_index_that_breaks_while_it_is_searched_is_built_again_by_itself(
    database: Database,
    data_dir: Path,
    stores: Stores,
    nearest: Nearest,
    release: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    fill(stores, release, 30)
    nearest.rebuild(release)
    before = snapshots(data_dir, release)

    def broken(index: VectorIndex, vector: Vectors, k: int) -> list[tuple[int, float]]:
        raise BrokenIndex("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr(VectorIndex, "nearest", broken)
        require_right(database, nearest, release)
    assert "the disk is gone" in caplog.text
    nearest.wait()
    assert len(snapshots(data_dir, release)) == 1
    assert snapshots(data_dir, release) != before
    require_right(database, nearest, release)


def test_a_store_that_has_grown_is_indexed_by_a_process_of_its_own(
    database: Database,
    data_dir: Path,
    stores: Stores,
    nearest: Nearest,
    release: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chatbot.memory.stores.nearest.TAIL", 50)
    fill(stores, release, 51)
    require_right(database, nearest, release)
    nearest.wait()
    assert len(snapshots(data_dir, release)) == 1
    require_right(database, nearest, release)
    # Once it is there, nothing is behind, and no other one is built.
    built = snapshots(data_dir, release)
    nearest.wait()
    assert snapshots(data_dir, release) == built


def test_a_builder_that_fails_is_reported_and_tried_again_later(
    database: Database,
    data_dir: Path,
    stores: Stores,
    nearest: Nearest,
    release: int,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr("chatbot.memory.stores.nearest.TAIL", 3)
    fill(stores, release, 4)
    folder = data_dir / "memory"
    folder.write_text("in the way")
    asked = question(*range(8))
    for _ in range(2):
        assert len(found_by(nearest, release, Store.HIGH, asked, 4)) == 4
        nearest.wait()
    assert caplog.text.count("no snapshot of the memory") == 1
    folder.unlink()
    monkeypatch.setattr("chatbot.memory.stores.nearest._PAUSE_SECONDS", 0.0)
    found_by(nearest, release, Store.HIGH, asked, 4)
    nearest.wait()
    assert len(snapshots(data_dir, release)) == 1


def test_what_is_newer_is_found_in_the_index(
    database: Database, stores: Stores, nearest: Nearest, release: int
) -> None:
    fill(stores, release, 3)
    asked: list[tuple[str, Any]] = []
    listen(database.engine, "before_cursor_execute", lambda *given: asked.append(given[2:4]))
    found_by(nearest, release, Store.HIGH, question(*range(8)), 3)
    stores.add(release, made_pair(unit(*range(8))))
    newer = [query for query in asked if ".seq > ?" in query[0]]
    assert len(newer) == 3
    with database.engine.connect() as connection:
        for query, values in newer:
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values).all()
            assert "embedding=? AND seq>?" in plan[0][-1]


def test_stores_that_were_not_searched_for_long_are_closed_and_open_again(
    database: Database,
    stores: Stores,
    nearest: Nearest,
    release: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("chatbot.memory.stores.nearest.HELD_PAIRS", 40)
    other = new_release(database)
    for number in (release, other):
        fill(stores, number, 30)
    nearest.rebuild(release)
    for _ in range(2):
        require_right(database, nearest, release)
        require_right(database, nearest, other)


def test_the_index_of_a_release_that_is_deleted_goes(
    database: Database, data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    other = new_release(database)
    for number in (release, other):
        fill(stores, number, 3)
        nearest.rebuild(number)
    with database.writing() as session:
        session.execute(delete(ReleaseRow).where(ReleaseRow.id == release))
    assert found_by(nearest, release, Store.HIGH, question(*range(8)), 3) == []
    nearest.rebuild(other)
    assert snapshots(data_dir, release) == []
    assert len(snapshots(data_dir, other)) == 1


def test_an_empty_store_has_no_index(
    data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    ids = fill(stores, release, 3)
    nearest.rebuild(release)
    stores.remove(ids, Happened.RETIRED, "")
    nearest.rebuild(release)
    assert snapshots(data_dir, release) == []


def test_two_processes_add_at_once_and_each_pair_is_found_at_once(
    database: Database, nearest: Nearest, release: int
) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    adding = [
        subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.chatbot.remembering_process",
                url,
                str(release),
                seed,
                "60",
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    own = Stores(database, THRESHOLDS, limit=1000)
    random = np.random.default_rng(3)
    for _ in range(30):
        vector = unit(*random.normal(size=8))
        added = own.add(release, made_pair(vector, 0.8))
        near = found_by(nearest, release, added.store, question(*vector), 1)
        if added.kept:
            assert near[0].similarity >= THRESHOLDS.delta
    said = []
    for process in adding:
        out, _ = process.communicate(timeout=120)
        assert process.returncode == 0
        said += [[int(number) for number in line.split()] for line in out.splitlines()]
    replaced = {gone for _, *others in said for gone in others}
    there = {row.id for row in members(database, release)}
    assert not replaced & there
    require_sound(database, release)
    require_right(database, nearest, release)


def test_whoever_is_killed_while_adding_leaves_a_sound_memory(
    database: Database, data_dir: Path, release: int
) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    said: set[int] = set()
    gone: set[int] = set()
    for seed in range(3):
        command = [sys.executable, "-m", "tests.chatbot.remembering_process", url]
        with subprocess.Popen(
            [*command, str(release), str(seed), "100000"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as adding:
            assert adding.stdout is not None
            for _ in range(25):
                pair, *replaced = map(int, adding.stdout.readline().split())
                said.add(pair)
                gone.update(replaced)
            adding.send_signal(signal.SIGKILL)
            for line in adding.stdout:
                pair, *replaced = map(int, line.split())
                said.add(pair)
                gone.update(replaced)
    there = {row.id for row in members(database, release)}
    # The last one of each may have been added, and others have gone for it, without a word.
    assert len((said - gone) - there) <= 3
    assert not gone & there
    require_sound(database, release)
    nearest = Nearest(database, data_dir)
    require_right(database, nearest, release)
    nearest.close()


def test_whoever_is_killed_while_building_leaves_what_the_next_one_removes(
    database: Database, data_dir: Path, stores: Stores, nearest: Nearest, release: int
) -> None:
    fill(stores, release, 60)
    folder = data_dir / "memory" / str(release)
    building = start_building(database, data_dir, _where(release))
    while not any(folder.glob(".high-*/vectors-*/chroma.sqlite3")):
        assert building.poll() is None
    os.kill(building.pid, signal.SIGKILL)
    building.wait()
    assert building.stderr is not None
    building.stderr.close()
    assert newest_snapshot(data_dir, _where(release)) is None
    require_right(database, nearest, release)
    assert build_snapshot(database, data_dir, _where(release), wait=False)
    assert len(list(folder.glob(".high-*"))) == 0
    require_right(database, nearest, release)


def test_of_two_who_would_build_one_leaves_it_to_the_other(
    database: Database, data_dir: Path, stores: Stores, release: int
) -> None:
    import fcntl

    fill(stores, release, 3)
    folder = data_dir / "memory" / str(release)
    folder.mkdir(parents=True)
    with (folder / "high.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert not build_snapshot(database, data_dir, _where(release), wait=False)
    assert build_snapshot(database, data_dir, _where(release), wait=False)
