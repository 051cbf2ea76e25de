"""The loss of a training as a picture: a line for the steps, points for the validation."""

from collections.abc import Sequence
from itertools import pairwise

Points = Sequence[tuple[int, float]]
"""(step, loss), in the order of the steps."""

_WIDTH, _HEIGHT, _EDGE = 800, 440, 60
_MOST_POINTS = 400


def loss_curve(training: Points, validation: Points = ()) -> str:
    """Draw the losses as an SVG picture; of very many steps neighbours are averaged."""
    drawn = _thinned(training)
    every = [*drawn, *validation]
    last = max((step for step, _ in every), default=1) or 1
    highest = max((loss for _, loss in every), default=1.0) or 1.0

    def at(point: tuple[int, float]) -> tuple[float, float]:
        x = _EDGE + (_WIDTH - 2 * _EDGE) * point[0] / last
        y = _HEIGHT - _EDGE - (_HEIGHT - 2 * _EDGE) * point[1] / highest
        return round(x, 1), round(y, 1)

    right, bottom = _WIDTH - _EDGE, _HEIGHT - _EDGE
    shapes = [
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#fff"/>',
        f'<path d="M{_EDGE} {_EDGE}V{bottom}H{right}" fill="none" stroke="#555"/>',
    ]
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, _ = at((round(last * share), 0.0))
        _, y = at((0, highest * share))
        shapes.append(_text(x, bottom + 20, "middle", f"{round(last * share):,}"))
        shapes.append(_text(_EDGE - 8, y + 4, "end", f"{highest * share:.2f}"))
    shapes.append(_text((_EDGE + right) / 2, _HEIGHT - 12, "middle", "step"))
    shapes.append(_text(_EDGE, _EDGE - 16, "middle", "loss"))
    if drawn:
        line = " ".join(f"{x},{y}" for x, y in map(at, drawn))
        shapes.append(f'<polyline points="{line}" fill="none" stroke="#1f5fa8" stroke-width="2"/>')
        shapes.append(_text(right - 130, _EDGE - 16, "start", "training", "#1f5fa8"))
    for one, other in pairwise(map(at, validation)):
        shapes.append(
            f'<path d="M{one[0]} {one[1]}L{other[0]} {other[1]}" stroke="#b3470c" '
            'stroke-dasharray="5 4"/>'
        )
    shapes += (f'<circle cx="{x}" cy="{y}" r="4" fill="#b3470c"/>' for x, y in map(at, validation))
    if validation:
        shapes.append(_text(right - 60, _EDGE - 16, "start", "validation", "#b3470c"))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="13">\n<title>Loss by step</title>\n'
        + "\n".join(shapes)
        + "\n</svg>\n"
    )


def _thinned(points: Points) -> list[tuple[int, float]]:
    """At most so many points: of each group its last step, and the mean of its losses."""
    size = -(-len(points) // _MOST_POINTS) or 1
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [(part[-1][0], sum(loss for _, loss in part) / len(part)) for part in parts]


def _text(x: float, y: float, anchor: str, text: str, colour: str = "#333") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
