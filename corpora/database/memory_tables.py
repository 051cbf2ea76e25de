"""The tables of the quality memory (ComRAG 4.2): answered questions of a release."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column, relationship

from corpora.database.tables import Base, Told, owned_by


class MemoryPairRow(Base):
    """A question and its answer in the high- or the low-quality store of a release.

    `asks` names what two questions must have in common to be the same one, `vector` (little-endian
    float32) is the question's under the model `embedding`. `score` is 0 to 1 and `origin` says who
    gave it; `relevancy` is that of the measure, None where it cannot tell. A `suspended` pair is
    not used; the text says why.
    """

    __table_args__ = (
        Index(None, "release_id", "store", "asks"),
        Index(None, "release_id", "embedding"),
        Index(None, "release_id", "cluster"),
        # A row is wide; this tells what is suspended without reading any.
        Index(None, "release_id", "suspended"),
        # So does this what another version read, or another γ sorted.
        Index(None, "embedding", "store", "score"),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = owned_by("releases")
    cluster: Mapped[int] = mapped_column(default=0)
    store: Mapped[str] = mapped_column(String(8))
    question: Mapped[str]
    asks: Mapped[str]
    vector: Mapped[bytes]
    embedding: Mapped[str]
    answer: Mapped[dict[str, Any]]
    score: Mapped[float]
    origin: Mapped[str] = mapped_column(String(16))
    relevancy: Mapped[float | None]
    rated_by: Mapped[str]
    rated: Mapped[datetime | None]
    suspended: Mapped[str] = mapped_column(Told, default="")
    reused: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime]

    pages: Mapped[list[MemoryPageRow]] = relationship(
        order_by="MemoryPageRow.ordinal", passive_deletes="all"
    )


class MemoryPageRow(Base):
    """A page that the answer of a pair cites; `page_id` held its text when last looked for."""

    pair_id: Mapped[int] = owned_by("memory_pairs", primary_key=True)
    ordinal: Mapped[int] = mapped_column(primary_key=True)
    file: Mapped[str]
    page_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    page_id: Mapped[int] = mapped_column(index=True)


class MemoryUseRow(Base):
    """What a turn has to do with a pair: its `role` is source or reuse.

    `asks` is another wording of the pair's question: that of a turn whose asker, or a model, took
    the pair for the same question.
    """

    turn_id: Mapped[int] = owned_by("turns", primary_key=True)
    pair_id: Mapped[int] = owned_by("memory_pairs", primary_key=True, index=True)
    role: Mapped[str] = mapped_column(String(16))
    asks: Mapped[str] = mapped_column(default="", server_default="", index=True)
