"""Sources in words: their kinds, when they run, what a run came to."""

from collections.abc import Iterator, Mapping
from typing import Any

from chatbot.text.languages import gettext, gettext_noop
from corpora.sources.run_report import of_release

_KINDS = {"site": gettext_noop("Site"), "folder": gettext_noop("Folder")}
SCHEDULES = {
    "never": gettext_noop("Only when somebody starts it"),
    "hourly": gettext_noop("Every hour"),
    "daily": gettext_noop("Every day at 03:00 UTC"),
}


def kind_name(kind: str) -> str:
    """A kind of source for people; those of packages by their own name."""
    return gettext(_KINDS.get(kind, kind.capitalize()))


def schedule_in_words(schedule: str) -> str:
    """When a source is run by itself."""
    named = SCHEDULES.get(schedule)
    return gettext(named) if named else f"{schedule} (cron, UTC)"


def left_out(report: Mapping[str, Any]) -> list[str]:
    """What a run left out and why, each remark once."""
    of_all = list(report.get("remarks", ()))
    of_releases = [
        of_release(one["release"], remark)
        for one in report.get("releases", ())
        for remark in one.get("remarks", ())
        if remark not in of_all
    ]
    return list(dict.fromkeys([*of_all, *of_releases]))


def changed_files(report: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str], int]]:
    """Release, what became of files, some of them by name, and how many they are."""
    for one in report.get("releases", ()):
        for what in ("added", "changed", "removed"):
            if number := one.get(what, 0):
                yield one["release"], what, one.get("names", {}).get(what, []), number
