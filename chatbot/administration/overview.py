"""What admins see of the memory: its figures, clusters, pairs, growth and events."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session, aliased

from chatbot.accounts.people import Person
from chatbot.administration.figures import Day, ReleaseFigures, days, figures
from chatbot.memory.pairs import Happened, Store
from chatbot.memory.stores.stores import UnknownPair
from corpora.catalog.catalog import require_product, require_release
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import MemoryEventRow, MemoryPairRow, MemoryUseRow
from corpora.database.tables import ProductRow, ReleaseRow

_AT_ONCE = 200


@dataclass(frozen=True)
class Scope:
    """The part of the memory to look at: a release with its product, a product, or, empty, all."""

    product: str = ""
    release: str = ""


EVERYTHING = Scope()


@dataclass(frozen=True)
class PairFilter:
    """Which pairs are wanted; what is empty or None does not matter.

    `words` are in the question; a `cluster` is one of a store of a release; `read_other_than` is
    for pairs of another embedding than this one, which no question finds until a rebuild.
    """

    scope: Scope = EVERYTHING
    store: Store | None = None
    cluster: int | None = None
    suspended: bool | None = None
    words: str = ""
    read_other_than: str = ""


@dataclass(frozen=True)
class KeptPair:
    """A pair of the memory with its product and release."""

    row: MemoryPairRow
    product: str
    release: str


@dataclass(frozen=True)
class Use:
    """A turn that used a pair, and its `chatbot.memory.pairs.Role`."""

    turn: TurnRow
    role: str


@dataclass(frozen=True)
class Change:
    """What happened to a pair; the questions are None where a pair is gone."""

    event: MemoryEventRow
    product: str
    release: str
    question: str | None
    other_question: str | None


@dataclass(frozen=True)
class Cluster:
    """A cluster of a store; the representative is the member nearest to the centroid."""

    size: int
    representative: KeptPair


@dataclass(frozen=True)
class Overview:
    """Reads the memory for one admin; raises NotAllowed for anybody else.

    Unknown products and releases raise UnknownRelease.
    """

    database: Database
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin()

    def releases(self, scope: Scope = EVERYTHING) -> tuple[ReleaseFigures, ...]:
        """The figures of each release that the memory has pairs of, in their order."""
        with self.database.reading() as session:
            return figures(session, release_ids(session, scope))

    def clusters(
        self, scope: Scope, store: Store = Store.HIGH, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[Cluster, ...]:
        """The clusters of a store, the largest first, each with its representative."""
        of_cluster = (MemoryPairRow.release_id, MemoryPairRow.cluster)
        with self.database.reading() as session:
            largest = session.execute(
                select(*of_cluster, func.count())
                .where(
                    MemoryPairRow.release_id.in_(release_ids(session, scope)),
                    MemoryPairRow.store == store,
                )
                .group_by(*of_cluster)
                .order_by(func.count().desc(), *of_cluster)
                .offset(offset)
                .limit(limit)
            ).all()
            return tuple(
                Cluster(size, _representative(session, release_id, store, number))
                for release_id, number, size in largest
            )

    def pairs(
        self, wanted: PairFilter, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[KeptPair, ...]:
        """The pairs that a filter leaves, the newest first."""
        with self.database.reading() as session:
            found = _PAIRS.where(*conditions(session, wanted))
            order = found.order_by(MemoryPairRow.id.desc()).offset(offset).limit(limit)
            return tuple(KeptPair(*row) for row in session.execute(order))

    def count(self, wanted: PairFilter) -> int:
        """How many pairs a filter leaves."""
        with self.database.reading() as session:
            counted = select(func.count()).select_from(MemoryPairRow)
            return session.scalar(counted.where(*conditions(session, wanted))) or 0

    def every(self, wanted: PairFilter) -> Iterator[KeptPair]:
        """All pairs that a filter leaves, the oldest first, read a few at a time."""
        with self.database.reading() as session:
            found = _PAIRS.where(*conditions(session, wanted)).order_by(MemoryPairRow.id)
            rows = session.execute(found.execution_options(yield_per=_AT_ONCE))
            yield from (KeptPair(*row) for row in rows)

    def pair(self, pair_id: int) -> KeptPair:
        """One pair; raises UnknownPair if it is gone."""
        with self.database.reading() as session:
            row = session.execute(_PAIRS.where(MemoryPairRow.id == pair_id)).first()
        if row is None:
            raise UnknownPair(
                f"The memory has no answer {pair_id} any more: it was replaced, retired or "
                "forgotten."
            )
        return KeptPair(*row)

    def uses(self, pair_id: int, *, limit: int = 20) -> tuple[tuple[Use, ...], int]:
        """The newest turns that used a pair, and how many there are in all."""
        of_pair = MemoryUseRow.pair_id == pair_id
        with self.database.reading() as session:
            found = session.execute(
                select(TurnRow, MemoryUseRow.role)
                .join(MemoryUseRow, MemoryUseRow.turn_id == TurnRow.id)
                .where(of_pair)
                .order_by(TurnRow.id.desc())
                .limit(limit)
            )
            uses = tuple(Use(*row) for row in found)
            return uses, session.scalar(select(func.count()).where(of_pair)) or 0

    def growth(self, scope: Scope = EVERYTHING) -> tuple[Day, ...]:
        """The days from the first to the last on which anything happened or was asked."""
        with self.database.reading() as session:
            return days(session, release_ids(session, scope), scope.product, scope.release)

    def changes(
        self,
        scope: Scope = EVERYTHING,
        kinds: Sequence[Happened] = (),
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[Change, ...]:
        """What happened to pairs and why, the newest first; `before` is the id to go on from."""
        pair, other = aliased(MemoryPairRow), aliased(MemoryPairRow)
        with self.database.reading() as session:
            query = (
                select(
                    MemoryEventRow, ProductRow.name, ReleaseRow.name, pair.question, other.question
                )
                .join(ReleaseRow, ReleaseRow.id == MemoryEventRow.release_id)
                .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
                .outerjoin(pair, pair.id == MemoryEventRow.pair_id)
                .outerjoin(other, other.id == MemoryEventRow.other_id)
                .where(MemoryEventRow.release_id.in_(release_ids(session, scope)))
                .order_by(MemoryEventRow.id.desc())
                .limit(limit)
            )
            if kinds:
                query = query.where(MemoryEventRow.kind.in_(kinds))
            if before:
                query = query.where(MemoryEventRow.id < before)
            return tuple(Change(*row) for row in session.execute(query))


_PAIRS = (
    select(MemoryPairRow, ProductRow.name, ReleaseRow.name)
    .join(ReleaseRow, ReleaseRow.id == MemoryPairRow.release_id)
    .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
)
"""Pairs with the names of their product and release: what a `KeptPair` is made of."""


def _representative(session: Session, release_id: int, store: Store, number: int) -> KeptPair:
    """The member that stands for a cluster: the one nearest to the centroid (ComRAG 4.2)."""
    members = select(MemoryPairRow.id, MemoryPairRow.vector).where(
        MemoryPairRow.release_id == release_id,
        MemoryPairRow.store == store,
        MemoryPairRow.cluster == number,
    )
    rows = session.execute(members.order_by(MemoryPairRow.id)).all()
    vectors = np.array([np.frombuffer(row.vector, "<f4") for row in rows], dtype=np.float64)
    # The members have length one, so the centroid's own length changes nothing.
    nearest = rows[int(np.argmax(vectors @ vectors.sum(axis=0)))].id
    return KeptPair(*session.execute(_PAIRS.where(MemoryPairRow.id == nearest)).one())


def release_ids(session: Session, scope: Scope) -> list[int]:
    """The ids of the releases within a scope; raises UnknownRelease."""
    if scope.release:
        return [require_release(session, scope.product, scope.release).id]
    ids = select(ReleaseRow.id).order_by(ReleaseRow.id)
    if scope.product:
        ids = ids.where(ReleaseRow.product_id == require_product(session, scope.product).id)
    return list(session.scalars(ids))


def conditions(session: Session, wanted: PairFilter) -> list[ColumnElement[bool]]:
    """The conditions for the pairs that a filter wants; raises UnknownRelease."""
    found: list[ColumnElement[bool]] = []
    if wanted.scope != EVERYTHING:
        found.append(MemoryPairRow.release_id.in_(release_ids(session, wanted.scope)))
    if wanted.store is not None:
        found.append(MemoryPairRow.store == wanted.store)
    if wanted.cluster is not None:
        found.append(MemoryPairRow.cluster == wanted.cluster)
    if wanted.suspended is not None:
        found.append((MemoryPairRow.suspended != "") == wanted.suspended)
    if wanted.read_other_than:
        found.append(MemoryPairRow.embedding != wanted.read_other_than)
    if wanted.words.strip():
        found.append(MemoryPairRow.question.icontains(wanted.words.strip(), autoescape=True))
    return found
