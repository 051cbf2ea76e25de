"""What a process holds of the stores in memory between transactions, within a bound."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock

from chatbot.memory.stores.vector_table import VectorTable

HELD_BYTES = 256 * 2**20
"""How much memory the vectors of all stores together may take in a process that changes them."""


class Held:
    """Tables of vectors by what they are of; those that were not used for long go first.

    They are used within a transaction that has locked their release, and follow it as it goes.
    After one that fails `drop` has to be called.
    """

    def __init__(self) -> None:
        self._tables: OrderedDict[Hashable, VectorTable] = OrderedDict()
        # Where rows are locked one by one, changes of two releases go on at once.
        self._turning = Lock()

    def get(self, key: Hashable) -> VectorTable | None:
        """A table, if it is held."""
        return self._tables.get(key)

    def table(self, key: Hashable) -> VectorTable:
        """A table that is held from now on; an empty one at first."""
        with self._turning:
            table = self._tables.setdefault(key, VectorTable())
            self._tables.move_to_end(key)
            return table

    def trim(self) -> None:
        """Let go what is too much."""
        with self._turning:
            sizes = [table.nbytes for table in self._tables.values()]
            too_much = sum(sizes) - HELD_BYTES
            for size in sizes[:-1]:
                if too_much <= 0:
                    break
                self._tables.popitem(last=False)
                too_much -= size

    def drop(self) -> None:
        """Hold nothing any more; what is needed is read from SQL again."""
        with self._turning:
            self._tables.clear()
