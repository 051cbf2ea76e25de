"""Limits on the figures of a measurement, for a CI that has to fail when one is missed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from eval.runs.measures import MEASURES
from ingestion.errors import BadSettings

MISSED = 3
"""Exit code of a command whose figures miss a limit."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A measure, and the least or the most that it may be."""

    measure: str
    side: Literal["at least", "at most"]
    limit: float

    def holds(self, value: float) -> bool:
        """Whether a value is within the limit."""
        return value >= self.limit if self.side == "at least" else value <= self.limit


def read_gates(
    at_least: Sequence[str], at_most: Sequence[str], measures: Collection[str] = MEASURES
) -> tuple[Gate, ...]:
    """The limits of options such as "correct=0.8", on those measures. Raises BadSettings."""
    return (
        *(_gate("at least", option, measures) for option in at_least),
        *(_gate("at most", option, measures) for option in at_most),
    )


def _gate(side: Literal["at least", "at most"], option: str, measures: Collection[str]) -> Gate:
    name, _, limit = option.partition("=")
    if name not in measures:
        raise BadSettings(f"there is no measure {name!r}; there are {', '.join(measures)}")
    try:
        return Gate(name, side, float(limit))
    except ValueError as error:
        raise BadSettings(f"{option!r}: a limit is a number, as in {name}=0.8") from error


def missed(
    gates: Sequence[Gate], figures: Mapping[str, Mapping[str, float | None]]
) -> Iterator[str]:
    """What each limit that does not hold says, of figures by system and measure.

    A figure that is not there holds no limit: nothing has been shown.
    """
    for system, of in figures.items():
        for gate in gates:
            value = of.get(gate.measure)
            if value is None or not gate.holds(value):
                found = "nothing was measured" if value is None else f"it is {value:.4g}"
                yield f"{system}: {gate.measure} has to be {gate.side} {gate.limit:g}; {found}"
