"""The tables of checks: accepted answers held against a generation before or after it serves."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from corpora.database.tables import Base, Told, ToldJson, owned_by


class ReleaseCheckRow(Base):
    """What became of the accepted answers of the release `against` in a generation.

    `against` is the generation's own release where an earlier generation of it was accepted. It is
    `finished` once each answer was looked at; `told` says how people heard of it, or why not.
    """

    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    generation_id: Mapped[int] = owned_by("generations", unique=True)
    against: Mapped[str]
    created: Mapped[datetime]
    finished: Mapped[datetime | None]
    told: Mapped[str] = mapped_column(Told, default="")


class CheckedAnswerRow(Base):
    """One accepted answer of a check, which goes with the saved answer that it is about.

    `calls` counts the calls of a model that it took; `details` are both sides, cited.
    """

    __table_args__ = (
        Index(None, "check_id", "pair_id", unique=True),
        {"sqlite_autoincrement": True},
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    check_id: Mapped[int] = owned_by("release_checks")
    pair_id: Mapped[int] = owned_by("memory_pairs", index=True)
    verdict: Mapped[str] = mapped_column(String(16))
    calls: Mapped[int]
    details: Mapped[dict[str, Any]] = mapped_column(ToldJson)
