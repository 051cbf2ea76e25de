"""What of a file could not be read, counted for whoever ingests it."""

from collections import Counter
from dataclasses import dataclass, field

from ingestion.messages import counted, counted_noop

_UNREAD = {
    "picture": counted_noop(
        "{number} picture was not read ({place})",
        "{number} pictures were not read (the first {place})",
    ),
    "formula": counted_noop(
        "{number} formula was not read ({place})",
        "{number} formulas were not read (the first {place})",
    ),
    "diagram": counted_noop(
        "{number} diagram was not read ({place})",
        "{number} diagrams were not read (the first {place})",
    ),
    "chart": counted_noop(
        "{number} chart was not read ({place})",
        "{number} charts were not read (the first {place})",
    ),
    "embedded object": counted_noop(
        "{number} embedded object was not read ({place})",
        "{number} embedded objects were not read (the first {place})",
    ),
    "inserted file": counted_noop(
        "{number} inserted file was not read ({place})",
        "{number} inserted files were not read (the first {place})",
    ),
    "sign": counted_noop(
        "{number} sign has no letter in its font and was not read ({place})",
        "{number} signs have no letter in their fonts and were not read (the first {place})",
    ),
    "hidden slide": counted_noop(
        "{number} hidden slide was not read ({place})",
        "{number} hidden slides were not read (the first {place})",
    ),
}


@dataclass
class Unread:
    """Counts what of a file could not be read, and where the first of each kind stands."""

    _counts: Counter[str] = field(default_factory=Counter)
    _places: dict[str, str] = field(default_factory=dict)

    def add(self, kind: str, place: str) -> None:
        """Count one: `kind` is the word for it ("chart"), `place` where it stands ("slide 3")."""
        self._counts[kind] += 1
        self._places.setdefault(kind, place)

    def remarks(self) -> tuple[str, ...]:
        """Return a sentence for each kind."""
        return tuple(
            counted(*_UNREAD[kind], count, place=self._places[kind])
            for kind, count in self._counts.items()
        )
