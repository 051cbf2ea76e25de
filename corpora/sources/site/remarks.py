"""What is told about pages that were not taken: each reason once, with how many and an example."""

import httpx

from corpora.sources.run_report import of_release
from ingestion.messages import counted, counted_noop, message

_MOST_REASONS, _LONGEST_REASON = 200, 200
"""Reasons hold words of the site, which may have as many as it likes."""


PAGES = counted_noop(
    "{number} page was left out, because {reason}; it is {example}.",
    "{number} pages were left out, because {reason}; one is {example}.",
)
PICTURES = counted_noop(
    "{number} picture was left out, because {reason}; it is {example}.",
    "{number} pictures were left out, because {reason}; one is {example}.",
)


class LeftOut:
    """Counts the pages, or what else the sentence is `of`, that were left out, by reason."""

    def __init__(self, of: tuple[str, str] = PAGES) -> None:
        self._of = of
        self._reasons: dict[str, tuple[int, str]] = {}
        self._others = 0

    def add(self, reason: str, url: httpx.URL) -> None:
        """Count a page."""
        reason = reason if len(reason) <= _LONGEST_REASON else reason[:_LONGEST_REASON]
        if reason not in self._reasons and len(self._reasons) >= _MOST_REASONS:
            self._others += 1
            return
        count, example = self._reasons.get(reason, (0, str(url)))
        self._reasons[reason] = (count + 1, example)

    def sentences(self, release: str) -> list[str]:
        """One sentence a reason, and one for all reasons that were too many."""
        return [of_release(release, reason) for reason in self.reasons]

    @property
    def reasons(self) -> list[str]:
        """The same without the name of a release."""
        said: list[str] = [
            counted(*self._of, count, reason=reason, example=example)
            for reason, (count, example) in self._reasons.items()
        ]
        if self._others:
            said.append(
                message("{number:,} more were left out for other reasons.", number=self._others)
            )
        return said
