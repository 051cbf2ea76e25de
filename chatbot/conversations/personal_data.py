"""What Strata keeps of a person: handed out as JSON, or deleted; conversations that grew old."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select
from sqlalchemy.orm import Session, joinedload

from chatbot.conversations.conversations import forget_turns_of
from chatbot.conversations.export import conversation_told
from chatbot.settings import Settings
from corpora.database.engine import Database, delete_in_portions
from corpora.database.history_tables import (
    ConversationRow,
    OpenQuestionRow,
    PersonRow,
    ProgramKeyRow,
    TurnRow,
    UseRow,
)
from ingestion.errors import StrataError

AT_ONCE = 100
"""Conversations deleted in one transaction; others write between them."""


class UnknownPerson(StrataError, LookupError):
    """Nothing is kept of a person with this id."""


def people(database: Database) -> tuple[tuple[str, int], ...]:
    """Return whose conversations there are, and how many, by id."""
    counted = select(ConversationRow.owner, func.count()).group_by(ConversationRow.owner)
    with database.reading() as session:
        found = dict(session.execute(counted).all())
        found = dict.fromkeys(session.scalars(select(PersonRow.id)), 0) | found
    return tuple(sorted(found.items()))


def fingerprint(owner: str) -> str:
    """Return what stands for a person where their name must not: it can be compared, not read."""
    return f"person {sha256(owner.encode()).hexdigest()[:16]}"


def export_person(database: Database, owner: str) -> dict[str, Any]:
    """Return all that a person asked and said, with the answers, to be written as JSON.

    Raises UnknownPerson.
    """
    with database.reading() as session:
        _require_known(session, owner)
        own = select(ConversationRow).where(ConversationRow.owner == owner)
        keys = session.scalars(select(ProgramKeyRow).where(ProgramKeyRow.owner == owner))
        subjects = session.scalars(select(PersonRow.subject).where(PersonRow.id == owner))
        return {
            "person": owner,
            "exported": datetime.now(UTC).isoformat(),
            "signed_in_as": list(subjects),
            "keys": [
                {"name": key.name, "scopes": key.scopes, "created": key.created.isoformat()}
                for key in keys
            ],
            "conversations": [
                _conversation(session, row)
                for row in session.scalars(own.order_by(ConversationRow.created))
            ],
        }


def delete_person(database: Database, owner: str) -> int:
    """Delete a person's conversations and all that hangs on them; return how many there were.

    With them go turns, traces, the words that search finds, feedback, reviews, and what the memory
    made of them; then their keys, and who the person is to the provider. What they did as an admin
    stays in the audit log. Raises UnknownPerson.
    """
    with database.reading() as session:
        _require_known(session, owner)
    deleted = _delete_conversations(database, ConversationRow.owner == owner)
    with database.writing() as session:
        session.execute(delete(UseRow).where(UseRow.owner == owner))
        session.execute(delete(ProgramKeyRow).where(ProgramKeyRow.owner == owner))
        session.execute(delete(PersonRow).where(PersonRow.id == owner))
    return deleted


def sweep(database: Database, settings: Settings, now: datetime | None = None) -> int:
    """Delete the conversations nobody has talked in for `keep_conversations` days; return how many.

    With them goes all that hangs on them. Zero days keeps them for good.
    """
    if not settings.keep_conversations:
        return 0
    limit = (now or datetime.now(UTC)) - timedelta(days=settings.keep_conversations)
    return _delete_conversations(database, ConversationRow.updated < limit)


def _delete_conversations(database: Database, chosen: ColumnElement[bool]) -> int:
    return delete_in_portions(
        database, ConversationRow.id, chosen, at_once=AT_ONCE, before=forget_turns_of
    )


def _require_known(session: Session, owner: str) -> None:
    kept = select(ConversationRow.owner).where(ConversationRow.owner == owner).limit(1)
    signed_in = select(PersonRow.id).where(PersonRow.id == owner)
    key = select(ProgramKeyRow.id).where(ProgramKeyRow.owner == owner).limit(1)
    if all(session.scalar(known) is None for known in (kept, signed_in, key)):
        raise UnknownPerson(f"Nothing is kept of {owner!r}: `strata people list` names all.")


def _conversation(session: Session, row: ConversationRow) -> dict[str, Any]:
    """A conversation with all of its turns, those too that were asked anew since."""
    every = select(TurnRow).where(TurnRow.conversation_id == row.id).order_by(TurnRow.position)
    turns = session.scalars(every.options(joinedload(TurnRow.feedback)))
    left = select(OpenQuestionRow.text).where(OpenQuestionRow.conversation_id == row.id)
    told = conversation_told(row, turns)
    return told | {"questions_without_answer": list(session.scalars(left))}
