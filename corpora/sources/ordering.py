"""Runs of sources are ordered: by a person, by a schedule, by a webhook."""

import hmac
from datetime import UTC, datetime
from secrets import token_urlsafe

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.source_tables import SourceRow
from corpora.jobs.jobs import JobKind, Jobs, JobState
from corpora.sources.schedules import next_run


def open_run(session: Session, source: int) -> int | None:
    """The job of a run of a source that waits or goes on; None without one."""
    is_open = JobRow.state.in_((JobState.WAITING, JobState.RUNNING))
    query = select(JobRow.id).where(JobRow.source_id == source, is_open)
    return session.scalar(query.order_by(JobRow.id.desc()).limit(1))


def order_run(database: Database, session: Session, source: SourceRow, person: str) -> int:
    """Order a run and return its job: the one that waits, if there is one."""
    is_waiting = JobRow.source_id == source.id, JobRow.state == JobState.WAITING
    if (waiting := session.scalar(select(JobRow.id).where(*is_waiting).limit(1))) is not None:
        return waiting
    return Jobs(database).add(
        JobKind.SYNC, source.product, "", person, source=source.id, session=session
    )


def order_due(database: Database, now: datetime) -> list[int]:
    """Order what is due by its schedule; runs that were missed are made up for by one."""
    with database.reading() as session:
        due = session.scalars(select(SourceRow.id).where(SourceRow.next_run <= now)).all()
    ordered = []
    for source in due:
        with database.writing() as session:
            row = session.get(SourceRow, source)
            # Another worker may have been first.
            if row is None or row.next_run is None or row.next_run.replace(tzinfo=UTC) > now:
                continue
            row.next_run = next_run(row.schedule, now)
            ordered.append(order_run(database, session, row, row.person))
    return ordered


def order_by_hook(
    database: Database, source: int, body: bytes, given: str, *, signed: bool
) -> bool:
    """Order a run for whoever knows the secret of a source; return whether they do.

    `given` is the secret, or where the body is `signed` with it "sha256=" and its HMAC. Nothing is
    written, and nobody waits, for whoever does not know it.
    """
    with database.reading() as session:
        row = session.get(SourceRow, source)
        secret = row.hook_secret if row and row.hook_secret else token_urlsafe(32)
        wanted = secret
        if signed:
            wanted = f"sha256={hmac.new(secret.encode(), body, 'sha256').hexdigest()}"
        knows = hmac.compare_digest(wanted.encode(), given.encode(errors="replace"))
        if row is None or not row.hook_secret or not knows:
            return False
    with database.writing() as session:
        row = session.get(SourceRow, source)
        # It may have been withdrawn meanwhile.
        if row is None or row.hook_secret != secret:
            return False
        order_run(database, session, row, row.person)
        return True
