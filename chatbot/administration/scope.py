"""Which part of the memory is looked at: of one release, one product, or all."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Store
from corpora.catalog.catalog import require_product, require_release
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ReleaseRow


@dataclass(frozen=True)
class Scope:
    """What of the memory is looked at; an empty name is every product or release.

    A release is named with its product.
    """

    product: str = ""
    release: str = ""


EVERYTHING = Scope()


@dataclass(frozen=True)
class PairFilter:
    """Which pairs are wanted; what is empty or None does not matter.

    `words` is in the question; a `cluster` is one of a store of a release; `read_other_than` leaves
    those whose question was read under another embedding than this one, so that no question finds
    them until a rebuild.
    """

    scope: Scope = EVERYTHING
    store: Store | None = None
    cluster: int | None = None
    suspended: bool | None = None
    words: str = ""
    read_other_than: str = ""


def release_ids(session: Session, scope: Scope) -> list[int]:
    """The ids of the releases within a scope; raises UnknownRelease."""
    if scope.release:
        return [require_release(session, scope.product, scope.release).id]
    ids = select(ReleaseRow.id).order_by(ReleaseRow.id)
    if scope.product:
        ids = ids.where(ReleaseRow.product_id == require_product(session, scope.product).id)
    return list(session.scalars(ids))


def conditions(session: Session, wanted: PairFilter) -> list[ColumnElement[bool]]:
    """What holds of the rows of the pairs that a filter leaves; raises UnknownRelease."""
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
