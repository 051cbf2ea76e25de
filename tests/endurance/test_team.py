"""The short form of a team on four machines: every server and every worker is killed once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.endurance.team import INGESTED, team


@pytest.mark.timeout(600)
@pytest.mark.enable_socket
def test_nothing_acknowledged_is_lost_and_nobody_is_refused(tmp_path: Path) -> None:
    found = team(tmp_path, people=4, minutes=0.4, pause=1.0, every=4.0)
    assert found.faults == []
    assert set(found.kills) == {"web", "worker"}
    assert found.done["ingests"] == len(INGESTED)
    # A server that is killed between an answer and its rating leaves the answer unrated.
    unrated = found.done["answers"] - found.done["ratings"]
    assert 0 <= unrated <= found.done["asked again"]
    assert found.done["ratings"] > 0
    assert found.done["calls of the model"] > 0
