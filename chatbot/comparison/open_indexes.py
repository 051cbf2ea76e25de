"""The passage indexes that a running chat holds; they are built in the background."""

import gc
import logging
from collections.abc import Iterable
from threading import Condition, Thread
from time import monotonic

from sqlalchemy.exc import SQLAlchemyError

from chatbot.comparison.passage_index import PassageIndex, read_index
from chatbot.runtime.lasting import let_last
from corpora.catalog.catalog import Serving
from corpora.database.engine import Database
from ingestion.errors import StrataError

_AGAIN_SECONDS = 30.0
"""How long a generation that could not be read is let be."""
_HELD = 64
"""Generations whose passages are held in memory; that looked at longest ago goes first.

More than one answer is held against at a time, so that it ends (`_RELEASES` in still_true.py).
"""

_log = logging.getLogger(__name__)


class OpenIndexes:
    """Gives the index of a generation once it is built; nobody who asks waits for that."""

    def __init__(self, database: Database, *, limit: int = _HELD) -> None:
        self._database = database
        self._limit = limit
        self._changed = Condition()
        self._held: dict[int, PassageIndex] = {}
        self._wanted: dict[int, Serving] = {}
        self._failed: dict[int, float] = {}
        self._is_building = False

    def get(self, serving: Serving) -> PassageIndex | None:
        """The index of a generation; None while it is built, which this has begun."""
        with self._changed:
            index = self._held.pop(serving.generation, None)
            if index is not None:
                # At the end: the first is the one unused for longest.
                self._held[serving.generation] = index
                return index
        self.order([serving])
        return None

    def order(self, servings: Iterable[Serving]) -> None:
        """Have the indexes of generations built that are not there yet, in this order."""
        with self._changed:
            for serving in servings:
                failed = self._failed.get(serving.generation, -_AGAIN_SECONDS)
                is_due = monotonic() > failed + _AGAIN_SECONDS
                if is_due and serving.generation not in self._held:
                    self._wanted.setdefault(serving.generation, serving)
            if self._wanted and not self._is_building:
                self._is_building = True
                Thread(target=self._build_all, name="passages", daemon=True).start()

    def keep_only(self, product: str, generations: Iterable[int]) -> None:
        """Let go of the generations of a product that serve no longer."""
        kept = set(generations)
        with self._changed:
            before = len(self._held)
            self._held = {
                generation: index
                for generation, index in self._held.items()
                if index.product != product or generation in kept
            }
            if len(self._held) < before:
                gc.unfreeze()

    def wait(self, seconds: float) -> bool:
        """Wait until all that was ordered is built; returns whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_building, seconds)

    def _build_all(self) -> None:
        while True:
            with self._changed:
                if not self._wanted:
                    # What is let go is collected, see `keep_only`.
                    let_last()
                    self._is_building = False
                    self._changed.notify_all()
                    return
                serving = next(iter(self._wanted.values()))
            index = None
            try:
                index = read_index(
                    self._database, serving.product, serving.release, serving.generation
                )
            except (SQLAlchemyError, StrataError) as error:
                _log.warning("passages of %s %s: %s", serving.product, serving.release, error)
            with self._changed:
                self._wanted.pop(serving.generation, None)
                if index is None:
                    self._failed[serving.generation] = monotonic()
                if index is not None:
                    self._held[serving.generation] = index
                while len(self._held) > self._limit:
                    del self._held[next(iter(self._held))]
