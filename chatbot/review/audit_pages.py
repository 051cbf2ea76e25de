"""The audit log as admins read it: page by page, by action and by person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow

EXPORTED_AT_ONCE = 1_000
_COLUMNS = ("id", "at", "person", "action", "subject", "details")


@dataclass(frozen=True)
class AuditPages:
    """Reads the audit log; admins only, who else asks gets NotAllowed.

    `chosen` are the `action` and the `person` that entries are restricted to.
    """

    database: Database

    def page(
        self, reader: Person, *, before: int | None = None, size: int = 50, **chosen: str | None
    ) -> tuple[tuple[AuditRow, ...], int | None]:
        """The newest entries, or those older than the one `before`, and the `before` of the next.

        None where there are no older ones.
        """
        reader.require_admin()
        found = AuditLog(self.database).entries(before=before, limit=size + 1, **chosen)
        return found[:size], found[size - 1].id if len(found) > size else None

    def choices(self, reader: Person) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The actions that were done, and the people who did them."""
        reader.require_admin()
        with self.database.reading() as session:
            actions, people = (
                tuple(session.scalars(select(column).distinct().order_by(column)))
                for column in (AuditRow.action, AuditRow.person)
            )
        return actions, people

    def rows(self, reader: Person, **chosen: str | None) -> Iterator[dict[str, Any]]:
        """Every entry, the newest first, for an export."""
        before: int | None = None
        while True:
            found, before = self.page(reader, before=before, size=EXPORTED_AT_ONCE, **chosen)
            for entry in found:
                yield {name: getattr(entry, name) for name in _COLUMNS}
            if before is None:
                return
