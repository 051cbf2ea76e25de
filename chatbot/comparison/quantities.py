"""Values that are equal in other units: 5 min and 300 s, 193100 GHz and 193.100 THz."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from chatbot.retrieval.provenance import plain

_FACTORS = {
    "time": {
        "ns": 1e-9,
        "µs": 1e-6,
        "us": 1e-6,
        "ms": 1e-3,
        "tenths of a second": 0.1,
        "s": 1.0,
        "sec": 1.0,
        "second": 1.0,
        "min": 60.0,
        "minute": 60.0,
        "h": 3600.0,
        "hour": 3600.0,
        "day": 86400.0,
    },
    "frequency": {"hz": 1.0, "khz": 1e3, "mhz": 1e6, "ghz": 1e9, "thz": 1e12},
    "size": {"byte": 1.0, "kb": 1e3, "kib": 1024.0, "mb": 1e6, "mib": 1024.0**2, "gb": 1e9},
}
_QUANTITY = re.compile(r"(?P<number>[-−]?\d[\d,]*(?:\.\d+)?)\s*(?P<unit>[^\d\s.,;()][^\d.,;()]*)?")


def same_value(values: Sequence[str]) -> bool:
    """Whether values say the same: in the same words, or as the same quantity."""
    if len({plain(value).strip(" .'") for value in values}) == 1:
        return True
    read = [_read(value) for value in values]
    first = read[0]
    return first is not None and all(
        other is not None and other[0] == first[0] and math.isclose(other[1], first[1])
        for other in read
    )


def _read(value: str) -> tuple[str, float] | None:
    """The dimension and the size in its base unit."""
    match = _QUANTITY.fullmatch(value.strip(" ."))
    if match is None:
        return None
    number = float(match["number"].replace(",", "").replace("−", "-"))
    unit = (match["unit"] or "").strip().casefold()
    if not unit:
        return "", number
    for dimension, factors in _FACTORS.items():
        for name in (unit, unit.removesuffix("s")):
            if name in factors:
                return dimension, number * factors[name]
    return unit, number
