"""The personal data of people: exported as JSON or deleted, also when conversations grow old."""

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ColumnElement, delete, func, select, update
from sqlalchemy.orm import Session, joinedload

from chatbot.accounts.program_keys import keys_of
from chatbot.conversations.conversations import conversations_seen, forget_turns_of
from chatbot.conversations.export import conversation_as_json
from chatbot.errors import UnknownPerson
from chatbot.settings import Settings
from corpora.database.engine import Database, delete_in_portions
from corpora.database.history_tables import (
    ConversationRow,
    OpenQuestionRow,
    PersonRow,
    PreferenceRow,
    ProgramKeyRow,
    TurnRow,
    UseRow,
)
from corpora.database.question_tables import ProposalRow
from corpora.database.right_tables import MembershipRow

_SIGNED_IN = PersonRow.id, MembershipRow.person, PreferenceRow.owner
"""Where somebody is kept who has only signed in."""
AT_ONCE = 100
"""Conversations deleted in one transaction, so that others can write in between."""


def people(database: Database) -> tuple[tuple[str, int], ...]:
    """Return the ids of all people, and how many conversations each has."""
    counted = select(ConversationRow.owner, func.count()).group_by(ConversationRow.owner)
    with database.reading() as session:
        counts = dict(session.execute(counted).all())
        others = (owner for column in _SIGNED_IN for owner in session.scalars(select(column)))
        counts = dict.fromkeys(others, 0) | counts
    return tuple(sorted(counts.items()))


def fingerprint(owner: str) -> str:
    """Return a hash that stands for a person where their name must not be written."""
    return f"person {sha256(owner.encode()).hexdigest()[:16]}"


def export_person(database: Database, owner: str) -> dict[str, Any]:
    """Return all that a person asked and said, with the answers. Raises UnknownPerson."""
    with database.reading() as session:
        _require_known(session, owner)
        own = conversations_seen(owner)
        keys = session.scalars(select(ProgramKeyRow).where(ProgramKeyRow.owner == owner))
        subjects = session.scalars(select(PersonRow.subject).where(PersonRow.id == owner))
        known = session.get(MembershipRow, owner)
        return {
            "person": owner,
            "exported": datetime.now(UTC).isoformat(),
            "signed_in_as": list(subjects),
            "groups": known.groups if known else [],
            "language": session.scalar(
                select(PreferenceRow.language).where(PreferenceRow.owner == owner)
            ),
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
    """Delete a person's conversations and all that belongs to them; return how many there were.

    With them go traces, the search index, feedback, reviews, remembered answers, the person's keys
    and their sign-in. What they did as an admin stays in the audit log; their name leaves the
    questions that they decided on. Raises UnknownPerson.
    """
    with database.reading() as session:
        _require_known(session, owner)
    deleted = _delete_conversations(database, ConversationRow.owner == owner)
    with database.writing() as session:
        session.execute(delete(UseRow).where(UseRow.owner.in_((owner, keys_of(owner)))))
        session.execute(delete(ProgramKeyRow).where(ProgramKeyRow.owner == owner))
        decided = update(ProposalRow).where(ProposalRow.decided_by == owner)
        session.execute(decided.values(decided_by=""))
        session.execute(delete(PreferenceRow).where(PreferenceRow.owner == owner))
        session.execute(delete(PersonRow).where(PersonRow.id == owner))
        session.execute(delete(MembershipRow).where(MembershipRow.person == owner))
    return deleted


def sweep(database: Database, settings: Settings, now: datetime | None = None) -> int:
    """Delete conversations without a turn for `keep_conversations` days (0: none); how many."""
    if not settings.keep_conversations:
        return 0
    limit = (now or datetime.now(UTC)) - timedelta(days=settings.keep_conversations)
    return _delete_conversations(database, ConversationRow.updated < limit)


def _delete_conversations(database: Database, chosen: ColumnElement[bool]) -> int:
    return delete_in_portions(
        database, ConversationRow.id, chosen, at_once=AT_ONCE, before=forget_turns_of
    )


def _require_known(session: Session, owner: str) -> None:
    columns = (ConversationRow.owner, ProgramKeyRow.owner, *_SIGNED_IN)
    known = (select(column).where(column == owner).limit(1) for column in columns)
    if all(session.scalar(query) is None for query in known):
        raise UnknownPerson(
            "Nothing is kept of {owner!r}: `strata people list` names all.", owner=owner
        )


def _conversation(session: Session, row: ConversationRow) -> dict[str, Any]:
    """A conversation with all of its turns, those too that were asked anew since."""
    every = select(TurnRow).where(TurnRow.conversation_id == row.id).order_by(TurnRow.position)
    turns = session.scalars(every.options(joinedload(TurnRow.feedback)))
    left = select(OpenQuestionRow.text).where(OpenQuestionRow.conversation_id == row.id)
    exported = conversation_as_json(row, turns)
    return exported | {"questions_without_answer": list(session.scalars(left))}
