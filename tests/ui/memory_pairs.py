"""Pairs of the memory made by hand, for pages that show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import func, select

from chatbot.memory.pairs import Happened, Origin, Store
from chatbot.memory.questions import READING
from corpora.catalog.catalog import require_release
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryEventRow, MemoryPairRow, MemoryUseRow
from corpora.indexing.embedding import MiniLM

EMBEDDING = f"{MiniLM.name}/{READING}"
DIMENSION = MiniLM.dimension
NOVEMBER = datetime(2026, 11, 3, 12, tzinfo=UTC)


def keep(
    database: Database,
    question: str,
    answer: str = "It is 45 s.",
    *,
    product: str = "valve",
    release: str = "2.0",
    score: float = 0.92,
    origin: Origin = Origin.MEASURED,
    rated_by: str = "",
    at: datetime = NOVEMBER,
    citations: tuple[dict[str, Any], ...] = (),
    links: tuple[str, ...] = (),
    suspended: str = "",
    reused: int = 0,
    embedding: str = EMBEDDING,
) -> int:
    """Keep a pair in a cluster of its own; return its id."""
    store = Store.HIGH if score >= 0.6 else Store.LOW
    with database.writing() as session:
        of = require_release(session, product, release).id
        last = session.scalar(select(func.max(MemoryPairRow.id))) or 0
        # No pair is a near-duplicate of another one.
        vector = np.zeros(DIMENSION, "<f4")
        vector[last % DIMENSION] = 1
        pair = MemoryPairRow(
            release_id=of,
            cluster=last + 1,
            store=store,
            question=question,
            asks="",
            vector=vector.tobytes(),
            embedding=embedding,
            answer={"text": answer, "value": answer, "citations": list(citations)},
            links=list(links),
            score=score,
            origin=origin,
            faithfulness=0.95,
            relevancy=0.89,
            rated_by=rated_by,
            rated=at,
            suspended=suspended,
            reused=reused,
            last_used=at if reused else None,
            created=at,
        )
        session.add(pair)
        session.flush()
        event = Happened.IMPORTED if origin is Origin.IMPORTED else Happened.ADDED
        _tell(session, of, event, pair.id, None, "", at)
        return pair.id


def tell(
    database: Database,
    kind: Happened,
    pair: int,
    other: int | None,
    reason: str,
    product: str = "valve",
    release: str = "2.0",
) -> None:
    """Say what became of a pair."""
    with database.writing() as session:
        _tell(session, require_release(session, product, release).id, kind, pair, other, reason)


def use(database: Database, turn: int, pair: int, role: str) -> None:
    """Say that a turn has to do with a pair."""
    with database.writing() as session:
        session.add(MemoryUseRow(turn_id=turn, pair_id=pair, role=role))


def _tell(
    session: Any,
    release: int,
    kind: Happened,
    pair: int,
    other: int | None,
    reason: str,
    at: datetime = NOVEMBER,
) -> None:
    session.add(
        MemoryEventRow(
            release_id=release, at=at, kind=kind, pair_id=pair, other_id=other, reason=reason
        )
    )
