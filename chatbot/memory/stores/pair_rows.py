"""Pairs as rows: written, found among those that ask for the same, and taken out, with events.

All of it runs in a transaction that has locked the release.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import numpy as np
from sqlalchemy import Row, Table, delete, insert, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Origin, Role, Score, Store
from corpora.database.memory_tables import (
    MemoryEventRow,
    MemoryPageRow,
    MemoryPairRow,
    MemoryUseRow,
)
from corpora.database.tables import Base, ReleaseRow
from corpora.indexing.embedding import Vectors

EVENTS_KEPT = 50_000
"""How many events of a release are kept, so that they do not grow for ever."""

_PRUNED_EVERY = 1000
_AT_ONCE = 500
_NO_SYNC = {"synchronize_session": False}


@dataclass(frozen=True)
class StoredPair:
    """A pair as far as the stores look at it."""

    id: int
    release_id: int
    cluster: int
    store: Store
    question: MemoryQuestion
    score: Score
    suspended: str


def lock_release(session: Session, release_id: int) -> None:
    """Let changes of the memory of a release wait for each other; LookupError if it is gone."""
    row = select(ReleaseRow.id).where(ReleaseRow.id == release_id).with_for_update()
    if session.scalar(row) is None:
        raise LookupError(f"There is no release {release_id} (any more).")


def draw_seq(session: Session, release_id: int) -> int:
    """A number greater than all that were drawn or told of a release before.

    The ids of events only grow, also where the event does not stay.
    """
    drawn = tell(session, release_id, None)
    session.execute(delete(MemoryEventRow).where(MemoryEventRow.id == drawn))
    return drawn


def tell(
    session: Session,
    release_id: int,
    happened: Happened | None,
    pair_id: int = 0,
    other_id: int | None = None,
    reason: str = "",
) -> int:
    """Write what became of a pair (0: it never was one) and return the event's id."""
    event = inserted(
        session,
        MemoryEventRow,
        release_id=release_id,
        at=datetime.now(UTC),
        kind=happened or "",
        pair_id=pair_id,
        other_id=other_id,
        reason=reason,
    )
    if event % _PRUNED_EVERY == 0:
        _prune_events(session, release_id)
    return event


def read_pairs(session: Session, ids: Collection[int]) -> Iterator[StoredPair]:
    """The pairs with these ids, as far as they are there, in no order."""
    wanted = list(ids)
    for first in range(0, len(wanted), _AT_ONCE):
        query = select(
            MemoryPairRow.id,
            MemoryPairRow.release_id,
            MemoryPairRow.cluster_id,
            MemoryPairRow.store,
            MemoryPairRow.question,
            MemoryPairRow.asks,
            MemoryPairRow.vector,
            MemoryPairRow.embedding,
            MemoryPairRow.score,
            MemoryPairRow.origin,
            MemoryPairRow.rated,
            MemoryPairRow.created,
            MemoryPairRow.rated_by,
            MemoryPairRow.faithfulness,
            MemoryPairRow.relevancy,
            MemoryPairRow.suspended,
        ).where(MemoryPairRow.id.in_(wanted[first : first + _AT_ONCE]))
        yield from (_stored(row) for row in session.execute(query).all())


def insert_pair(
    session: Session,
    release_id: int,
    pair: NewPair,
    cluster: int,
    store: Store,
    seq: int,
    suspended: str,
) -> int:
    """Write a new pair with its pages and the turn that it comes from; return its id."""
    question = pair.question
    pair_id = inserted(
        session,
        MemoryPairRow,
        release_id=release_id,
        cluster_id=cluster,
        seq=seq,
        store=store,
        question=question.text,
        asks=question.asks,
        vector=_packed(question.vector),
        embedding=question.embedding,
        answer=dict(pair.answer),
        links=list(pair.links),
        generation_id=pair.generation,
        suspended=suspended,
        reused=0,
        last_used=None,
        created=datetime.now(UTC),
        **_columns(pair.score),
    )
    pages = [
        {
            "pair_id": pair_id,
            "ordinal": ordinal,
            "file": page.file,
            "page_hash": page.page_hash,
            "page_id": page.page_id,
        }
        for ordinal, page in enumerate(pair.pages)
    ]
    if pages:
        session.execute(insert(MemoryPageRow), pages)
    if pair.turn is not None:
        source = {"turn_id": pair.turn, "pair_id": pair_id, "role": Role.SOURCE}
        session.execute(insert(MemoryUseRow), [source])
    return pair_id


def inserted(session: Session, table: type[Base], **values: Any) -> int:
    """Insert a row and return its id."""
    # A session's own way to write takes longer for one row than the database does.
    statement = insert(cast(Table, table.__table__)).values(values)
    key = session.connection().execute(statement).inserted_primary_key
    assert key is not None
    return int(key[0])


def settle_pair(
    session: Session,
    old: StoredPair,
    question: MemoryQuestion,
    cluster: int,
    store: Store,
    seq: int,
) -> None:
    """Give a pair that is there its place, and its question if that was read anew."""
    if store == old.store and question is old.question:
        # Only its cluster is another one, which no index of vectors has to know.
        place: dict[str, Any] = {"cluster_id": cluster}
    else:
        place = {
            "cluster_id": cluster,
            "store": store,
            "seq": seq,
            "asks": question.asks,
            "vector": _packed(question.vector),
            "embedding": question.embedding,
        }
    session.execute(
        update(MemoryPairRow).where(MemoryPairRow.id == old.id).values(place),
        execution_options=_NO_SYNC,
    )


def write_score(session: Session, pair_id: int, score: Score) -> None:
    """Give a pair another score; its place stays."""
    session.execute(
        update(MemoryPairRow).where(MemoryPairRow.id == pair_id).values(**_columns(score)),
        execution_options=_NO_SYNC,
    )


def delete_pairs(session: Session, ids: Sequence[int]) -> None:
    """Delete pairs with their pages and uses; their clusters are another matter."""
    for first in range(0, len(ids), _AT_ONCE):
        session.execute(
            delete(MemoryPairRow).where(MemoryPairRow.id.in_(ids[first : first + _AT_ONCE])),
            execution_options=_NO_SYNC,
        )


def _columns(score: Score) -> dict[str, Any]:
    return {
        "score": score.value,
        "origin": score.origin,
        "faithfulness": score.faithfulness,
        "relevancy": score.relevancy,
        "rated_by": score.by,
        "rated": score.at,
    }


def _stored(row: Row[*tuple[Any, ...]]) -> StoredPair:
    vector: Vectors = np.frombuffer(row.vector, dtype="<f4")
    return StoredPair(
        row.id,
        row.release_id,
        row.cluster_id,
        Store(row.store),
        MemoryQuestion(row.question, row.asks, vector, row.embedding),
        Score(
            row.score,
            Origin(row.origin),
            row.rated or row.created,
            row.rated_by,
            row.faithfulness,
            row.relevancy,
        ),
        row.suspended,
    )


def _packed(vector: Vectors) -> bytes:
    return vector.astype("<f4").tobytes()


def _prune_events(session: Session, release_id: int) -> None:
    of_release = select(MemoryEventRow.at).where(MemoryEventRow.release_id == release_id)
    oldest = session.scalar(
        of_release.order_by(MemoryEventRow.at.desc()).offset(EVENTS_KEPT).limit(1)
    )
    if oldest is not None:
        session.execute(
            delete(MemoryEventRow).where(
                MemoryEventRow.release_id == release_id, MemoryEventRow.at <= oldest
            ),
            execution_options=_NO_SYNC,
        )
