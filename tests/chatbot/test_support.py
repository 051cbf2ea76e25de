from __future__ import annotations

import pytest

from chatbot.retrieval.support import unsupported

PASSAGE = (
    "hold_time=300 – seconds that the relay waits. Set it to None to wait for ever. Run `relay "
    "check --all` first. A window of 180 seconds opens; 10,000 events are kept, three at a time. "
    "Port — Rate\nXF-1 — 10 — Gbit/s"
)


@pytest.mark.parametrize(
    "sentence",
    [
        "The default of `hold_time` is 300 s.",
        "Use `hold_time=None` to wait for ever.",
        "1. Run `relay check --all NAME`.",
        "The window is open for 180 s, and 10000 events are kept, 3 at a time.",
        "| XF-1 | 10 Gbit/s |",
        "You asked for 17.20, which does so in YAML.",
        "In simple words: it waits.",
        "It came with v17.20.",
        "The name stands in `{hold_time}`.",
        "From 1 to 10,000 are kept.",
        "In 17.20 a window is open for 180 s.",
    ],
)
def test_what_the_passage_says_is_supported(sentence: str) -> None:
    assert unsupported(sentence, [PASSAGE], "17.20") == []


@pytest.mark.parametrize(
    ("sentence", "missing"),
    [
        ("The default is 600 s.", ["600 s"]),
        ("The window is open for 180 ms.", ["180 ms"]),
        ("Run `relay purge --all`.", ["relay purge"]),
        ("Set `drain_time=300`.", ["drain_time=300"]),
        ("Set `HOLD_TIME_MS` to 300.", ["HOLD_TIME_MS"]),
        ("It is kept for ninety-nine days in 18.00.", ["18.00", "ninety"]),
    ],
)
def test_what_it_does_not_say_is_named(sentence: str, missing: list[str]) -> None:
    assert unsupported(sentence, [PASSAGE], "17.20") == missing
