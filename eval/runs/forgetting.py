"""Runs that asked what somebody has deleted since are deleted too, with all that they hold."""

import re
import shutil
from pathlib import Path
from uuid import uuid4

from sqlalchemy import select

from corpora.database.engine import Database, portions
from corpora.database.history_tables import TurnRow
from eval.runs.folder import RunFolder, runs_folder

_OF_TURN = re.compile(rb'(?<!\\)"id"\s*:\s*"(?:regression|saved-\d+)-turn-(\d{1,9})"')
"""The id of a question that `eval.sets.regression` made of a turn."""
_AT_ONCE = 500


def forget_runs(database: Database, data_dir: Path) -> int:
    """Delete the runs in the data folder that ask the question of a turn which is gone; how many.

    Raises OSError for a folder that cannot be deleted now; it can be called again.
    """
    runs = [RunFolder(path.parent) for path in runs_folder(data_dir).glob("*/questions.jsonl")]
    asked = {run: set(map(int, _OF_TURN.findall(run.questions.read_bytes()))) for run in runs}
    kept: set[int] = set()
    with database.reading() as session:
        for some in portions(sorted(set().union(*asked.values())), _AT_ONCE):
            kept.update(session.scalars(select(TurnRow.id).where(TurnRow.id.in_(some))))
    gone = [run for run, turns in asked.items() if turns - kept]
    for run in gone:
        # Nobody writes into it any more. By its questions it is found again if this is cut off, so
        # they go last.
        moved = RunFolder(run.folder.rename(run.folder.with_name(uuid4().hex)))
        for path in moved.folder.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path != moved.questions:
                path.unlink()
        moved.questions.unlink()
        moved.folder.rmdir()
    return len(gone)
