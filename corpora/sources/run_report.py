"""What a run of a source did, release by release, and in words."""

from collections import Counter
from dataclasses import dataclass, field

from ingestion.listing import passed_over
from ingestion.messages import counted, message, message_noop, sentences


def of_release(release: str, remark: str) -> str:
    """A remark with the release that it is about."""
    return message("{release}: {remark}", release=release, remark=remark)


@dataclass
class ReleaseRun:
    """What a run did with a release: `outcome` is published, waits, unchanged, failed or gone.

    `before` is the revision that was taken last, empty where there was none; `moved`: it was to
    stay, and is another one; `withdrawn`: it is gone as a whole, and by this run what the source
    brought serves no longer; `back`: it was hidden so, and is shown again. `added`, `changed` and
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
    moved: bool = False
    withdrawn: bool = False
    back: bool = False
    skipped: dict[str, int] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


@dataclass
class SourceRun:
    """What a run of a source did with each release, what was left out, and who was told."""

    releases: list[ReleaseRun] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    told: str = ""

    @property
    def outcome(self) -> str:
        """The run in a word: changed, unchanged, partly (some releases failed) or failed."""
        outcomes = {release.outcome for release in self.releases}
        if "failed" in outcomes:
            return "partly" if outcomes - {"failed", "gone"} else "failed"
        is_changed = outcomes & {"published", "waits"} or any(
            one.withdrawn or one.back for one in self.releases
        )
        return "changed" if is_changed else "unchanged"

    @property
    def message(self) -> str:
        """The run in sentences."""
        named = {
            outcome: [r.release for r in self.releases if r.outcome == outcome]
            for outcome in ("published", "waits", "unchanged")
        }
        parts: list[str] = []
        if new := named["published"]:
            parts.append(message("New: {releases}.", releases=", ".join(new)))
        if waiting := named["waits"]:
            parts.append(message("Waits to be published: {releases}.", releases=", ".join(waiting)))
        if same := named["unchanged"]:
            parts.append(counted("{number} unchanged.", "{number} unchanged.", len(same)))
        ended = {
            "failed": message_noop("{release} failed: {message}"),
            "gone": message_noop("{release} is {message}"),
        }
        for outcome, text in ended.items():
            of = (r for r in self.releases if r.outcome == outcome)
            parts += [message(text, release=r.release, message=r.message) for r in of]
        parts += [
            message(
                "{release} was moved at its source from {before} to {now}.",
                release=r.release,
                before=r.before[:12],
                now=r.revision[:12],
            )
            for r in self.releases
            if r.moved
        ]
        if back := [r.release for r in self.releases if r.back]:
            releases = ", ".join(back)
            parts.append(
                message("Back at the source and shown again: {releases}.", releases=releases)
            )
        skipped = sum((Counter(release.skipped) for release in self.releases), Counter[str]())
        if missed := passed_over(skipped):
            parts.append(missed)
        return sentences([*(parts or [message("No release was found.")]), self.told])
