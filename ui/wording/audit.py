"""What the audit log says of an entry, as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corpora.database.history_tables import AuditRow
from ui.wording.amounts import how_large

_ONLY_LENGTHS = ("corrected_answer", "note", "reason")
"""Of these texts the log keeps only how many characters they have."""


def details_told(entry: AuditRow) -> str:
    """The details of an entry: "files: 3 · names: a.pdf"; empty where there are none."""
    return " · ".join(
        f"{name.replace('_', ' ')}: {_shown(name, value)}" for name, value in entry.details.items()
    )


def _shown(name: str, value: Any) -> str:
    if value is None or value == "" or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ", ".join(map(str, value))
    if name == "size":
        return how_large(value)
    if name in _ONLY_LENGTHS and isinstance(value, int):
        return f"{value:,} characters"
    return f"{value:,}" if isinstance(value, int) else str(value)
