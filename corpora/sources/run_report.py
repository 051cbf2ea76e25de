"""What a run of a source did, release by release, and in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ingestion.listing import passed_over


@dataclass
class ReleaseRun:
    """What a run did with a release: `outcome` is published, waits, unchanged, failed or gone.

    `before` is the revision that was taken last, empty where there was none. `added`, `changed` and
    `removed` count files, `names` name some of them. `skipped` counts, by suffix, what is no
    documentation.
    """

    release: str
    outcome: str
    revision: str = ""
    before: str = ""
    message: str = ""
    added: int = 0
    changed: int = 0
    removed: int = 0
    names: dict[str, list[str]] = field(default_factory=dict)
    skipped: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


@dataclass
class SourceRun:
    """What a run of a source did with each release, and what was left out."""

    releases: list[ReleaseRun] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    @property
    def outcome(self) -> str:
        """The run in a word: changed, unchanged, partly (some releases failed) or failed."""
        outcomes = {release.outcome for release in self.releases}
        if "failed" in outcomes:
            return "partly" if outcomes - {"failed", "gone"} else "failed"
        return "changed" if outcomes & {"published", "waits"} else "unchanged"

    @property
    def message(self) -> str:
        """The run in sentences."""
        named = {
            outcome: [r.release for r in self.releases if r.outcome == outcome]
            for outcome in ("published", "waits", "unchanged", "failed", "gone")
        }
        parts = []
        if named["published"]:
            parts.append(f"New: {', '.join(named['published'])}.")
        if named["waits"]:
            parts.append(f"Waits to be published: {', '.join(named['waits'])}.")
        if named["unchanged"]:
            parts.append(f"{len(named['unchanged']):,} unchanged.")
        for outcome, told in (("failed", "failed:"), ("gone", "is")):
            of = [r for r in self.releases if r.outcome == outcome]
            parts += [f"{r.release} {told} {r.message}" for r in of]
        parts += [
            f"{r.release} was moved at its source from {r.before[:12]} to {r.revision[:12]}."
            for r in self.releases
            if r.outcome == "published" and r.before and r.revision not in ("", r.before)
        ]
        skipped = sum((Counter(release.skipped) for release in self.releases), Counter[str]())
        if missed := passed_over(skipped):
            parts.append(missed)
        return " ".join(parts) or "No release was found."
