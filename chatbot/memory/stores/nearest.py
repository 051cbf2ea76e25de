"""The pairs nearest to a question: a Chroma snapshot of a store and what is newer than it.

The index only proposes: which pairs there are, and how near, is read from SQL. So it can be
broken, late or gone, and is never wrong about a pair.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections import OrderedDict
from collections.abc import Collection, Mapping
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.stores.clusters import Where
from chatbot.memory.stores.snapshots import (
    Snapshot,
    build_snapshot,
    newest_snapshot,
    snapshot_names,
    start_building,
)
from chatbot.memory.stores.vector_table import Source, VectorTable
from corpora.database import Database
from corpora.embedding import Vectors
from corpora.memory_tables import MemoryPairRow
from corpora.vectors import BrokenIndex, VectorIndex

TAIL = 2000
"""So many newer pairs are compared one by one before a snapshot is built, and a quarter more than
a snapshot holds if that is more."""
HELD_PAIRS = 100_000
"""How many vectors all open stores of a process together hold, some 4 KB each."""

_SPARE = 24
_MOST = 512
"""No more than so many are proposed, however many of them are gone or suspended."""
_PAUSE_SECONDS = 30.0

_log = logging.getLogger(__name__)


class Nearest:
    """Searches the stores of all releases; any number of threads and processes may do so.

    A snapshot is a cache below `data_dir/memory`: where there is none, or a broken one, all pairs
    are compared, and a snapshot is built by a process of its own meanwhile.
    """

    def __init__(self, database: Database, data_dir: Path) -> None:
        self._database = database
        self._data_dir = data_dir
        self._opening = Lock()
        self._open: OrderedDict[Where, _Searched] = OrderedDict()
        self._building: dict[Where, subprocess.Popen[str]] = {}
        self._started: dict[Where, float] = {}

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, k: int
    ) -> list[tuple[int, float]]:
        """Return at most `k` pairs of id and cosine, the nearest first.

        Suspended pairs and those of another embedding are left out; since others write at the
        same time, the reader of the pairs looks again.
        """
        where = Where(release_id, store, question.embedding)
        with self._opening:
            searched = self._open.setdefault(where, _Searched(where, self._data_dir))
            self._open.move_to_end(where)
        with self._database.reading() as session:
            found = searched.nearest(session, question.vector, k)
        with self._opening:
            self._look_after(where)
            if searched.is_behind:
                self._build(where)
            self._let_go()
        return found

    def rebuild(self, release_id: int) -> None:
        """Build the snapshots of both stores of a release again, and wait for them.

        Raises BrokenIndex if what was built does not work.
        """
        with self._database.reading() as session:
            for store in Store:
                newest = (
                    select(MemoryPairRow.embedding)
                    .where(MemoryPairRow.release_id == release_id, MemoryPairRow.store == store)
                    .order_by(MemoryPairRow.seq.desc())
                    .limit(1)
                )
                where = Where(release_id, store, session.scalar(newest) or "")
                build_snapshot(self._database, self._data_dir, where, wait=True)

    def wait(self) -> None:
        """Wait for the snapshots that are being built."""
        with self._opening:
            for where, process in list(self._building.items()):
                process.wait()
                self._reap(where, process)

    def close(self) -> None:
        """Close what is open and wait for what is being built."""
        self.wait()
        with self._opening:
            for searched in self._open.values():
                searched.close()
            self._open.clear()

    def _look_after(self, where: Where) -> None:
        process = self._building.get(where)
        if process is not None and process.poll() is not None:
            self._reap(where, process)

    def _build(self, where: Where) -> None:
        # Another process may be at it; so this one does not try with every question.
        now = time.monotonic()
        paused = now - self._started.get(where, -_PAUSE_SECONDS) >= _PAUSE_SECONDS
        if where not in self._building and paused:
            self._started[where] = now
            self._building[where] = start_building(self._database, self._data_dir, where)

    def _reap(self, where: Where, process: subprocess.Popen[str]) -> None:
        self._building.pop(where, None)
        assert process.stderr is not None
        with process.stderr as stderr:
            said = stderr.read().strip().splitlines()
        if process.returncode:
            reason = said[-1] if said else f"it ended with code {process.returncode}"
            _log.warning("no snapshot of the memory of release %s: %s", where.release_id, reason)

    def _let_go(self) -> None:
        """Close the stores that were not searched for the longest time, if many are open."""
        while len(self._open) > 1 and sum(s.size for s in self._open.values()) > HELD_PAIRS:
            _, longest = self._open.popitem(last=False)
            longest.close()


class _Searched:
    """One store, open for searching: a snapshot and the tail of what is newer."""

    def __init__(self, where: Where, data_dir: Path) -> None:
        self._where = where
        self._data_dir = data_dir
        self._searching = Lock()
        self._seen: frozenset[str] = frozenset()
        self._opened: tuple[Snapshot, VectorIndex] | None = None
        self._is_broken = self._is_closed = False
        self._tail = VectorTable()

    @property
    def size(self) -> int:
        """How many vectors it holds."""
        return self._indexed + len(self._tail)

    @property
    def is_behind(self) -> bool:
        """Whether another snapshot is worth its work."""
        return self._is_broken or len(self._tail) > max(TAIL, self._indexed // 4)

    def nearest(self, session: Session, vector: Vectors, k: int) -> list[tuple[int, float]]:
        with self._searching:
            self._follow()
            try:
                return self._nearest(session, vector, k)
            except BrokenIndex as error:
                self._do_without(error)
                return self._nearest(session, vector, k)

    def close(self) -> None:
        """Hold nothing any more; whoever still searches compares with all."""
        with self._searching:
            self._is_closed = True
            self._turn_to(None)

    @property
    def _indexed(self) -> int:
        return self._opened[1].size if self._opened is not None else 0

    def _nearest(self, session: Session, vector: Vectors, k: int) -> list[tuple[int, float]]:
        self._tail.read_newer(session, _source(self._where))
        ids, similarities = self._tail.compared(vector)
        wanted = k + _SPARE
        while True:
            proposed: dict[int, float] = {}
            if self._opened is not None:
                proposed.update(self._opened[1].nearest(vector, wanted))
            best = _best(similarities, wanted)
            proposed.update(zip(ids[best].tolist(), similarities[best].tolist(), strict=True))
            found = _looked_up(session, self._where, proposed, vector, k)
            if len(found) >= k or len(proposed) < wanted or wanted >= _MOST:
                return found
            wanted = min(4 * wanted, _MOST)

    def _follow(self) -> None:
        """Turn to the newest snapshot where there is another one than before."""
        there = snapshot_names(self._data_dir, self._where)
        if there == self._seen or self._is_closed:
            return
        self._seen = there
        newest = newest_snapshot(self._data_dir, self._where)
        current = self._opened[0] if self._opened is not None else None
        if newest is None or newest == current:
            # What is open stays good, also where its files are gone.
            return
        try:
            self._turn_to((newest, newest.open()))
        except BrokenIndex as error:
            self._do_without(error)

    def _do_without(self, error: BrokenIndex) -> None:
        _log.warning("the memory is searched without an index until that is built: %s", error)
        self._turn_to(None)
        self._is_broken = True

    def _turn_to(self, opened: tuple[Snapshot, VectorIndex] | None) -> None:
        if self._opened is not None:
            self._opened[1].close()
        self._opened = opened
        self._is_broken = False
        self._tail = VectorTable(opened[0].seq if opened is not None else -1)


def _looked_up(
    session: Session, where: Where, proposed: Mapping[int, float], vector: Vectors, k: int
) -> list[tuple[int, float]]:
    """At most `k` of the pairs that may be used, with their cosines, the nearest first."""
    found: list[tuple[int, float]] = []
    nearest = sorted(proposed, key=lambda pair: (-proposed[pair], pair))
    # A row is wide, so none is read in vain; mostly the first ones may all be used.
    for first in range(0, len(nearest), k):
        found += _usable(session, where, nearest[first : first + k], vector)
        if len(found) >= k:
            break
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:k]


def _usable(
    session: Session, where: Where, pairs: Collection[int], vector: Vectors
) -> list[tuple[int, float]]:
    # By the ids alone: with the other conditions SQLite walks through an index of the whole store.
    rows = session.execute(
        select(
            MemoryPairRow.id,
            MemoryPairRow.release_id,
            MemoryPairRow.store,
            MemoryPairRow.embedding,
            MemoryPairRow.suspended,
            MemoryPairRow.vector,
        ).where(MemoryPairRow.id.in_(pairs))
    )
    return [
        (row.id, float(np.frombuffer(row.vector, "<f4") @ vector))
        for row in rows
        if Where(row.release_id, row.store, row.embedding) == where and not row.suspended
    ]


def _best(similarities: Vectors, k: int) -> npt.NDArray[np.intp]:
    """The places of the `k` greatest, in no order."""
    if k >= len(similarities):
        return np.arange(len(similarities))
    return np.argpartition(-similarities, k)[:k]


def _source(where: Where) -> Source:
    of_store = (
        MemoryPairRow.release_id == where.release_id,
        MemoryPairRow.store == where.store,
        MemoryPairRow.embedding == where.embedding,
    )
    return Source(MemoryPairRow.id, MemoryPairRow.seq, MemoryPairRow.vector, of_store, _unpacked)


def _unpacked(packed: bytes) -> Vectors:
    return np.frombuffer(packed, dtype="<f4")
