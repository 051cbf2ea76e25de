"""Rated turns that are asked again with every change: the regression set."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.review.gold_lines import NoGold, gold_line
from chatbot.review.ratings import Ratings, Review, UnknownTurn, review_of
from corpora.database.engine import Database
from corpora.database.history_tables import ConversationRow, ReviewRow, TurnRow


@dataclass(frozen=True)
class Exported:
    """The set as gold questions; `left_out` are turns that are none any more, with the reason."""

    questions: tuple[dict[str, Any], ...]
    left_out: tuple[tuple[int, str], ...]

    def as_jsonl(self) -> str:
        """One question a line, as `strata eval answers` reads them.

        Only ASCII: what reads lines takes some characters of other scripts for the end of one.
        """
        return "".join(f"{json.dumps(question)}\n" for question in self.questions)


@dataclass(frozen=True)
class RegressionSet:
    """Which rated turns are in the set, and the set as a file."""

    database: Database

    def add(self, person: Person, turn: int) -> Review:
        """Put a rated turn into the set. Raises UnknownTurn, and NoGold if it cannot be checked."""
        person.require_admin()
        with self.database.reading() as session:
            _question(session, turn)
        return Ratings(self.database).change(person, turn, in_regression_set=True)

    def remove(self, person: Person, turn: int) -> Review:
        """Take a turn from the set; its rating stays."""
        return Ratings(self.database).change(person, turn, in_regression_set=False)

    def size(self, person: Person) -> int:
        """How many turns are in the set."""
        person.require_admin()
        with self.database.reading() as session:
            kept = select(func.count()).select_from(ReviewRow).where(ReviewRow.in_regression_set)
            return session.scalar(kept) or 0

    def export(self, person: Person) -> Exported:
        """The whole set, the turns in the order of asking; recorded in the audit log."""
        person.require_admin()
        questions, left_out = [], []
        with self.database.reading() as session:
            kept = select(ReviewRow.turn_id).where(ReviewRow.in_regression_set)
            for turn in session.scalars(kept.order_by(ReviewRow.turn_id)):
                try:
                    questions.append(_question(session, turn))
                except NoGold as reason:
                    left_out.append((turn, str(reason)))
        AuditLog(self.database).record(
            person, "export", "regression set", questions=len(questions), left_out=len(left_out)
        )
        return Exported(tuple(questions), tuple(left_out))


def _question(session: Session, turn: int) -> dict[str, Any]:
    row = session.get(TurnRow, turn)
    if row is None:
        raise UnknownTurn(f"There is no answer {turn}; its conversation may have been deleted.")
    return gold_line(
        turn,
        row.question,
        row.answer,
        review_of(session.get(ReviewRow, turn)),
        product=session.get_one(ConversationRow, row.conversation_id).product,
        history=_before(session, row),
    )


def _before(session: Session, turn: TurnRow) -> list[tuple[str, str]]:
    """What had been said in the conversation when the question was asked.

    Only the last question of a conversation is asked anew: whatever was superseded before this
    turn came is no part of it, and nothing else was superseded later.
    """
    rows = session.scalars(
        select(TurnRow)
        .where(
            TurnRow.conversation_id == turn.conversation_id,
            TurnRow.position < turn.position,
            ~TurnRow.superseded,
        )
        .order_by(TurnRow.position)
    )
    return [(row.question, row.answer["answer"]) for row in rows]
