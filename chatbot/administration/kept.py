"""A pair of the memory, and what became of one, as admins see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, select

from chatbot.memory.pairs import Happened, Origin, Store
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow


@dataclass(frozen=True)
class KeptPair:
    """A question and its answer as the memory has them.

    `answer` is Markdown with the marks of `citations`, which are as in a reply; `value` is the
    short answer alone. `score` and what follows say how good it is and who says so, `suspended`
    why it is not used (empty: it is), `reused` how often it answered.
    """

    id: int
    product: str
    release: str
    store: Store
    cluster: int
    question: str
    answer: str
    value: str
    citations: tuple[Mapping[str, Any], ...]
    links: tuple[str, ...]
    score: float
    origin: Origin
    faithfulness: float | None
    relevancy: float | None
    rated_by: str
    rated: datetime | None
    suspended: str
    reused: int
    last_used: datetime | None
    created: datetime


@dataclass(frozen=True)
class Change:
    """What became of a pair and why; the questions are empty where a pair is gone."""

    id: int
    at: datetime
    product: str
    release: str
    kind: Happened
    pair: int
    question: str
    other: int | None
    other_question: str
    reason: str


def pairs_with_names() -> Select[MemoryPairRow, str, str]:
    """Select pairs with the names of their product and release, for `kept_pair`."""
    return (
        select(MemoryPairRow, ProductRow.name, ReleaseRow.name)
        .join(ReleaseRow, ReleaseRow.id == MemoryPairRow.release_id)
        .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
    )


def kept_pair(found: Row[MemoryPairRow, str, str]) -> KeptPair:
    """The pair in what `pairs_with_names` found."""
    row, product, release = found
    answer = row.answer
    return KeptPair(
        id=row.id,
        product=product,
        release=release,
        store=Store(row.store),
        cluster=row.cluster_id,
        question=row.question,
        answer=answer["text"],
        value=answer.get("value", ""),
        citations=tuple(answer.get("citations", ())),
        links=tuple(row.links),
        score=row.score,
        origin=Origin(row.origin),
        faithfulness=row.faithfulness,
        relevancy=row.relevancy,
        rated_by=row.rated_by,
        rated=row.rated,
        suspended=row.suspended,
        reused=row.reused,
        last_used=row.last_used,
        created=row.created,
    )
