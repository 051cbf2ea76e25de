"""The runs of a data folder at a glance, without reading what was answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from eval.gold import GoldError
from eval.reports.outcomes import Outcomes, by_system
from eval.runs.folder import Manifest, RunFolder, list_runs, read_scores


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run by its folder, and what became of the answers that are scored, by system."""

    folder: Path
    manifest: Manifest
    outcomes: Mapping[str, Outcomes]


def past_runs(data_dir: Path, product: str, *, alone: bool = False) -> tuple[PastRun, ...]:
    """The runs on a product, the newest first; `alone` those in which there was no other one."""
    return tuple(
        PastRun(folder, manifest, _outcomes(folder, _changed(RunFolder(folder).scores)))
        for folder, manifest in list_runs(data_dir)
        if product in manifest.corpora and (manifest.alone or not alone)
    )


def asked_the_same(runs: Sequence[PastRun]) -> tuple[PastRun, ...]:
    """Of runs, the newest first, those with scores on the newest one's questions; oldest first.

    Their number may differ: a regression set grows.
    """
    scored = [run for run in runs if run.outcomes]
    same = (r for r in scored if r.manifest.questions_file == scored[0].manifest.questions_file)
    return tuple(same)[::-1]


def _changed(file: Path) -> int:
    return file.stat().st_mtime_ns if file.exists() else 0


@lru_cache(maxsize=512)
def _outcomes(folder: Path, changed: int) -> Mapping[str, Outcomes]:
    """As they were when the scores were last `changed`; none where these cannot be read."""
    try:
        return by_system(read_scores(folder)) if changed else {}
    except GoldError:
        # One damaged run must not hide the others; whoever opens it is told what is wrong.
        return {}
