"""Snapshots of the stores as Chroma indexes on disk: built aside from SQL, then only read.

A snapshot is a folder `data_dir/memory/RELEASE/STORE-…`; if it is there, it is complete. It holds
every pair of its store up to the change `seq`, also those that went or were suspended since.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import numpy as np
from sqlalchemy import func, select

from chatbot.memory.pairs import Store
from chatbot.memory.stores.clusters import Where
from corpora.database import Database, open_database
from corpora.embedding import Vectors
from corpora.memory_tables import MemoryPairRow
from corpora.tables import ReleaseRow
from corpora.vectors import BrokenIndex, VectorIndex, build_index, probe_index

VERSION = 1
"""Changes whenever a snapshot that was built before would have to be built anew."""

_MANIFEST = "manifest.json"
_NICE = 10


@dataclass(frozen=True)
class Snapshot:
    """A snapshot that is complete on disk."""

    folder: Path
    embedding: str
    seq: int
    vectors: str

    def open(self) -> VectorIndex:
        """Open it for searching; raises BrokenIndex."""
        return VectorIndex.open(self.folder / self.vectors)


def snapshot_names(data_dir: Path, where: Where) -> frozenset[str]:
    """What tells whether there is another snapshot of a store than before."""
    try:
        names = [path.name for path in _folder(data_dir, where).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    return frozenset(name for name in names if name.startswith(f"{where.store}-"))


def newest_snapshot(data_dir: Path, where: Where) -> Snapshot | None:
    """The newest snapshot of a store, if there is a whole one."""
    found = (_read(folder) for folder in _snapshots(_folder(data_dir, where), where.store))
    ours = [s for s in found if s is not None and s.embedding == where.embedding]
    return max(ours, key=lambda snapshot: snapshot.seq, default=None)


def build_snapshot(database: Database, data_dir: Path, where: Where, *, wait: bool) -> bool:
    """Build a snapshot of a store and remove those before it.

    Of several processes one builds: another one waits for it first, or with `wait` unset returns
    False. Raises BrokenIndex if what was built does not work.
    """
    folder = _folder(data_dir, where)
    folder.mkdir(parents=True, exist_ok=True)
    with _claimed(folder / f"{where.store}.lock", wait=wait) as is_ours:
        if is_ours:
            # Nobody else builds here, so what lies aside was left by somebody who was killed.
            for aside in folder.glob(f".{where.store}-*"):
                shutil.rmtree(aside, ignore_errors=True)
            old = list(_snapshots(folder, where.store))
            _build(database, folder, where)
            for snapshot in old:
                shutil.rmtree(snapshot, ignore_errors=True)
            _sweep(database, data_dir)
        return is_ours


def start_building(database: Database, data_dir: Path, where: Where) -> subprocess.Popen[str]:
    """Let a process of its own build a snapshot; it steps back for whoever answers questions."""
    url = database.engine.url
    if url.get_backend_name() == "sqlite" and url.database:
        url = url.set(database=str(Path(url.database).absolute()))
    building = subprocess.Popen(
        [sys.executable, "-m", "chatbot.memory.stores.snapshots"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert building.stdin is not None
    task = {
        # Through the pipe, since whoever is on this machine sees the arguments of a process.
        "database": url.render_as_string(hide_password=False),
        "data_dir": str(data_dir.absolute()),
        "where": [where.release_id, where.store, where.embedding],
    }
    building.stdin.write(json.dumps(task))
    building.stdin.close()
    return building


def _build(database: Database, folder: Path, where: Where) -> None:
    ids, vectors, seq = _pairs(database, where)
    if not ids:
        return
    token = token_hex(4)
    aside = folder / f".{where.store}-{token}"
    try:
        by_vector = aside / f"vectors-{token}"
        build_index(by_vector, ids, vectors)
        probe_index(by_vector, len(ids))
        manifest = {
            "version": VERSION,
            "embedding": where.embedding,
            "seq": seq,
            "vectors": by_vector.name,
            "files": _sizes(aside),
        }
        (aside / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        aside.rename(folder / f"{where.store}-{token}")
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _pairs(database: Database, where: Where) -> tuple[list[int], Vectors, int]:
    """Ids and vectors of a store, and the change that they are of."""
    with database.reading() as session:
        of_store = (
            MemoryPairRow.release_id == where.release_id,
            MemoryPairRow.store == where.store,
            MemoryPairRow.embedding == where.embedding,
        )
        total, seq = session.execute(
            select(func.count(), func.max(MemoryPairRow.seq)).where(*of_store)
        ).one()
        rows = session.execute(select(MemoryPairRow.id, MemoryPairRow.vector).where(*of_store))
        ids: list[int] = []
        vectors: Vectors = np.empty((total, 0), dtype=np.float32)
        for pair_id, packed in rows.yield_per(1000):
            vector = np.frombuffer(packed, dtype="<f4")
            if not ids:
                vectors = np.empty((total, len(vector)), dtype=np.float32)
            vectors[len(ids)] = vector
            ids.append(pair_id)
    return ids, vectors, seq or 0


def _folder(data_dir: Path, where: Where) -> Path:
    return data_dir / "memory" / str(where.release_id)


def _snapshots(folder: Path, store: Store) -> Iterator[Path]:
    return folder.glob(f"{store}-*")


def _read(folder: Path) -> Snapshot | None:
    """The snapshot in a folder, if its files are there by name and size."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        intact = manifest["files"].items() <= _sizes(folder).items()
    except (OSError, ValueError):
        return None
    if not intact or manifest["version"] != VERSION:
        return None
    return Snapshot(folder, manifest["embedding"], manifest["seq"], manifest["vectors"])


def _sizes(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _MANIFEST
    }


def _sweep(database: Database, data_dir: Path) -> None:
    """Remove what belongs to releases that are no more."""
    folders = [f for f in (data_dir / "memory").iterdir() if f.name.isdigit()]
    with database.reading() as session:
        known = {str(i) for i in session.scalars(select(ReleaseRow.id))}
    for folder in folders:
        if folder.name not in known:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _claimed(lock: Path, *, wait: bool) -> Iterator[bool]:
    """Yield whether this process has the lock; it goes with the process, however that ends."""
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _main() -> None:
    os.nice(_NICE)
    task = json.load(sys.stdin)
    release_id, store, embedding = task["where"]
    database = open_database(task["database"])
    try:
        where = Where(release_id, Store(store), embedding)
        build_snapshot(database, Path(task["data_dir"]), where, wait=False)
    finally:
        database.close()


if __name__ == "__main__":
    try:
        _main()
    except BrokenIndex as broken:
        sys.exit(str(broken))
