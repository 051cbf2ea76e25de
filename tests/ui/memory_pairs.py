"""Pairs of the memory made by hand, for pages that show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import func, select
from streamlit.testing.v1 import AppTest

from chatbot.memory.pairs import ScoreOrigin, Store
from chatbot.memory.questions import READING
from corpora.catalog.catalog import require_release
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.indexing.embedding import MiniLM
from tests.ui.admin_pages import open_admin_page, tab

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
    origin: ScoreOrigin = ScoreOrigin.MEASURED,
    rated_by: str = "",
    at: datetime = NOVEMBER,
    citations: tuple[dict[str, Any], ...] = (),
    links: tuple[str, ...] = (),
    suspended: str = "",
    reused: int = 0,
    embedding: str = EMBEDDING,
    relevancy: float | None = None,
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
            relevancy=relevancy,
            rated_by=rated_by,
            rated=at,
            suspended=suspended,
            reused=reused,
            last_used=at if reused else None,
            created=at,
        )
        session.add(pair)
        session.flush()
        return pair.id


def saved_answers() -> AppTest:
    """The tab of saved answers."""
    return tab(open_admin_page("history"), "review-tab", "Saved answers")


def use(database: Database, turn: int, pair: int, role: str) -> None:
    """Say that a turn has to do with a pair."""
    with database.writing() as session:
        session.add(MemoryUseRow(turn_id=turn, pair_id=pair, role=role))
