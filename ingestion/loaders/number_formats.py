"""Numbers of a spreadsheet as their formats show them."""

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from functools import lru_cache
from math import isfinite

_LITERAL = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|[_*].|\[\$(?P<currency>[^\]-]*)[^\]]*\]|\[[^\]]*\]'
)
_SIGNS = r'(?:"[^"]*"|[\\_*].|\[[^\]<>=]*\]|[^#0?,.@A-Za-z"\\_*\[])*'
_FORM = re.compile(
    rf"(?P<before>{_SIGNS})(?P<whole>[#0?,]*[#0?])(?:\.(?P<decimals>[#0?]*))?(?P<scale>,*)"
    rf"(?:E[-+](?P<exponent>0+))?(?P<after>{_SIGNS})"
)
_SECTION = re.compile(r'(?:"[^"]*"|\\.|[^;"\\])+')


def shown_number(value: float, number_format: str) -> str:
    """Return a number as it is shown in its format: digits, separators, shares, units, powers.

    The format ;;; shows nothing.

    What is no such format, such as a fraction's, shows all digits of the number; so does the
    format 0 where it would hide decimals.
    """
    if number_format.strip() == ";;;":
        return ""
    forms = _forms(number_format)
    own = 2 if value == 0 and len(forms) > 2 else int(value < 0 and len(forms) > 1)
    form = forms[own] if forms else None
    if form is None or not isfinite(value) or (form[0] == "0" and value % 1):
        return f"{value:.15g}"
    before, after = (_LITERAL.sub(_letters, form[side]) for side in ("before", "after"))
    minus = "-" if value < 0 and own == 0 else ""
    return f"{minus}{before}{_digits(abs(Decimal(repr(value))), form)}{after}"


@lru_cache
def _forms(number_format: str) -> list[re.Match[str] | None]:
    return [_FORM.fullmatch(section) for section in _SECTION.findall(number_format)]


def _digits(value: Decimal, form: re.Match[str]) -> str:
    places = form["decimals"] or ""
    with localcontext(rounding=ROUND_HALF_UP):
        if form["exponent"]:
            mantissa, power = f"{value:.{len(places)}E}".split("E")
            return f"{mantissa}E{int(power):+0{len(form['exponent']) + 1}d}"
        value *= 100 ** _LITERAL.sub("", form["after"]).count("%")
        value /= 1000 ** len(form["scale"])
        separator = "," if "," in form["whole"] else ""
        whole, point, decimals = f"{value:{separator}.{len(places)}f}".partition(".")
    needed = form["whole"].count("0")
    whole = whole.zfill(needed) if needed else whole.removeprefix("0")
    kept = len(places.rstrip("#?"))
    decimals = decimals[:kept] + decimals[kept:].rstrip("0")
    return f"{whole}{point}{decimals}" if decimals else whole


def _letters(literal: re.Match[str]) -> str:
    return literal["quoted"] or literal["escaped"] or literal["currency"] or ""
