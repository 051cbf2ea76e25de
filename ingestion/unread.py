"""What of a file could not be read, counted for whoever ingests it."""

from collections import Counter
from dataclasses import dataclass, field


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
            f"{count} {kind}{' was' if count == 1 else 's were'} not read "
            f"({'' if count == 1 else 'the first '}{self._places[kind]})"
            for kind, count in self._counts.items()
        )
