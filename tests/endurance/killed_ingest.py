"""An ingest that kills itself, as `kill -9` would, at a moment that the caller names."""

import os
import signal
import sys
from pathlib import Path
from typing import Any

from sqlalchemy import event

from corpora.building import gathering
from corpora.database.engine import open_database
from corpora.generations.progress import Progress, Stage
from tests.corpora.beacon import ingest_beacon

AT = {
    "reading": lambda p: p.stage is Stage.READING and p.done == 6,
    "embedding": lambda p: p.stage is Stage.EMBEDDING and 0 < p.done < p.total,
    "indexing": lambda p: p.stage is Stage.INDEXING and p.done > 0,
    "before publishing": lambda p: p.stage is Stage.PUBLISHING and p.done == 0,
    "after publishing": lambda p: p.stage is Stage.PUBLISHING and p.done == 1,
}
MOMENTS = ("reading", "writing", "embedding", "indexing", "before publishing", "after publishing")


def main(url: str, data_dir: Path, docs: Path, moment: str) -> None:
    gathering._PAGES_AT_ONCE = 30
    database = open_database(url)
    if moment == "writing":
        event.listen(database.engine, "after_cursor_execute", _Killer().executed)

    def report(progress: Progress) -> None:
        if moment in AT and AT[moment](progress):
            _die()

    ingest_beacon(database, docs, on_progress=report, data_dir=data_dir)


class _Killer:
    """Kills in the middle of the second transaction that writes search chunks."""

    seen = 0

    def executed(self, _connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        self.seen += statement.startswith("INSERT INTO search_chunks")
        if self.seen == 5:
            _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
