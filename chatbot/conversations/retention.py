"""Old conversations are deleted where the settings say so."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from chatbot.conversations.personal_data import delete_conversations
from chatbot.settings import Settings
from corpora.database.engine import Database
from corpora.database.history_tables import ConversationRow


def sweep(database: Database, settings: Settings, now: datetime | None = None) -> int:
    """Delete the conversations nobody has talked in for `keep_conversations` days; return how many.

    With them goes all that hangs on them. Zero days keeps them for good.
    """
    if not settings.keep_conversations:
        return 0
    limit = (now or datetime.now(UTC)) - timedelta(days=settings.keep_conversations)
    return delete_conversations(
        database, select(ConversationRow.id).where(ConversationRow.updated < limit)
    )
