"""What admins did, kept for good: rows are added and never changed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.accounts.people import Person
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow


@dataclass(frozen=True)
class AuditLog:
    """Writes and reads the audit log."""

    database: Database

    def record(self, person: Person, action: str, subject: str, **details: Any) -> None:
        """Keep that a person did something: `action` is a verb such as "upload" or "rollback"."""
        with self.database.writing() as session:
            recorded(session, person, action, subject, **details)

    def entries(
        self, *, before: int | None = None, limit: int = 100, **chosen: str | None
    ) -> tuple[AuditRow, ...]:
        """Return entries, the newest first; `before` is the id from which to go on.

        `chosen` are the `action` and the `person` that they are restricted to.
        """
        query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
        query = query.filter_by(**{name: value for name, value in chosen.items() if value})
        if before:
            query = query.where(AuditRow.id < before)
        with self.database.reading() as session:
            return tuple(session.scalars(query))


def recorded(session: Session, person: Person, action: str, subject: str, **details: Any) -> None:
    """Keep it within a transaction, so that what was done and its record are kept together."""
    session.add(
        AuditRow(
            at=datetime.now(UTC),
            person=person.id or person.name,
            action=action,
            subject=subject,
            details=details,
        )
    )
