"""Where things stand in an SVG drawing: its transformations and its units."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

EM = 16.0
"""The font size where a drawing states none, in user units."""

_TRANSFORM = re.compile(r"(\w+)\s*\(([^)]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_UNITS = {"pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


class Matrix(NamedTuple):
    """An affine map as SVG writes it: x' = a x + c y + e, y' = b x + d y + f."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def then(self, m: Matrix) -> Matrix:
        """Return the map that applies `m` first and then this one."""
        return Matrix(
            self.a * m.a + self.c * m.b,
            self.b * m.a + self.d * m.b,
            self.a * m.c + self.c * m.d,
            self.b * m.c + self.d * m.d,
            self.a * m.e + self.c * m.f + self.e,
            self.b * m.e + self.d * m.f + self.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point comes to stand."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    @property
    def scale(self) -> float:
        """How much heights grow."""
        return math.hypot(self.b, self.d) or 1.0


def length(value: str | None, em: float = EM) -> float:
    """Return the first length of an attribute in user units; percentages count as nothing."""
    text = (value or "").strip()
    number = _NUMBER.match(text)
    if number is None or text.endswith("%"):
        return 0.0
    unit = re.split(r"[\s,]", text[number.end() :].strip().lower())[0]
    factor = em if unit == "em" else em / 2 if unit == "ex" else _UNITS.get(unit, 1.0)
    found = float(number[0]) * factor
    return found if math.isfinite(found) else 0.0


def transform(value: str) -> Matrix:
    """Read a `transform` attribute; what is no transformation counts as none."""
    matrix = Matrix()
    for name, arguments in _TRANSFORM.findall(value):
        matrix = matrix.then(_step(name, [float(n) for n in _NUMBER.findall(arguments)]))
    return matrix


def _step(name: str, n: Sequence[float]) -> Matrix:
    if name == "matrix" and len(n) == 6:
        return Matrix(*n)
    if name == "translate" and n:
        return Matrix(e=n[0], f=n[1] if len(n) > 1 else 0.0)
    if name == "scale" and n:
        return Matrix(a=n[0], d=n[1] if len(n) > 1 else n[0])
    if name == "rotate" and n:
        cos, sin = math.cos(math.radians(n[0])), math.sin(math.radians(n[0]))
        turn = Matrix(cos, sin, -sin, cos)
        if len(n) < 3:
            return turn
        return Matrix(e=n[1], f=n[2]).then(turn).then(Matrix(e=-n[1], f=-n[2]))
    if name == "skewX" and n:
        return Matrix(c=math.tan(math.radians(n[0])))
    if name == "skewY" and n:
        return Matrix(b=math.tan(math.radians(n[0])))
    return Matrix()
