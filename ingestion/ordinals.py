"""The marks of counted items: letters and Roman numerals, as a browser shows them."""

import re
from collections.abc import Callable

_ROMAN = (
    *((1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L")),
    *((40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")),
)
NUMERATIONS = ("arabic", "loweralpha", "lowerroman", "upperalpha", "upperroman")
"""How lists in lists are counted where nothing else is said, outermost first."""
_LAST = 3999
_SET = re.compile(r"list-style(?:-type)?\s*:\s*(lower|upper)-(alpha|latin|roman)")
_NAMED = re.compile(r"\b(lower|upper)(alpha|roman)\b")
_TYPES = {"a": "lower alpha", "A": "upper alpha", "i": "lower roman", "I": "upper roman"}


def roman(count: int) -> str:
    """Return a number from 1 to 3,999 as a Roman numeral."""
    text = ""
    for worth, letters in _ROMAN:
        text += letters * (count // worth)
        count %= worth
    return text


def letters(count: int) -> str:
    """Return a number from 1 on as letters: a to z, then aa, ab."""
    text = ""
    while count > 0:
        count, place = divmod(count - 1, 26)
        text = chr(ord("a") + place) + text
    return text


def list_counter(type_: str, classes: str, style: str) -> Callable[[int], str]:
    """Return what writes the numbers of a list of HTML.

    A list says its form by the attributes `type` and `style`, or by a class of docutils or of
    Asciidoctor.
    """
    named = _SET.search(style) or _NAMED.search(classes)
    form = _TYPES.get(type_) or (" ".join(named.groups()) if named else "")
    case, _, kind = form.partition(" ")
    write = roman if kind == "roman" else letters

    def counter(count: int) -> str:
        if not form or not 0 < count <= _LAST:
            return str(count)
        return write(count).upper() if case == "upper" else write(count).lower()

    return counter
