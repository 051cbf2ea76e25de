"""Exports for admins: rows as CSV or JSONL, yielded in pieces and recorded in the audit log."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import joinedload

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.reply import Reply
from chatbot.review.ratings import review_of
from chatbot.review.turns import ANY, TurnFilter, conditions
from corpora.catalog.spreadsheet import as_text
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from ingestion.messages import message, message_noop
from prompts.fencing import visible

_AT_ONCE = 200
_OF_TURN = ("product", "release", "route", "abstained", "superseded", "question")
_OF_REVIEW = ("rating", "corrected_answer", "corrected_release", "note", "status", "assignee")


class Format(StrEnum):
    """The format of an export."""

    CSV = "csv"
    JSONL = "jsonl"


EXPORTED = (
    *(message_noop("turns"), message_noop("remembered answers"), message_noop("instruction set")),
    *(message_noop("questions"), message_noop("audit log"), message_noop("numbers")),
    *(message_noop("release gaps"), message_noop("content gaps"), message_noop("evaluation")),
)
"""What is exported, as the audit log has it."""


@dataclass(frozen=True)
class Exports:
    """Writes exports; raises NotAllowed unless an admin asks."""

    database: Database

    def of(
        self, person: Person, what: str, rows: Iterable[Mapping[str, Any]], form: Format, **of: Any
    ) -> Iterator[str]:
        """Record the export and return its text in pieces; `of` are the filters it was made by."""
        person.require_admin(self.database)
        restricted = {key: str(value) for key, value in of.items() if value not in (None, "")}
        AuditLog(self.database).record(
            person, "export", message(what), format=str(form), **restricted
        )
        return csv_lines(rows) if form is Format.CSV else jsonl_lines(rows)

    def turns(self, person: Person, form: Format, wanted: TurnFilter = ANY) -> Iterator[str]:
        """Export the turns of all people that a filter wants, the oldest first."""
        person.require_admin(self.database)
        return self.of(person, "turns", self._turns(wanted), form, **asdict(wanted))

    def _turns(self, wanted: TurnFilter) -> Iterator[dict[str, Any]]:
        with self.database.reading() as session:
            rows = (
                select(TurnRow)
                .where(*conditions(session, wanted))
                .options(joinedload(TurnRow.feedback), joinedload(TurnRow.review))
                .order_by(TurnRow.created, TurnRow.id)
                .execution_options(yield_per=_AT_ONCE)
            )
            yield from map(_turn, session.scalars(rows))


def csv_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Rows as CSV with the names of the first one; lists and objects are JSON within their cell.

    Text that a spreadsheet would calculate gets an apostrophe before it.
    """
    written = io.StringIO()
    writer = csv.writer(written, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    names: list[str] | None = None
    for row in rows:
        if names is None:
            names = list(row)
            writer.writerow(names)
        writer.writerow([_cell(row[name]) for name in names])
        yield written.getvalue()
        written.seek(0)
        written.truncate()


def jsonl_lines(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Rows as one JSON object a line, without control characters."""
    for row in rows:
        yield json.dumps(_plain(row), ensure_ascii=False) + "\n"


def _turn(turn: TurnRow) -> dict[str, Any]:
    """The columns of a turn; feedback and review are empty where there is none."""
    reply, feedback, review = Reply.model_validate(turn.answer), turn.feedback, review_of(turn)
    return {
        "turn": turn.id,
        "conversation": turn.conversation_id,
        "person": turn.owner,
        "asked": turn.created,
        **{name: getattr(turn, name) for name in _OF_TURN},
        "answer": reply.answer,
        "compared_releases": reply.compared_releases,
        "release_status": reply.release_status,
        "citations": [
            {key: getattr(cited, key) for key in ("release", "file", "page", "section", "quote")}
            for cited in reply.citations
        ],
        "found_in": reply.found_in,
        "thumbs": feedback.thumbs if feedback else None,
        "reason": feedback.reason if feedback else "",
        "comment": feedback.comment if feedback else "",
        **{name: getattr(review, name) for name in _OF_REVIEW},
        **{name: getattr(turn, name) for name in ("profile", "model", "model_calls", "seconds")},
        "timings": reply.timings,
    }


def _cell(value: Any) -> Any:
    """A value for a cell: text that cannot be calculated, numbers as they are."""
    plain = _plain(value)
    match plain:
        case None:
            return ""
        case bool():
            return str(plain).lower()
        case dict() | list():
            return json.dumps(plain, ensure_ascii=False)
        case str():
            return as_text(plain)
    return plain


def _plain(value: Any) -> Any:
    """A value for JSON, without invisible characters."""
    match value:
        case str():
            return visible(value).replace("\r", "\n")
        case datetime():
            return value.isoformat(timespec="seconds")
        case Mapping():
            return {_plain(key): _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
    return value
