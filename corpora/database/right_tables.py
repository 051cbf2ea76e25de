"""The tables of rights: who may see a product or a release, who administers it, who is in what."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from corpora.database.tables import Base


class RightRow(Base):
    """Who may see a product, or a `release` of it; without a row a product is open to all.

    `audience` is "all", "groups" or "admins", `groups` names the groups. A release without a row is
    as its product. `admins` are those of the product, by address or as "group:NAME", and stand in
    its own row alone, whose `release` is empty. Names are kept, so that what was said outlives what
    it was said of.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    product: Mapped[str]
    release: Mapped[str]
    audience: Mapped[str] = mapped_column(String(8))
    groups: Mapped[list[str]]
    admins: Mapped[list[str]]


class MembershipRow(Base):
    """The groups that a person was in when they were last seen, for the keys that they made."""

    person: Mapped[str] = mapped_column(primary_key=True)
    groups: Mapped[list[str]]
    seen: Mapped[datetime]
