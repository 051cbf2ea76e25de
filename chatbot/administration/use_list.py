"""Which turns a pair of the memory came from, answered or helped, for admins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from chatbot.accounts.people import Person
from chatbot.memory.pairs import Role
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryUseRow


@dataclass(frozen=True)
class Use:
    """What a turn has to do with a pair; `superseded` if it was asked anew since."""

    turn: int
    role: Role
    question: str
    asked: datetime
    owner: str
    superseded: bool


@dataclass(frozen=True)
class Uses:
    """Reads the uses of pairs for one admin; raises NotAllowed for whoever is none."""

    database: Database
    person: Person

    def of(self, pair_id: int, *, limit: int = 20) -> tuple[Use, ...]:
        """The turns that have to do with a pair, the newest first; none of a pair that is gone."""
        self.person.require_admin()
        found = (
            select(
                MemoryUseRow.turn_id,
                MemoryUseRow.role,
                TurnRow.question,
                TurnRow.created,
                TurnRow.owner,
                TurnRow.superseded,
            )
            .join(TurnRow, TurnRow.id == MemoryUseRow.turn_id)
            .where(MemoryUseRow.pair_id == pair_id)
            .order_by(MemoryUseRow.turn_id.desc())
            .limit(limit)
        )
        with self.database.reading() as session:
            return tuple(
                Use(turn, Role(role), question, asked, owner, superseded)
                for turn, role, question, asked, owner, superseded in session.execute(found)
            )

    def count(self, pair_id: int) -> int:
        """How many turns have to do with a pair."""
        self.person.require_admin()
        counted = select(func.count()).where(MemoryUseRow.pair_id == pair_id)
        with self.database.reading() as session:
            return session.scalar(counted) or 0
