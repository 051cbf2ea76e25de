"""The short form of the crashes: kills on SQLite, of a team on PostgreSQL, and power cuts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endurance.crashes import Kind, storm
from tests.endurance.power_cut import PowerCut

pytestmark = [pytest.mark.timeout(600), pytest.mark.enable_socket]


@pytest.mark.parametrize(
    ("kind", "times", "people"), [(Kind.SQLITE, 8, 1), (Kind.POSTGRESQL, 8, 4), (Kind.POWER, 2, 1)]
)
def test_nothing_acknowledged_is_lost_and_nobody_is_refused(
    tmp_path: Path, kind: Kind, times: int, people: int
) -> None:
    found = storm(tmp_path, kind, times, people=people)
    assert found.faults == []
    assert sum(found.kills.values()) == times
    assert found.done["answers"] > 0
    assert found.done["ingests"] > 0
    assert (found.done["calls of the model"] > 0) is (kind is Kind.POSTGRESQL)


def test_a_power_cut_takes_what_was_not_synced(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "old").write_text("there before")
    power = PowerCut(folder, tmp_path)
    script = (
        "import os, sys; os.chdir(sys.argv[1])\n"
        "a = open('kept', 'w'); a.write('synced'); a.flush(); os.fsync(a.fileno())\n"
        "a.write(' and more'); a.flush(); os.rename('kept', 'renamed')\n"
        "open('never', 'w').write('not synced')"
    )

    environment = {**os.environ, **power.environment}
    subprocess.run([sys.executable, "-c", script, str(folder)], env=environment, check=True)
    assert power.happens() == (2, len(" and more") + len("not synced"))
    held = {file.name: file.read_text() for file in folder.iterdir()}
    assert held == {"old": "there before", "renamed": "synced", "never": ""}
