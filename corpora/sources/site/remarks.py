"""What is told about pages that were not taken: each reason once, with how many and an example."""

from __future__ import annotations

import httpx


class LeftOut:
    """Counts the pages that were left out, by reason."""

    def __init__(self) -> None:
        self._reasons: dict[str, tuple[int, str]] = {}

    def add(self, reason: str, url: httpx.URL) -> None:
        """Count a page."""
        count, example = self._reasons.get(reason, (0, str(url)))
        self._reasons[reason] = (count + 1, example)

    def sentences(self, release: str) -> list[str]:
        """One sentence a reason."""
        return [
            f"{release}: {count:,} {'page was' if count == 1 else 'pages were'} left out, because "
            f"{reason}; {'it is' if count == 1 else 'one is'} {example}."
            for reason, (count, example) in self._reasons.items()
        ]
