from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from chatbot.reply import RememberedPair
from ui.wording.memory import vouched

NOVEMBER = "2026-11-03T12:00:00+00:00"


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (
            {"origin": "rating", "score": 0.95, "rated_by": "Ada", "rated": NOVEMBER},
            "rated good by Ada on 3 Nov 2026",
        ),
        (
            {"origin": "rating", "score": 0.95, "rated_by": "ada@example.org", "rated": NOVEMBER},
            "rated good by ada on 3 Nov 2026",
        ),
        (
            {"origin": "curated", "score": 1.0, "rated_by": "local", "rated": NOVEMBER},
            "curated on 3 Nov 2026",
        ),
        (
            {"origin": "rating", "score": 0.95, "rated_by": "", "rated": NOVEMBER},
            "rated good on 3 Nov 2026",
        ),
        (
            {"origin": "measured", "score": 0.924, "rated_by": "", "rated": "2026-11-03T12:00:00"},
            "score 0.92 on 3 Nov 2026",
        ),
        ({"origin": "measured", "score": 0.5, "rated": None}, "score 0.50"),
        (
            {"origin": "imported", "score": 1.0, "rated_by": "Ada", "rated": NOVEMBER},
            "imported on 3 Nov 2026",
        ),
        (
            {"origin": "curated", "score": 1.0, "rated_by": "Ada", "rated": NOVEMBER},
            "curated by Ada on 3 Nov 2026",
        ),
    ],
)
def test_it_is_told_who_vouches_for_an_answer(pair: dict[str, Any], told: str) -> None:
    assert vouched(RememberedPair(id=1, question="", **pair)) == told


def test_nobody_learns_who_gave_a_thumb() -> None:
    by: dict[str, Any] = {"rated_by": "bob@example.org", "rated": datetime(2026, 11, 3, tzinfo=UTC)}
    told = vouched(RememberedPair(id=1, question="", origin="thumbs", score=0.9, **by))
    assert told == "rated helpful by people who asked"
