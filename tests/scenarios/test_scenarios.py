"""What a user would be hurt by, asked of the whole chatbot: `*.jsonl`, over `documents/`."""

from __future__ import annotations

from pathlib import Path

import pytest

from eval.scenarios import Row, Scenarios, faults, read_rows

ROWS = read_rows(Path(__file__).parent)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_a_reply_does_not_hurt_its_reader(
    row: Row, scenarios: Scenarios, request: pytest.FixtureRequest
) -> None:
    if row.holds_from and row.holds_from != scenarios.profile:
        strict = not scenarios.profile
        request.applymarker(pytest.mark.xfail(reason=row.because, strict=strict))
    reply = scenarios.reply_to(row)
    assert not list(faults(row, reply)), reply.answer


def test_each_row_has_a_name_of_its_own() -> None:
    assert len({row.id for row in ROWS}) == len(ROWS)
