"""What the audit log says, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from chatbot.accounts.audit import AuditEntry
from ui.wording.amounts import how_large, how_many

_ACTIONS = {
    "alias": "Changed other names",
    "order": "Changed sort order",
    "pre-release": "Changed pre-release setting",
    "end of life": "Changed end of support",
    "hide": "Changed visibility",
    "latest": "Changed latest release",
    "rollback": "Switched version",
    "upload": "Uploaded files",
    "read again": "Started reprocessing",
    "remove documents": "Removed documents",
    "delete": "Started deletion",
    "cancel job": "Cancelled job",
    "retry job": "Retried job",
    "add term": "Added term",
    "change term": "Changed term",
    "remove term": "Removed term",
    "import glossary": "Imported glossary",
    "export": "Exported data",
    "rate": "Reviewed answer",
    "edit answer": "Edited saved answer",
    "promote answer": "Curated saved answer",
    "retire answer": "Deleted saved answer",
    "import answers": "Imported answers",
    "rebuild memory": "Rebuilt memory",
    "make key": "Made a key for a program",
    "revoke key": "Revoked a key",
    "export person": "Exported user data",
    "delete person": "Deleted user data",
}
_TEXTS = {"corrected_answer": "corrected answer", "note": "note", "reason": "reason"}
_COUNTED = {
    "files": "file",
    "conversations": "conversation",
    "questions": "question",
    "characters": "character",
    "citations": "citation",
    "pairs": "saved answer",
}
_NAMED = {
    "rating": ("rated {}", "rating removed"),
    "status": ("marked as {}", ""),
    "assignee": ("assigned to {}", "no longer assigned"),
    "corrected_release": ("correct release: {}", "correct release removed"),
    "job": ("job {}", ""),
    "pair": ("saved answer {}", ""),
    "key": ("key {}", ""),
    "size": ("{}", ""),
}
"""What is said of a value, and where it is empty."""


def action_told(action: str) -> str:
    """What was done, as a heading; an action of an unknown kind by its own name."""
    return _ACTIONS.get(action, action.capitalize())


def subject_told(entry: AuditEntry) -> str:
    """What it was done to; a turn is called an answer, as everywhere on the pages."""
    return entry.subject.replace("turn ", "answer ", 1) if entry.action == "rate" else entry.subject


def details_told(entry: AuditEntry) -> str:
    """The details of an entry as plain text; empty where there is nothing to add."""
    return " · ".join(filter(None, _parts(entry.details)))


def _parts(details: Mapping[str, Any]) -> Iterator[str]:
    left = dict(details)
    if {"before", "now"} <= left.keys():
        yield f"from {_shown(left.pop('before'))} to {_shown(left.pop('now'))}"
    elif {"before", "generation"} <= left.keys():
        yield f"from version {_shown(left.pop('before'))} to {_shown(left.pop('generation'))}"
    elif "before" in left:
        yield f"before: {_shown(left.pop('before'))}"
    for name, value in left.items():
        yield _told(name, value)


def _told(name: str, value: Any) -> str:
    if name == "in_regression_set":
        return "added to the regression set" if value else "removed from the regression set"
    if name in _TEXTS and isinstance(value, int):
        # Of a text the log keeps only the length.
        what = _TEXTS[name]
        return f"{what} written ({how_many(value, 'character')})" if value else f"{what} removed"
    if name in ("suspended", "restored"):
        use = "suspended" if name == "suspended" else "in use again"
        return f"{how_many(value, 'saved answer')} {use}" if value else ""
    if name in _NAMED:
        told, empty = _NAMED[name]
        shown = how_large(value) if name == "size" else value
        return told.format(shown) if value else empty
    if name in _COUNTED and isinstance(value, int):
        return how_many(value, _COUNTED[name])
    return f"{name.replace('_', ' ')}: {_shown(value)}"


def _shown(value: Any) -> str:
    if value is None or value == "" or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
