"""Requests to language models as rows, from which every process counts the same."""

import logging
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import insert
from sqlalchemy.exc import SQLAlchemyError

from chatbot.runtime.model_calls import Attempt
from corpora.database.engine import Database
from corpora.database.history_tables import ServerCallRow
from corpora.errors import UnusableDatabase

_log = logging.getLogger(__name__)


def keep_attempts(database: Database, attempts: Sequence[Attempt]) -> None:
    """Keep attempts; one that cannot be kept costs its count, and no answer."""
    if not attempts:
        return
    try:
        with database.writing() as session:
            session.execute(insert(ServerCallRow), [asdict(attempt) for attempt in attempts])
    except (SQLAlchemyError, UnusableDatabase):
        _log.exception("requests to language models could not be counted")
