"""The audit log of what admins did: rows are added and never changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import Person
from corpora.database.engine import Database
from corpora.database.history_tables import AuditRow


@dataclass(frozen=True)
class AuditLog:
    """Writes the audit log, and reads it for admins."""

    database: Database

    def record(self, person: Person, action: str, subject: str, **details: Any) -> None:
        """Record that a person did something: `action` is a verb such as "upload" or "rollback"."""
        with self.database.writing() as session:
            recorded(session, person, action, subject, **details)

    def page(
        self, reader: Person, *, before: int | None = None, size: int = 50, **chosen: str | None
    ) -> tuple[tuple[AuditRow, ...], int | None]:
        """The newest entries of an `action` and a `person`, or those before an id.

        Beside them is the `before` of the next page, or None. Raises NotAllowed unless an admin
        reads, like `choices` and `rows`.
        """
        query = _newest_first(reader, chosen)
        if before:
            query = query.where(AuditRow.id < before)
        with self.database.reading() as session:
            rows = tuple(session.scalars(query.limit(size + 1)))
        return rows[:size], rows[size - 1].id if len(rows) > size else None

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
        query = _newest_first(reader, chosen).execution_options(yield_per=1000)
        with self.database.reading() as session:
            for row in session.scalars(query):
                yield {
                    column.name: getattr(row, column.name) for column in AuditRow.__table__.columns
                }


def _newest_first(reader: Person, chosen: dict[str, str | None]) -> Select[AuditRow]:
    reader.require_admin()
    given = {name: value for name, value in chosen.items() if value}
    return select(AuditRow).filter_by(**given).order_by(AuditRow.id.desc())


def recorded(session: Session, person: Person, action: str, subject: str, **details: Any) -> None:
    """Record it within a transaction, together with what was done."""
    session.add(
        AuditRow(
            at=datetime.now(UTC),
            person=person.id or person.name,
            action=action,
            subject=subject,
            details=details,
        )
    )
