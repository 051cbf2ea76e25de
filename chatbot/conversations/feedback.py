"""Feedback on an answer by the person who asked: a thumb, a reason, a comment."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import require_short
from chatbot.errors import BadInput, UnknownConversation
from chatbot.text.languages import gettext, gettext_noop
from corpora.database.engine import Database
from corpora.database.history_tables import FeedbackRow, TurnRow
from prompts.fencing import visible

UP, DOWN = 1, -1
_IN_WORDS = {
    "wrong release": gettext_noop("This is from the wrong release"),
    "wrong answer": gettext_noop("Wrong answer"),
    "incomplete": gettext_noop("Incomplete"),
    "not helpful": gettext_noop("Not helpful"),
    "other": gettext_noop("Other"),
}
REASONS = tuple(_IN_WORDS)
"""The reasons that go with thumbs down."""
LONGEST_COMMENT = 2_000


def reason_name(reason: str) -> str:
    """A reason for people."""
    return gettext(_IN_WORDS[reason])


@dataclass(frozen=True)
class Feedback:
    """The opinions of `owner` on the answers in their own conversations, by the turn's id.

    A turn of another person raises UnknownConversation, like one that does not exist. `changed` is
    called with each turn whose feedback changed.
    """

    database: Database
    owner: str = ""
    changed: Callable[[int], None] = lambda turn: None

    def give(self, turn: int, thumbs: int, reason: str = "", comment: str = "") -> None:
        """Store an opinion in place of the one before; raises BadInput for a wrong one."""
        comment = visible(comment).strip()
        if thumbs not in (UP, DOWN):
            raise BadInput(
                "thumbs are {up} or {down}, not {thumbs}", up=UP, down=DOWN, thumbs=thumbs
            )
        if reason not in ("", *REASONS):
            raise BadInput(
                "no reason {reason!r}: choose one of {reasons}",
                reason=reason,
                reasons=", ".join(REASONS),
            )
        if thumbs == UP and reason:
            raise BadInput("a reason says what is wrong: it goes with thumbs down")
        require_short("comment", comment, LONGEST_COMMENT)
        opinion = {"thumbs": thumbs, "reason": reason, "comment": comment}
        with self.database.writing() as session:
            self._require_own(session, turn)
            session.merge(FeedbackRow(turn_id=turn, created=datetime.now(UTC), **opinion))
        self.changed(turn)

    def withdraw(self, turn: int) -> None:
        """Delete the opinion on an answer, if there is one."""
        with self.database.writing() as session:
            self._require_own(session, turn)
            session.execute(delete(FeedbackRow).where(FeedbackRow.turn_id == turn))
        self.changed(turn)

    def of(self, turns: Collection[int]) -> dict[int, FeedbackRow]:
        """The opinions on these answers; answers without one, and others' answers, are left out."""
        query = select(FeedbackRow).join(TurnRow, TurnRow.id == FeedbackRow.turn_id)
        own = query.where(FeedbackRow.turn_id.in_(turns), TurnRow.owner == self.owner)
        with self.database.reading() as session:
            return {row.turn_id: row for row in session.scalars(own)}

    def _require_own(self, session: Session, turn: int) -> None:
        if session.scalar(select(TurnRow.owner).where(TurnRow.id == turn)) != self.owner:
            raise UnknownConversation("There is no answer {turn} in your conversations.", turn=turn)
