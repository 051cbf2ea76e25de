"""Figures in a question: number words as digits, and times in one unit."""

from __future__ import annotations

import re

from corpora.number_words import NUMBER_WORDS

_NUMBERS = NUMBER_WORDS | {"dozen": 12, "hundred": 100, "thousand": 1000}
_MILLISECONDS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
_UNITS = {
    r"ms|msecs?|milliseconds?|millis": "ms",
    r"s|secs?|seconds?": "s",
    r"min|mins|minutes?": "min",
    r"h|hrs?|hours?": "h",
    r"d|days?": "d",
    r"weeks?|wks?": "week",
    r"kib|kb|kbytes?|kilobytes?|k": "kb",
    r"mib|mb|mbytes?|megabytes?": "mb",
    r"gib|gb|gbytes?|gigabytes?|gigs?": "gb",
    r"tib|tb|tbytes?|terabytes?": "tb",
    r"bytes?|octets?": "byte",
    r"mbit/s|mbps|mb/s|megabits?": "mbps",
    r"gbit/s|gbps|gb/s|gigabits?|g|ge|gbe": "gbps",
    r"%|percent|per cent|pct": "%",
    r"°c|c|degrees? celsius|degrees? c|degrees?|celsius": "c",
    r"v|volts?": "v",
    r"a|amps?|amperes?": "a",
    r"w|watts?": "w",
    r"dbm": "dbm",
    r"db|decibels?": "db",
    r"m|met(?:er|re)s?": "m",
    r"km|kilomet(?:er|re)s?": "km",
    r"nm|nanomet(?:er|re)s?": "nm",
}
_UNIT_OF = {re.compile(pattern): unit for pattern, unit in _UNITS.items()}
_WITH_UNIT = re.compile(rf"(?<!\S)(\d+(?:\.\d+)?) ?({'|'.join(_UNITS)})(?!\S)".replace("°", "°"))
_NUMBER_WORD = re.compile(
    rf"(?<!\S)(?:{'|'.join(w for w in _NUMBERS if w not in ('one', 'zero'))})(?!\S)"
    r"|(?<!\S)one(?= (?:second|minute|hour|day|week|time)s?(?!\S))"
)
_HALF_HOUR = re.compile(r"(?<!\S)half an hour(?!\S)")


def spelled_out(text: str) -> str:
    """Write number words of a plain text as digits, and figures with units as one word."""
    text = _HALF_HOUR.sub("30 min", text)
    text = _NUMBER_WORD.sub(lambda m: str(_NUMBERS[m[0]]), text)
    text = re.sub(r"(?<!\S)(\d{1,3}),(\d{3})(?!\S)", r"\1\2", text)
    return _WITH_UNIT.sub(lambda m: _in_one_unit(m[1], m[2]), text)


def _in_one_unit(figure: str, written: str) -> str:
    unit = next(unit for pattern, unit in _UNIT_OF.items() if pattern.fullmatch(written))
    if unit not in _MILLISECONDS:
        return f"{figure}{unit}"
    return f"{round(float(figure) * _MILLISECONDS[unit])}ms"
