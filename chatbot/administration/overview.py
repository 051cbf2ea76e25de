"""What admins see of the memory: its figures, clusters, pairs, growth, and what became of pairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session, aliased

from chatbot.accounts.people import Person
from chatbot.administration.growth import Day, days
from chatbot.administration.kept import Change, KeptPair, kept_pair, pairs_with_names
from chatbot.administration.representatives import representatives
from chatbot.administration.scope import (
    EVERYTHING,
    PairFilter,
    Scope,
    conditions,
    release_ids,
)
from chatbot.memory.pairs import Happened, Origin, Store
from chatbot.memory.stores.stores import UnknownPair
from corpora.catalog.release import sort_key
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryClusterRow, MemoryEventRow, MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow

__all__ = [
    "EVERYTHING",
    "Change",
    "Cluster",
    "Day",
    "KeptPair",
    "Overview",
    "PairFilter",
    "ReleaseFigures",
    "Scope",
    "UnknownPair",
]

_AT_ONCE = 200


@dataclass(frozen=True)
class ReleaseFigures:
    """What the memory has of one release.

    `origins` counts pairs by where their score comes from, `reused` how often a pair answered.
    """

    product: str
    release: str
    high: int
    low: int
    high_clusters: int
    low_clusters: int
    suspended: int
    reused: int
    origins: Mapping[Origin, int]

    @property
    def pairs(self) -> int:
        """The pairs of both stores."""
        return self.high + self.low


@dataclass(frozen=True)
class Cluster:
    """A cluster of a store; the representative is the member nearest to the centroid."""

    id: int
    store: Store
    size: int
    representative: KeptPair


@dataclass(frozen=True)
class Overview:
    """Reads the memory for one admin; raises NotAllowed for whoever is none.

    Names of products and releases that there are not raise UnknownRelease.
    """

    database: Database
    person: Person

    def releases(self, scope: Scope = EVERYTHING) -> tuple[ReleaseFigures, ...]:
        """The figures of each release that the memory has pairs of, in their order."""
        self.person.require_admin()
        with self.database.reading() as session:
            return _figures(session, release_ids(session, scope))

    def clusters(
        self, scope: Scope, store: Store = Store.HIGH, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[Cluster, ...]:
        """The clusters of a store, the largest first, each with its representative."""
        self.person.require_admin()
        with self.database.reading() as session:
            ids = release_ids(session, scope)
            rows = session.scalars(
                select(MemoryClusterRow)
                .where(MemoryClusterRow.release_id.in_(ids), MemoryClusterRow.store == store)
                .order_by(MemoryClusterRow.size.desc(), MemoryClusterRow.id)
                .offset(offset)
                .limit(limit)
            ).all()
            chosen = representatives(session, rows)
            return tuple(
                Cluster(row.id, store, row.size, chosen[row.id]) for row in rows if row.id in chosen
            )

    def pairs(
        self, wanted: PairFilter, *, offset: int = 0, limit: int | None = 50
    ) -> tuple[KeptPair, ...]:
        """The pairs that a filter leaves, the newest first."""
        self.person.require_admin()
        with self.database.reading() as session:
            found = pairs_with_names().where(*conditions(session, wanted))
            order = found.order_by(MemoryPairRow.id.desc()).offset(offset).limit(limit)
            return tuple(map(kept_pair, session.execute(order)))

    def count(self, wanted: PairFilter) -> int:
        """How many pairs a filter leaves."""
        self.person.require_admin()
        with self.database.reading() as session:
            counted = select(func.count()).select_from(MemoryPairRow)
            return session.scalar(counted.where(*conditions(session, wanted))) or 0

    def every(self, wanted: PairFilter) -> Iterator[KeptPair]:
        """All pairs that a filter leaves, the oldest first, read a few at a time."""
        self.person.require_admin()
        return self._every(wanted)

    def _every(self, wanted: PairFilter) -> Iterator[KeptPair]:
        last = 0
        while True:
            # A session for each batch: whoever takes the pairs may take their time.
            with self.database.reading() as session:
                found = pairs_with_names().where(*conditions(session, wanted))
                later = found.where(MemoryPairRow.id > last).order_by(MemoryPairRow.id)
                batch = [kept_pair(row) for row in session.execute(later.limit(_AT_ONCE))]
            if not batch:
                return
            yield from batch
            last = batch[-1].id

    def pair(self, pair_id: int) -> KeptPair:
        """One pair; raises UnknownPair if it is gone."""
        self.person.require_admin()
        with self.database.reading() as session:
            row = session.execute(pairs_with_names().where(MemoryPairRow.id == pair_id)).first()
        if row is None:
            raise UnknownPair(
                f"The memory has no answer {pair_id} any more: it was replaced, retired or "
                "forgotten."
            )
        return kept_pair(row)

    def growth(self, scope: Scope = EVERYTHING) -> tuple[Day, ...]:
        """The days on which pairs came, changed or went, or questions were asked, in order."""
        self.person.require_admin()
        with self.database.reading() as session:
            return days(session, scope)

    def changes(
        self,
        scope: Scope = EVERYTHING,
        kinds: Sequence[Happened] = (),
        *,
        before: int | None = None,
        limit: int = 100,
    ) -> tuple[Change, ...]:
        """What became of pairs and why, the newest first; `before` is the id to go on from."""
        self.person.require_admin()
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
            return tuple(
                Change(
                    id=event.id,
                    at=event.at,
                    product=product,
                    release=release,
                    kind=Happened(event.kind),
                    pair=event.pair_id,
                    question=question or "",
                    other=event.other_id,
                    other_question=other_question or "",
                    reason=event.reason,
                )
                for event, product, release, question, other_question in session.execute(query)
            )


def _figures(session: Session, ids: Sequence[int]) -> tuple[ReleaseFigures, ...]:
    names = {
        row.id: (row.product, row.release)
        for row in session.execute(
            select(
                ReleaseRow.id, ProductRow.name.label("product"), ReleaseRow.name.label("release")
            )
            .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
            .where(ReleaseRow.id.in_(ids))
        )
    }
    stores: dict[int, Counter[str]] = defaultdict(Counter)
    origins: dict[int, Counter[Origin]] = defaultdict(Counter)
    suspended: Counter[int] = Counter()
    reused: Counter[int] = Counter()
    groups = select(
        MemoryPairRow.release_id,
        MemoryPairRow.store,
        MemoryPairRow.origin,
        func.count(),
        func.count(case((MemoryPairRow.suspended != "", 1))),
        func.coalesce(func.sum(MemoryPairRow.reused), 0),
    ).group_by(MemoryPairRow.release_id, MemoryPairRow.store, MemoryPairRow.origin)
    for of, store, origin, pairs, not_used, times in session.execute(groups):
        stores[of][store] += pairs
        origins[of][Origin(origin)] += pairs
        suspended[of] += not_used
        reused[of] += times
    clusters: dict[int, Counter[str]] = defaultdict(Counter)
    of_store = (MemoryClusterRow.release_id, MemoryClusterRow.store)
    for of, store, number in session.execute(select(*of_store, func.count()).group_by(*of_store)):
        clusters[of][store] = number
    found = (
        ReleaseFigures(
            product=names[of][0],
            release=names[of][1],
            high=pairs[Store.HIGH],
            low=pairs[Store.LOW],
            high_clusters=clusters[of][Store.HIGH],
            low_clusters=clusters[of][Store.LOW],
            suspended=suspended[of],
            reused=reused[of],
            origins=dict(origins[of]),
        )
        for of, pairs in stores.items()
        if of in names
    )
    return tuple(sorted(found, key=lambda f: (f.product, sort_key(f.release))))
