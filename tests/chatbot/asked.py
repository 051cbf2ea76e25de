"""Turns made by hand, of any person and any time, for tests of what reads them."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import update

from chatbot.accounts.people import LOCAL
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.feedback import Feedback
from chatbot.reply import Reply
from chatbot.review.ratings import Ratings
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def asked(
    database: Database,
    question: str,
    *,
    at: datetime = NOW,
    owner: str = "",
    thumbs: int = 0,
    comment: str = "",
    rating: str = "",
    **reply: Any,
) -> int:
    """Keep a question, answered unless the reply says otherwise, and return its id."""
    conversations = Conversations(database, owner)
    turn = conversations.add(conversations.start("relay", question), question, answer(**reply))
    with database.writing() as session:
        session.execute(update(TurnRow).where(TurnRow.id == turn).values(created=at))
    if thumbs:
        Feedback(database, owner).give(turn, thumbs, comment=comment)
    if rating:
        Ratings(database).change(LOCAL, turn, rating=rating)
    return turn


def answer(**changed: Any) -> Reply:
    """A reply of the product "relay" in release 17.20."""
    fields = {
        "answer": "It is 300.",
        "product": "relay",
        "release": "17.20",
        "release_status": "stated",
        "route": "documents",
        "timings": {"context_retrieval": 0.25, "answer_generation": 0.75},
        "seconds": 1.0,
        "model": "none",
        "model_calls": 0,
        "profile": "embedded",
        **changed,
    }
    return Reply.model_validate(fields)
