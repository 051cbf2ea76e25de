"""The memory as admins see it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import ColumnElement, Row, and_, func, or_, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import Person
from chatbot.errors import UnknownPair
from chatbot.memory.pairs import Role, ScoreOrigin, Store
from chatbot.review.as_asked import AsAsked, as_asked
from chatbot.text.languages import gettext
from corpora.catalog.catalog import require_product, require_release
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import ProductRow, ReleaseRow

_AT_ONCE = 200


@dataclass(frozen=True)
class ReleaseFilter:
    """The part of the memory to look at: a release with its product, a product, or, empty, all."""

    product: str = ""
    release: str = ""


EVERYTHING = ReleaseFilter()


class Worth(StrEnum):
    """The worth of a pair; one that is only measured is not rated, whatever its store."""

    GOOD = "good"
    UNRATED = "not rated"
    POOR = "poor"
    SUSPENDED = "suspended"


_IN_USE = MemoryPairRow.suspended == ""
_VOUCHED = or_(
    MemoryPairRow.origin != ScoreOrigin.MEASURED, func.coalesce(MemoryPairRow.relevancy, 0) > 0
)
"""As `chatbot.memory.scoring.is_vouched` says it of a row."""
_OF_WORTH: dict[Worth, ColumnElement[bool]] = {
    Worth.GOOD: and_(_IN_USE, _VOUCHED, MemoryPairRow.store == Store.HIGH),
    Worth.UNRATED: and_(_IN_USE, ~_VOUCHED),
    Worth.POOR: and_(_IN_USE, _VOUCHED, MemoryPairRow.store == Store.LOW),
    Worth.SUSPENDED: ~_IN_USE,
}


@dataclass(frozen=True)
class PairFilter:
    """Conditions on pairs; those that are empty or None are not applied.

    `words` are in the question, as it was asked or as it is saved.
    """

    within: ReleaseFilter = EVERYTHING
    worth: Worth | None = None
    words: str = ""


class KeptPair(NamedTuple):
    """A pair of the memory with its product and release, and its question as it was asked."""

    product: str
    release: str
    row: MemoryPairRow
    asked: AsAsked

    @property
    def title(self) -> str:
        """The question in one line, behind its release where it does not name that."""
        asked = str(self.asked)
        return asked if self.release in asked else f"{self.release} · {asked}"


@dataclass(frozen=True)
class Overview:
    """Reads the memory for one admin; others raise NotAllowed, unknown names UnknownRelease."""

    database: Database
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin(self.database)

    def pairs(
        self, wanted: PairFilter, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[KeptPair, ...]:
        """The pairs that match a filter, the newest first."""
        with self.database.reading() as session:
            query = _PAIRS.where(*_conditions(session, wanted))
            order = query.order_by(MemoryPairRow.id.desc()).offset(offset).limit(limit)
            return tuple(_kept(session, session.execute(order).all()))

    def count(self, wanted: PairFilter) -> int:
        """The number of pairs that match a filter."""
        counted = select(func.count()).select_from(MemoryPairRow)
        with self.database.reading() as session:
            return session.scalar(counted.where(*_conditions(session, wanted))) or 0

    def every(self, wanted: PairFilter) -> Iterator[KeptPair]:
        """All pairs that match a filter, the oldest first, read a few at a time."""
        with self.database.reading() as session:
            query = _PAIRS.where(*_conditions(session, wanted)).order_by(MemoryPairRow.id)
            rows = session.execute(query.execution_options(yield_per=_AT_ONCE))
            for some in rows.partitions():
                yield from _kept(session, some)

    def pair(self, pair_id: int) -> KeptPair:
        """One pair; raises UnknownPair if it is gone."""
        with self.database.reading() as session:
            rows = session.execute(_PAIRS.where(MemoryPairRow.id == pair_id)).all()
            for kept in _kept(session, rows):
                return kept
        raise UnknownPair(
            gettext(
                "There is no saved answer {number} any more: it was replaced, deleted or "
                "forgotten.",
                number=pair_id,
            )
        )


_PAIRS = (
    select(ProductRow.name, ReleaseRow.name, MemoryPairRow)
    .select_from(MemoryPairRow)
    .join(ReleaseRow)
    .join(ProductRow)
)
"""The columns of a `KeptPair`, but for the last."""
_SOURCES = select(MemoryUseRow.pair_id, MemoryUseRow.turn_id).where(
    MemoryUseRow.role == Role.SOURCE
)


def _kept(session: Session, rows: Sequence[Row[str, str, MemoryPairRow]]) -> Iterator[KeptPair]:
    """The pairs with their questions; an imported one was asked by nobody."""
    saved = {row.id: row.question for _, _, row in rows}
    made_by = session.execute(_SOURCES.where(MemoryUseRow.pair_id.in_(saved)))
    of = dict(made_by.all())
    asked = as_asked(session, {turn: saved[pair] for pair, turn in of.items()})
    for product, release, row in rows:
        typed = asked.get(of.get(row.id, 0))
        yield KeptPair(product, release, row, typed or AsAsked(row.question))


def _conditions(session: Session, wanted: PairFilter) -> list[ColumnElement[bool]]:
    terms: list[ColumnElement[bool]] = []
    within = wanted.within
    if within.release:
        release = require_release(session, within.product, within.release)
        terms.append(MemoryPairRow.release_id == release.id)
    elif within.product:
        ids = [row.id for row in require_product(session, within.product).releases]
        terms.append(MemoryPairRow.release_id.in_(ids))
    if wanted.worth is not None:
        terms.append(_OF_WORTH[wanted.worth])
    if wanted.words.strip():
        words = wanted.words.strip()
        typed = _SOURCES.with_only_columns(MemoryUseRow.pair_id).join(
            TurnRow, TurnRow.id == MemoryUseRow.turn_id
        )
        terms.append(
            or_(
                MemoryPairRow.question.icontains(words, autoescape=True),
                MemoryPairRow.id.in_(
                    typed.where(TurnRow.question.icontains(words, autoescape=True))
                ),
            )
        )
    return terms
