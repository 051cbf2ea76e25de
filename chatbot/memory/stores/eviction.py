"""Who goes first where a store is full, so that it stays bounded however many turns there are."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import BY_HAND, Store
from corpora.database.memory_tables import MemoryPairRow

_AT_ONCE = 500
"""A limit that was lowered is reached in some transactions, so that none is long."""


def first_to_go(session: Session, release_id: int, store: Store, limit: int) -> list[int]:
    """The ids of pairs beyond `limit` in a store, some at once.

    Suspended ones go first, then those of the lowest score; of equal scores the least reused,
    then the oldest. What people wrote or imported stays, so that a store of nothing else may hold
    more than `limit`.
    """
    of_store = (MemoryPairRow.release_id == release_id, MemoryPairRow.store == store)
    count = select(func.count()).select_from(MemoryPairRow).where(*of_store)
    excess = min((session.scalar(count) or 0) - limit, _AT_ONCE)
    going: list[int] = []
    # Asked one after the other, each is answered from the index in its order.
    for suspended in (MemoryPairRow.suspended > "", MemoryPairRow.suspended == ""):
        if excess > len(going):
            in_order = (
                select(MemoryPairRow.id)
                .where(*of_store, suspended, MemoryPairRow.origin.not_in(BY_HAND))
                .order_by(MemoryPairRow.score, MemoryPairRow.reused, MemoryPairRow.created)
                .limit(excess - len(going))
            )
            going += session.scalars(in_order)
    return going
