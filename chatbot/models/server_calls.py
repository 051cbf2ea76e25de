"""Requests to models as rows, from which every process counts the same."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from chatbot.runtime.model_calls import Attempt
from corpora.database.engine import Database
from corpora.database.history_tables import ServerCallRow
from corpora.errors import UnusableDatabase

KEPT_SINGLY = timedelta(days=366)
"""How long each request is kept by itself: the longest period of Numbers that ends."""
_AT_ONCE = 1_000

_log = logging.getLogger(__name__)


def keep_attempts(database: Database, attempts: Sequence[Attempt]) -> None:
    """Keep attempts; one that cannot be kept costs its count, and no answer."""
    if not attempts:
        return
    try:
        with database.writing() as session:
            session.execute(insert(ServerCallRow), [asdict(attempt) for attempt in attempts])
    except (SQLAlchemyError, UnusableDatabase):
        _log.exception("requests to models could not be counted")


def add_up_old_calls(database: Database, now: datetime | None = None) -> None:
    """Add up what was asked longer ago than KEPT_SINGLY, by server, model and error.

    What is counted, over all time and for Prometheus, stays the same, and of old rows there are
    never more than a portion; their single times are gone.
    """
    row = ServerCallRow
    old = select(row).where(row.at < (now or datetime.now(UTC)) - KEPT_SINGLY).order_by(row.at)
    while True:
        with database.reading() as session:
            if session.scalar(old.with_only_columns(row.id).offset(_AT_ONCE - 1).limit(1)) is None:
                return
        with database.writing() as session:
            rows = session.scalars(old.limit(_AT_ONCE)).all()
            alike: dict[tuple[str, str, str], list[ServerCallRow]] = defaultdict(list)
            for one in rows:
                alike[one.server, one.model, one.error].append(one)
            if len(alike) > _AT_ONCE // 2:
                return
            session.execute(delete(row).where(row.id.in_([one.id for one in rows])))
            for (server, model, error), some in alike.items():
                session.add(
                    ServerCallRow(
                        at=some[-1].at,
                        server=server,
                        model=model,
                        error=error,
                        calls=sum(one.calls for one in some),
                        seconds=sum(one.seconds for one in some),
                        first_token=None,
                        prompt_tokens=sum(one.prompt_tokens for one in some),
                        completion_tokens=sum(one.completion_tokens for one in some),
                    )
                )
