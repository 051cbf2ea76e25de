"""Releases that are called by a time of the year: "Spring '25", "May 2023", "2024.Q3"."""

import re

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
MONTH_OF = {name: month for month, name in enumerate(_MONTHS, start=1)} | _SEASONS
"""Each season and month with the month of the year by which it is ordered."""
_WRITTEN = {
    **{name[:3]: name for name in _MONTHS},
    "sept": "september",
    "fall": "autumn",
    "frühjahr": "spring",
    "fruehjahr": "spring",
    "frühling": "spring",
    "sommer": "summer",
    "herbst": "autumn",
    "printemps": "spring",
    "été": "summer",
    "automne": "autumn",
    "hiver": "winter",
}
_PARTS = ("q", "h")
"""A quarter, a half."""

Tokens = tuple[int | str, ...]

_PERIOD = rf"(?:{'|'.join(sorted((*MONTH_OF, *_WRITTEN), key=len, reverse=True))}|q[1-4]|h[12])"
_YEAR = r"(?:20)?[0-9]{2}"
PERIOD = re.compile(rf"(?<![^\W_]){_PERIOD}(?![^\W_])", re.I)
"""A season, month, quarter or half of a year in a text."""
DATED = re.compile(
    rf"(?<![^\W_])(?:{_PERIOD}[\s.,_'’/-]*(?:of\s+)?{_YEAR}|{_YEAR}[\s._'’/-]*{_PERIOD}"
    rf"|[1-4]q{_YEAR}"
    r"|[0-9]{1,2}/20[0-9]{2})(?![^\W_])",
    re.I,
)
"""The same with its year."""
_SHORT = {name[:length] for name in _SEASONS for length in (1, 2, 3)} | {"fy"}
IN_SHORT = re.compile(rf"(?<![^\W_])(?:{'|'.join(_SHORT)})['’]?(?:20)?([0-9]{{2}})(?![^\W_])", re.I)
"""What may be a season in short, with its year: "F25", "Sp'24", "FY2025"."""


def year_first(tokens: Tokens) -> Tokens:
    """The tokens of a name with the year, in four digits, before the season, month or quarter.

    Tokens of any other name are returned as they are.
    """
    match tokens:
        case (int(number), "q", int(year), *rest) if number < 5 and year > 4:
            period: Tokens = "q", number
        case (str(word), int(number), int(year), *rest) if word in _PARTS:
            period = word, number
        case (int(year), str(word), int(number), *rest) if word in _PARTS:
            period = word, number
        case (str(word), int(year), *rest) | (int(year), str(word), *rest):
            word = _WRITTEN.get(word, word)
            if word not in MONTH_OF:
                return tokens
            period = (word,)
        case _:
            return tokens
    if 10 <= year < 100:
        year += 2000
    return (year, *period, *rest) if 1970 <= year < 2100 else tokens


def period_of(tokens: Tokens) -> Tokens:
    """The season, month or quarter of a name with its year first; empty for any other name."""
    match tokens:
        case (int(), str(word), int(number), *_) if word in _PARTS:
            return word, number
        case (int(), str(word), *_) if word in MONTH_OF:
            return (word,)
    return ()


def read_period(written: str) -> Tokens:
    """The tokens of a season, month or quarter without a year."""
    return period_of(year_first((2000, *_split(written))))


def _split(written: str) -> Tokens:
    word = written.casefold()
    return (word[0], int(word[1:])) if word[1:].isdecimal() else (word,)
