"""The audit log as admins read it: page by page, by action and by person."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import InstrumentedAttribute

from chatbot.accounts.audit import AuditEntry, AuditLog
from chatbot.accounts.people import Person
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow

PAGE_SIZE = 50
EXPORTED_AT_ONCE = 1_000


@dataclass(frozen=True)
class AuditPage:
    """Entries, the newest first; `older` says whether there are more behind them."""

    entries: tuple[AuditEntry, ...]
    older: bool


@dataclass(frozen=True)
class AuditPages:
    """Reads the audit log; admins only, who else asks gets NotAllowed."""

    database: Database

    def page(
        self,
        reader: Person,
        *,
        action: str | None = None,
        person: str | None = None,
        before: int | None = None,
        size: int = PAGE_SIZE,
    ) -> AuditPage:
        """The newest entries of an action and a person, or those older than the one `before`."""
        reader.require_admin()
        log = AuditLog(self.database)
        found = log.entries(action=action, person=person, before=before, limit=size + 1)
        return AuditPage(found[:size], len(found) > size)

    def actions(self, reader: Person) -> tuple[str, ...]:
        """What was done at all."""
        return self._distinct(reader, AuditRow.action)

    def people(self, reader: Person) -> tuple[str, ...]:
        """Who did something."""
        return self._distinct(reader, AuditRow.person)

    def rows(
        self, reader: Person, *, action: str | None = None, person: str | None = None
    ) -> Iterator[dict[str, Any]]:
        """Every entry, the newest first, for an export."""
        before = None
        while True:
            size = EXPORTED_AT_ONCE
            found = self.page(reader, action=action, person=person, before=before, size=size)
            yield from map(asdict, found.entries)
            if not found.older:
                return
            before = found.entries[-1].id

    def _distinct(self, reader: Person, column: InstrumentedAttribute[str]) -> tuple[str, ...]:
        reader.require_admin()
        with self.database.reading() as session:
            return tuple(session.scalars(select(column).distinct().order_by(column)))
