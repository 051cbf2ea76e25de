"""The loss of a training as a picture: a line for the steps, points for the validation."""

from collections.abc import Sequence

Points = Sequence[tuple[int, float]]
"""(step, loss), in the order of the steps."""

_WIDTH, _HEIGHT, _EDGE = 800, 440, 60
_RIGHT, _BOTTOM = _WIDTH - _EDGE, _HEIGHT - _EDGE
_MOST_POINTS = 400


def loss_curve(training: Points, validation: Points = ()) -> str:
    """Draw the losses as an SVG picture; of very many steps neighbours are averaged."""
    drawn = _thinned(training)
    last = max((step for step, _ in (*drawn, *validation)), default=1) or 1
    highest = max((loss for _, loss in (*drawn, *validation)), default=1.0) or 1.0

    def at(step: float, loss: float) -> tuple[float, float]:
        x = _EDGE + (_RIGHT - _EDGE) * step / last
        return round(x, 1), round(_BOTTOM - (_BOTTOM - _EDGE) * loss / highest, 1)

    shapes = [f'<path d="M{_EDGE} {_EDGE}V{_BOTTOM}H{_RIGHT}" fill="none" stroke="#555"/>']
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        step, loss = round(last * share), highest * share
        shapes.append(_text(at(step, 0)[0], _BOTTOM + 20, "middle", f"{step:,}"))
        shapes.append(_text(_EDGE - 8, at(0, loss)[1] + 4, "end", f"{loss:.2f}"))
    shapes.append(_text((_EDGE + _RIGHT) / 2, _HEIGHT - 12, "middle", "step"))
    shapes.append(_text(_EDGE, _EDGE - 16, "middle", "loss"))
    for name, left, points, colour in (
        ("training", _RIGHT - 130, drawn, "#1f5fa8"),
        ("validation", _RIGHT - 60, validation, "#b3470c"),
    ):
        if points:
            line = " ".join(f"{x},{y}" for x, y in (at(*point) for point in points))
            shapes.append(f'<polyline points="{line}" fill="none" stroke="{colour}"/>')
            shapes.append(_text(left, _EDGE - 16, "start", name, colour))
    for x, y in (at(*point) for point in validation):
        shapes.append(f'<circle cx="{x}" cy="{y}" r="4" fill="#b3470c"/>')
    inside = "\n".join(shapes)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        f'style="background: #fff" font-family="sans-serif" font-size="13">\n'
        f"<title>Loss by step</title>\n{inside}\n</svg>\n"
    )


def _thinned(points: Points) -> list[tuple[int, float]]:
    """At most so many points: of each group its last step, and the mean of its losses."""
    size = -(-len(points) // _MOST_POINTS) or 1
    parts = [points[start : start + size] for start in range(0, len(points), size)]
    return [(part[-1][0], sum(loss for _, loss in part) / len(part)) for part in parts]


def _text(x: float, y: float, anchor: str, text: str, colour: str = "#333") -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
