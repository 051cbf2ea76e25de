"""How raised text is written on a line: powers ("10^-6", "x^(2n)") and marks of notes ("[a]")."""

import re

_DASHES = str.maketrans("‐‑‒–−", "-----")  # what typesetters use for a minus
_TERM = r"(?:\d+(?:\.\d+)?[a-z]?|[a-z])"
_NUMBER = re.compile(r"[-+]?\d+")
_EXPRESSION = re.compile(rf"[-+]?{_TERM}(?:[-+/]{_TERM})*", re.IGNORECASE)
_MARK = re.compile(r"[\[(]*((?:\d{1,2}|[a-z])(?:, ?(?:\d{1,2}|[a-z]))*)[\])]*")
_VARIABLE = re.compile(r"(?<![^\W\d_])[^\W\d_]$|[)\]]$")
_NUMBER_BEFORE = re.compile(r"\d$")
_FIRST_VARIABLE = "i"
"""Letters before it are marks of notes where they stand at a number."""


def superscript(text: str, before: str) -> str:
    """Write raised text as a power or as the mark of a note; "" where it is neither ("st", "TM").

    `before` is the text that it is raised at: a letter alone marks a note at a word, and is a
    power of a variable or of a number.
    """
    raised = re.sub(r"\s+", " ", text).strip()
    power = raised.translate(_DASHES).replace(" ", "")
    if _NUMBER.fullmatch(power):
        return f"^{power}"
    of_variable = _VARIABLE.search(before) is not None
    of_number = bool(_NUMBER_BEFORE.search(before)) and power.lower() >= _FIRST_VARIABLE
    if _EXPRESSION.fullmatch(power) and (len(power) > 1 or of_variable or of_number):
        return f"^{power}" if len(power) == 1 else f"^({power})"
    mark = _MARK.fullmatch(raised)
    return f"[{mark[1]}]" if mark else ""
