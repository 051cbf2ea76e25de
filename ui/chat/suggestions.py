"""Sample questions to begin with."""

from __future__ import annotations

import json
from pathlib import Path

_SAMPLES = Path(__file__).parents[2] / "examples" / "suggestions.jsonl"


def suggestions(product: str, samples: Path = _SAMPLES, most: int = 6) -> tuple[str, ...]:
    """The sample questions on a product; none for one that the samples do not know."""
    if not samples.is_file():
        return ()
    lines = samples.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(row["question"] for row in rows if row["product"] == product)[:most]
