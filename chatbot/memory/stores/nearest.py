"""The pairs nearest to a question: a Chroma snapshot of a store and what is newer than it.

The index only proposes: which pairs there are, and how near, is read from SQL. So it can be
broken, late or gone, and is never wrong about a pair.
"""

from __future__ import annotations

import logging
import subprocess
import time
from collections import OrderedDict
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import bindparam, select
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

_FIRST = 32
_READ_AT_ONCE = 4
_MOST = 512
"""No more than so many are proposed, however many of them are gone or suspended."""
_PAUSE_SECONDS = 30.0
# By the ids alone: with other conditions SQLite walks through an index of the whole store.
_PAIRS = select(MemoryPairRow).where(MemoryPairRow.id.in_(bindparam("pairs", expanding=True)))

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class NearPair:
    """A pair and its cosine to a question."""

    row: MemoryPairRow
    similarity: float


class Proposed:
    """What a search proposes; the pairs themselves are read when they are asked for.

    A row is wide and mostly on the disk, and few of those proposed are looked at.
    """

    def __init__(self, database: Database, searched: _Searched, vector: Vectors) -> None:
        self._database = database
        self._searched = searched
        self._vector = vector
        self._first = self._more(_FIRST)

    def at_least(self, cosine: float) -> Iterator[NearPair]:
        """Yield the usable pairs that are so near, the nearest first."""
        proposed, wanted = self._first, _FIRST
        seen: set[int] = set()
        while True:
            near = {pair: at for pair, at in proposed.items() if at >= cosine}
            new = sorted(near.keys() - seen, key=lambda pair: (-near[pair], pair))
            for first in range(0, len(new), _READ_AT_ONCE):
                yield from self._usable(new[first : first + _READ_AT_ONCE])
            if len(near) < wanted or wanted >= _MOST:
                return
            seen |= near.keys()
            wanted = min(4 * wanted, _MOST)
            proposed = self._more(wanted)

    def _more(self, wanted: int) -> dict[int, float]:
        with self._database.reading() as session:
            return self._searched.propose(session, self._vector, wanted)

    def _usable(self, pairs: Collection[int]) -> list[NearPair]:
        with self._database.reading() as session:
            found = [
                NearPair(row, float(_unpacked(row.vector) @ self._vector))
                for row in session.scalars(_PAIRS, {"pairs": list(pairs)})
                if self._searched.holds(row) and not row.suspended
            ]
        return sorted(found, key=lambda near: (-near.similarity, near.row.id))


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

    def nearest(self, release_id: int, store: Store, question: MemoryQuestion) -> Proposed:
        """Search a store for the pairs nearest to a question.

        Suspended pairs and those of another embedding are left out.
        """
        where = Where(release_id, store, question.embedding)
        with self._opening:
            searched = self._open.setdefault(where, _Searched(where, self._data_dir))
            self._open.move_to_end(where)
        found = Proposed(self._database, searched, question.vector)
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
        self._source = _source(where)

    @property
    def size(self) -> int:
        """How many vectors it holds."""
        return self._indexed + len(self._tail)

    @property
    def is_behind(self) -> bool:
        """Whether another snapshot is worth its work."""
        return self._is_broken or len(self._tail) > max(TAIL, self._indexed // 4)

    def holds(self, row: MemoryPairRow) -> bool:
        """Whether a pair is in this store, and compared by the same embedding."""
        return Where(row.release_id, Store(row.store), row.embedding) == self._where

    def propose(self, session: Session, vector: Vectors, wanted: int) -> dict[int, float]:
        """Pairs and their cosines to a vector, among them the `wanted` nearest ones."""
        with self._searching:
            self._follow()
            try:
                return self._propose(session, vector, wanted)
            except BrokenIndex as error:
                self._do_without(error)
                return self._propose(session, vector, wanted)

    def close(self) -> None:
        """Hold nothing any more; whoever still searches compares with all."""
        with self._searching:
            self._is_closed = True
            self._turn_to(None)

    @property
    def _indexed(self) -> int:
        return self._opened[1].size if self._opened is not None else 0

    def _propose(self, session: Session, vector: Vectors, wanted: int) -> dict[int, float]:
        self._tail.read_newer(session, self._source)
        ids, similarities = self._tail.compared(vector)
        proposed: dict[int, float] = {}
        if self._opened is not None:
            proposed.update(self._opened[1].nearest(vector, wanted))
        best = _best(similarities, wanted)
        proposed.update(zip(ids[best].tolist(), similarities[best].tolist(), strict=True))
        return proposed

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
