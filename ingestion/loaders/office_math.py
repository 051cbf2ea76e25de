"""Equations of Office files (OMML) on one line, as people type them: P = (U^2)/R."""

from collections.abc import Callable

from ingestion.loaders.ooxml import Element, is_on, value
from ingestion.page import collapse

_NO_TEXT = frozenset({"rPr", "ctrlPr", "del", "moveFrom"})
_SUM = "∫"
"""What stands before a range where no other sign is set."""


def linear(math: Element) -> str:
    """Return an equation on one line; powers with ^, indices with _, parts in brackets."""
    return collapse(" ".join(map(_inside, math.findall("oMath"))) or _inside(math))


def _inside(element: Element | None) -> str:
    if element is None:
        return ""
    return "".join(map(_part, element)) if len(element) else ""


def _part(element: Element) -> str:
    if element.tag in _NO_TEXT or element.tag.endswith("Pr"):
        return ""
    if element.tag == "t":
        return element.text or ""
    written = _WRITTEN.get(element.tag)
    return written(element) if written else _inside(element)


def _of(element: Element, name: str) -> str:
    return collapse(_inside(element.find(name)))


def _bracketed(text: str) -> str:
    return text if len(text) < 2 or text.isalpha() or text.isdigit() else f"({text})"


def _raised(element: Element, name: str, sign: str) -> str:
    text = _of(element, name)
    return f"{sign}{_bracketed(text)}" if text else ""


def _set(element: Element, path: str, usual: str) -> str:
    found = value(element.find(path))
    return usual if found is None else found


def _fraction(f: Element) -> str:
    over, below = _of(f, "num"), _of(f, "den")
    if _set(f, "fPr/type", "") == "noBar":
        return f"({over} {below})"
    return f"{_bracketed(over)}/{_bracketed(below)}"


def _scripts(s: Element) -> str:
    return _bracketed(_of(s, "e")) + _raised(s, "sub", "_") + _raised(s, "sup", "^")


def _before(s: Element) -> str:
    return _raised(s, "sub", "_") + _raised(s, "sup", "^") + _of(s, "e")


def _root(rad: Element) -> str:
    degree = _of(rad, "deg")
    sign = {"": "√", "2": "√", "3": "∛", "4": "∜"}.get(degree, f"root_{degree}")
    return f"{sign}({_of(rad, 'e')})"


def _range(nary: Element) -> str:
    sign = _set(nary, "naryPr/chr", _SUM)
    return f"{sign}{_raised(nary, 'sub', '_')}{_raised(nary, 'sup', '^')} {_of(nary, 'e')}"


def _delimited(d: Element) -> str:
    inner = _set(d, "dPr/sepChr", "|").join(collapse(_inside(e)) for e in d.findall("e"))
    return f"{_set(d, 'dPr/begChr', '(')}{inner}{_set(d, 'dPr/endChr', ')')}"


def _function(func: Element) -> str:
    return f"{_of(func, 'fName')} {_of(func, 'e')}"


def _limit(limit: Element) -> str:
    sign = "_" if limit.tag == "limLow" else "^"
    return _of(limit, "e") + _raised(limit, "lim", sign)


def _accented(acc: Element) -> str:
    return _of(acc, "e") + _set(acc, "accPr/chr", "\u0302")


def _matrix(matrix: Element) -> str:
    rows = (", ".join(collapse(_inside(e)) for e in row.findall("e")) for row in matrix)
    return "; ".join(filter(None, rows))


def _lines(array: Element) -> str:
    return "; ".join(collapse(_inside(e)) for e in array.findall("e"))


def _phantom(phant: Element) -> str:
    shown = phant.find("phantPr/show")
    return _of(phant, "e") if shown is None or is_on(shown) else ""


_WRITTEN: dict[str, Callable[[Element], str]] = {
    "f": _fraction,
    **dict.fromkeys(("sSub", "sSup", "sSubSup"), _scripts),
    "sPre": _before,
    "rad": _root,
    "nary": _range,
    "d": _delimited,
    "func": _function,
    **dict.fromkeys(("limLow", "limUpp"), _limit),
    "acc": _accented,
    "m": _matrix,
    "eqArr": _lines,
    "phant": _phantom,
}
