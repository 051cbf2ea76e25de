"""What is told about pages that were not taken: each reason once, with how many and an example."""

from __future__ import annotations

import httpx

_MOST_REASONS, _LONGEST_REASON = 200, 200
"""Reasons hold words of the site, which may have as many as it likes."""


class LeftOut:
    """Counts the pages, or what else it is `of`, that were left out, by reason."""

    def __init__(self, of: str = "page") -> None:
        self._of = of
        self._reasons: dict[str, tuple[int, str]] = {}
        self._others = 0

    def add(self, reason: str, url: httpx.URL) -> None:
        """Count a page."""
        reason = reason[:_LONGEST_REASON]
        if reason not in self._reasons and len(self._reasons) >= _MOST_REASONS:
            self._others += 1
            return
        count, example = self._reasons.get(reason, (0, str(url)))
        self._reasons[reason] = (count + 1, example)

    def sentences(self, release: str) -> list[str]:
        """One sentence a reason, and one for all reasons that were too many."""
        return [f"{release}: {reason}" for reason in self.reasons]

    @property
    def reasons(self) -> list[str]:
        """The same without the name of a release."""
        said = [
            f"{count:,} {self._of}{' was' if count == 1 else 's were'} left out, because "
            f"{reason}; {'it is' if count == 1 else 'one is'} {example}."
            for reason, (count, example) in self._reasons.items()
        ]
        if self._others:
            said.append(f"{self._others:,} more were left out for other reasons.")
        return said
