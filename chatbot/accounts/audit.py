"""What admins did, kept for good: rows are added and never changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.accounts.people import Person
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow


@dataclass(frozen=True)
class AuditEntry:
    """Who did what to what, and when; `details` are the figures of it."""

    id: int
    at: datetime
    person: str
    action: str
    subject: str
    details: Mapping[str, Any]


@dataclass(frozen=True)
class AuditLog:
    """Writes and reads the audit log."""

    database: Database

    def record(self, person: Person, action: str, subject: str, **details: Any) -> None:
        """Keep that a person did something: `action` is a verb such as "upload" or "rollback"."""
        with self.database.writing() as session:
            recorded(session, person, action, subject, **details)

    def entries(
        self,
        *,
        action: str | None = None,
        person: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[AuditEntry, ...]:
        """Return entries, the newest first; `before` is the id from which to go on."""
        query = select(AuditRow).order_by(AuditRow.id.desc()).limit(limit)
        if action:
            query = query.where(AuditRow.action == action)
        if person:
            query = query.where(AuditRow.person == person)
        if before:
            query = query.where(AuditRow.id < before)
        with self.database.reading() as session:
            return tuple(
                AuditEntry(row.id, row.at, row.person, row.action, row.subject, row.details)
                for row in session.scalars(query)
            )


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
