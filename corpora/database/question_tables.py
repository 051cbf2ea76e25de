"""The table of questions of one's own: proposed, accepted or dropped for the regression set."""

from datetime import datetime
from typing import Any

from sqlalchemy import Index, String
from sqlalchemy.orm import Mapped, mapped_column

from corpora.database.tables import Base


class ProposalRow(Base):
    """A gold question as JSON that a person accepts into the regression set, edits or drops.

    `came_from` says who or what proposed it. `pages` are those that its answer stands on: release,
    file, number, id and SHA-256 of the text, with the words that say it. `digest` is that of
    product, release and question: what was dropped is not proposed again.
    """

    __tablename__ = "question_proposals"
    __table_args__ = (Index(None, "state", "product"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    product: Mapped[str]
    release: Mapped[str]
    gold: Mapped[dict[str, Any]]
    pages: Mapped[list[dict[str, Any]]]
    came_from: Mapped[str]
    digest: Mapped[str] = mapped_column(String(64), unique=True)
    created: Mapped[datetime]
    decided: Mapped[datetime | None]
    decided_by: Mapped[str]
