"""Pairs of the memory made by hand, for pages that show them."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import func, select
from streamlit.testing.v1 import AppTest

from chatbot.memory.pairs import MemoryQuestion, ScoreOrigin, Store, new_pair
from chatbot.memory.questions import READING, normalized
from corpora.catalog.catalog import require_release
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import MiniLM
from tests.ui.admin_pages import open_admin_page, tab

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
    citations: tuple[dict[str, Any], ...] = (),
    **others: Any,
) -> int:
    """Keep a pair in a cluster of its own; return its id."""
    with database.writing() as session:
        last = session.scalar(select(func.max(MemoryPairRow.id))) or 0
        # No pair is a near-duplicate of another one.
        vector = np.eye(1, MiniLM.dimension, last % MiniLM.dimension, dtype=np.float32)[0]
        asked = MemoryQuestion(
            question, normalized(question, product), vector, f"{MiniLM.name}/{READING}"
        )
        pair = new_pair(
            asked,
            {"text": answer, "value": answer, "citations": list(citations)},
            score=score,
            origin=origin,
            store=Store.HIGH if score >= 0.8 else Store.LOW,
            release_id=require_release(session, product, release).id,
            cluster=last + 1,
            **{"rated": NOVEMBER, "created": NOVEMBER, **others},
        )
        session.add(pair)
        session.flush()
        return pair.id


def saved_answers() -> AppTest:
    """The tab of saved answers."""
    return tab(open_admin_page("history"), "review-tab", "Saved answers")
