"""Vectors of rows in SQL, held in memory between transactions and brought up to date by `seq`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from corpora.embedding import Vectors

_ROOM = 64
_AT_ONCE = 500


@dataclass(frozen=True)
class Source:
    """The rows that a table follows: which ones, and how one becomes a vector of length one."""

    id: InstrumentedAttribute[int]
    seq: InstrumentedAttribute[int]
    packed: InstrumentedAttribute[bytes]
    where: tuple[ColumnElement[bool], ...]
    unpacked: Callable[[bytes], Vectors]

    @cached_property
    def newer(self) -> Select[int, int, bytes]:
        """The rows that have come or changed `after` a change."""
        return select(self.id, self.seq, self.packed).where(
            *self.where, self.seq > bindparam("after")
        )


class VectorTable:
    """Vectors by the ids of their rows, as of the change `seq`."""

    def __init__(self, seq: int = -1) -> None:
        self.seq = seq
        self._row_of: dict[int, int] = {}
        self._free: list[int] = []
        self._ids: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self._vectors: Vectors = np.zeros((0, 0), dtype=np.float32)

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def nbytes(self) -> int:
        """How much memory the vectors take."""
        return self._vectors.nbytes

    def put(self, key: int, vector: Vectors, seq: int) -> None:
        """Set the vector of a row that was changed at `seq`."""
        row = self._row_of.get(key)
        if row is None:
            row = self._free.pop() if self._free else len(self._row_of)
            if row == len(self._ids):
                self._make_room(len(vector))
            self._row_of[key] = row
            self._ids[row] = key
        self._vectors[row] = vector
        self.seq = max(self.seq, seq)

    def take(self, key: int) -> None:
        """Forget a row."""
        row = self._row_of.pop(key, None)
        if row is not None:
            self._vectors[row] = 0
            self._ids[row] = 0
            self._free.append(row)

    def compared(self, vector: Vectors) -> tuple[npt.NDArray[np.int64], Vectors]:
        """Ids and their cosines to a vector; an id of 0 and a cosine of 0 stand for nothing."""
        used = len(self._row_of) + len(self._free)
        if not used:
            return self._ids[:0], np.zeros(0, dtype=np.float32)
        # In one thread: where all cores are busy, two would wait long for each other.
        return self._ids[:used], np.vecdot(self._vectors[:used], vector)

    def follow(self, session: Session, source: Source) -> None:
        """Read what has changed, and forget what has gone."""
        self.read_newer(session, source)
        count = select(func.count()).select_from(source.id.class_).where(*source.where)
        if session.scalar(count) != len(self):
            there = set(session.scalars(select(source.id).where(*source.where)))
            for key in self._row_of.keys() - there:
                self.take(key)
            # A row can come within a change that was read before.
            self._read_some(session, source, there - self._row_of.keys())

    def read_newer(self, session: Session, source: Source) -> None:
        """Read what has come or changed since."""
        self._put_all(session.execute(source.newer, {"after": self.seq}).all(), source)

    def _read_some(self, session: Session, source: Source, keys: Collection[int]) -> None:
        missing = list(keys)
        for first in range(0, len(missing), _AT_ONCE):
            some = source.id.in_(missing[first : first + _AT_ONCE])
            rows = select(source.id, source.seq, source.packed).where(some)
            self._put_all(session.execute(rows).all(), source)

    def _put_all(self, rows: Iterable[Any], source: Source) -> None:
        for key, seq, packed in rows:
            self.put(key, source.unpacked(packed), seq)

    def _make_room(self, dimension: int) -> None:
        ids, vectors = self._ids, self._vectors
        rows = max(2 * len(ids), _ROOM)
        self._ids = np.zeros(rows, dtype=np.int64)
        self._vectors = np.zeros((rows, dimension), dtype=np.float32)
        self._ids[: len(ids)] = ids
        if len(ids):
            self._vectors[: len(ids)] = vectors
