"""The catalog: products, their releases, what these are called, and which generation serves."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from corpora.catalog.memory_review import MemoryReview, review_release
from corpora.catalog.release import Product, Release, is_prerelease, sort_key
from corpora.database.engine import Database
from corpora.database.tables import (
    EmbeddingModelRow,
    GenerationRow,
    MemberRow,
    ProductRow,
    ReleaseRow,
)
from ingestion.errors import StrataError

LONGEST_NAME = 100


class CatalogError(StrataError):
    """What was asked of the catalog cannot be done; the message says why."""


class UnknownRelease(CatalogError):
    """There is no such product or release; the message lists those that there are."""


class NoCorpus(CatalogError):
    """Nothing serves a release; the message lists the releases that can be asked."""


class UnusableName(CatalogError):
    """A name or alias cannot be given; the message says why."""


class GenerationState(StrEnum):
    """Where a generation stands."""

    BUILDING = "building"
    PUBLISHED = "published"
    SUPERSEDED = "superseded"


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of a release's documentation; the published one serves."""

    id: int
    state: GenerationState
    documents: int
    embedding_model: str
    chunking: str
    created: datetime
    published: datetime | None


@dataclass(frozen=True, slots=True)
class Serving:
    """The generation that serves a release, with both names as the catalog writes them."""

    product: str
    release: str
    generation: int


class Catalog:
    """Products and releases in the database; names are compared without regard to case."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def products(self, *, every: bool = False) -> tuple[Product, ...]:
        """Return the products by name, each with the releases that can be asked, oldest first.

        With `every`, also releases that are retired or have nothing published, and products
        without releases.
        """
        with self._database.reading() as session:
            products = session.scalars(select(ProductRow)).all()
            releases = session.scalars(select(ReleaseRow)).all()
        found = []
        for product in sorted(products, key=lambda p: p.name.casefold()):
            own = [r for r in releases if r.product_id == product.id and (every or _serves(r))]
            own.sort(key=lambda r: (sort_key(r.sorts_as or r.name), r.name))
            if own or every:
                of_product = tuple(_release(product.name, r) for r in own)
                aliases = tuple(product.aliases)
                found.append(Product(product.name, aliases, of_product, product.latest))
        return tuple(found)

    def unpublished(self, product: str) -> tuple[str, ...]:
        """Return the names of a product's releases of which nothing was published yet, in order."""
        with self._database.reading() as session:
            owner = find_product(session, product)
            rows = releases_of(session, owner) if owner else []
            waiting = [r for r in rows if r.published_generation_id is None and not r.retired]
            waiting.sort(key=lambda r: (sort_key(r.sorts_as or r.name), r.name))
            return tuple(row.name for row in waiting)

    def product(self, name: str) -> Product:
        """Return a product by its name or an alias; raise UnknownRelease if there is none."""
        wanted = name.strip().casefold()
        products = self.products()
        for product in products:
            if wanted in (n.casefold() for n in (product.name, *product.aliases)):
                return product
        raise UnknownRelease(_unknown("product", name, [p.name for p in products]))

    def serving(self, product: str, release: str) -> Serving:
        """Return what serves a release; raise NoCorpus if it is not there, empty or retired."""
        with self._database.reading() as session:
            row = find_release(session, product, release)
            if row is not None and _serves(row):
                owner = session.get_one(ProductRow, row.product_id)
                assert row.published_generation_id is not None
                return Serving(owner.name, row.name, row.published_generation_id)
        there = [f"{r.product} {r.name}" for p in self.products() for r in p.releases]
        raise NoCorpus(
            f"There is no documentation of {product} {release}. "
            f"Available: {', '.join(there) or 'none yet'}."
        )

    def generations(self, product: str, release: str) -> tuple[Generation, ...]:
        """Return the generations of a release, the newest first."""
        with self._database.reading() as session:
            row = require_release(session, product, release)
            members = (
                select(func.count())
                .select_from(MemberRow)
                .where(MemberRow.generation_id == GenerationRow.id)
                .scalar_subquery()
            )
            found = session.execute(
                select(GenerationRow, EmbeddingModelRow.name, members)
                .join(EmbeddingModelRow, EmbeddingModelRow.id == GenerationRow.model_id)
                .where(GenerationRow.release_id == row.id)
                .order_by(GenerationRow.id.desc())
            )
            return tuple(
                Generation(
                    generation.id,
                    _state(generation, row),
                    documents,
                    model,
                    generation.chunking,
                    generation.created,
                    generation.published,
                )
                for generation, model, documents in found
            )

    def add_release(self, product: str, release: str) -> int:
        """Return the id of a release, which is added, with its product, if it is new.

        Raises UnusableName if the product calls another release so.
        """
        check_name("product", product)
        check_name("release", release)
        with self._database.writing() as session:
            found = find_release(session, product, release)
            if found:
                return found.id
            owner = find_product(session, product)
            if owner is None:
                owner = ProductRow(name=product.strip(), aliases=[])
                session.add(owner)
                session.flush()
            check_is_free(session, owner, release)
            row = ReleaseRow(product_id=owner.id, name=release.strip(), aliases=[], retired=False)
            session.add(row)
            session.flush()
            return row.id

    def add_alias(self, product: str, release: str, alias: str) -> None:
        """Let a release be called by another name too; raise UnusableName if that is taken."""
        check_name("alias", alias)
        with self._changing(product, release) as (session, owner, row):
            check_is_free(session, owner, alias)
            row.aliases = [*row.aliases, alias.strip()]

    def remove_alias(self, product: str, release: str, alias: str) -> None:
        """Take another name from a release; raise UnknownRelease if it has no such name."""
        with self._changing(product, release) as (_, _, row):
            kept = [a for a in row.aliases if a.casefold() != alias.strip().casefold()]
            if kept == row.aliases:
                raise UnknownRelease(_unknown(f"alias of {row.name}", alias, row.aliases))
            row.aliases = kept

    def retire(self, product: str, release: str) -> MemoryReview:
        """Offer a release no longer; what was ingested stays, remembered answers are suspended."""
        with self._changing(product, release) as (session, _, row):
            row.retired = True
            return review_release(session, row.id)

    def restore(self, product: str, release: str) -> MemoryReview:
        """Offer a retired release again, and its remembered answers where their pages serve."""
        with self._changing(product, release) as (session, _, row):
            row.retired = False
            return review_release(session, row.id)

    def rollback(self, product: str, release: str) -> MemoryReview:
        """Let the generation before the one that serves a release serve again.

        Returns what became of remembered answers. Raises UnknownRelease if none is kept.
        """
        with self._changing(product, release) as (session, _, row):
            earlier = GenerationRow.id < (row.published_generation_id or 0)
            before = session.scalar(_kept(row, earlier).order_by(GenerationRow.id.desc()).limit(1))
            if before is None:
                raise UnknownRelease(
                    f"No earlier version of {product} {release} is kept to roll back to."
                )
            row.published_generation_id = before
            return review_release(session, row.id)

    def serve(self, product: str, release: str, generation: int) -> MemoryReview:
        """Let a generation of a release that served once serve again, an earlier or a later one.

        Returns what became of remembered answers. Raises UnknownRelease if it is not kept.
        """
        with self._changing(product, release) as (session, _, row):
            if session.scalar(_kept(row, GenerationRow.id == generation)) is None:
                raise UnknownRelease(
                    f"This version of {product} {release} is no longer kept. "
                    "Reload the page to see the versions that are."
                )
            row.published_generation_id = generation
            return review_release(session, row.id)

    @contextmanager
    def _changing(
        self, product: str, release: str
    ) -> Iterator[tuple[Session, ProductRow, ReleaseRow]]:
        with self._database.writing() as session:
            row = require_release(session, product, release)
            yield session, session.get_one(ProductRow, row.product_id), row


def _serves(row: ReleaseRow) -> bool:
    return row.published_generation_id is not None and not row.retired


def _kept(release: ReleaseRow, which: ColumnElement[bool]) -> Select[int]:
    """The generations of a release that served once, as far as they are kept."""
    return select(GenerationRow.id).where(
        GenerationRow.release_id == release.id, GenerationRow.published.is_not(None), which
    )


def _release(product: str, row: ReleaseRow) -> Release:
    prerelease = is_prerelease(row.name) if row.prerelease is None else row.prerelease
    return Release(product, row.name, tuple(row.aliases), prerelease, row.end_of_life)


def _state(generation: GenerationRow, release: ReleaseRow) -> GenerationState:
    if generation.published is None:
        return GenerationState.BUILDING
    if generation.id == release.published_generation_id:
        return GenerationState.PUBLISHED
    return GenerationState.SUPERSEDED


def find_product(session: Session, name: str) -> ProductRow | None:
    """Return the row of a product by its name or an alias, or None."""
    wanted = name.strip().casefold()
    rows = session.scalars(select(ProductRow)).all()
    return next((p for p in rows if wanted in (n.casefold() for n in (p.name, *p.aliases))), None)


def find_release(session: Session, product: str, release: str) -> ReleaseRow | None:
    """Return the row of a release by its name, or None."""
    owner = find_product(session, product)
    if owner is None:
        return None
    wanted = release.strip().casefold()
    return next((r for r in releases_of(session, owner) if r.name.casefold() == wanted), None)


def releases_of(session: Session, product: ProductRow) -> list[ReleaseRow]:
    """Return the rows of all releases of a product, in no order."""
    return list(session.scalars(select(ReleaseRow).where(ReleaseRow.product_id == product.id)))


def require_product(session: Session, name: str) -> ProductRow:
    """Return the row of a product by its name or an alias; raise UnknownRelease if none."""
    found = find_product(session, name)
    if found is None:
        names = [p.name for p in session.scalars(select(ProductRow))]
        raise UnknownRelease(_unknown("product", name, names))
    return found


def require_release(session: Session, product: str, release: str) -> ReleaseRow:
    """Return the row of a release by its name; raise UnknownRelease if there is none."""
    owner = require_product(session, product)
    found = find_release(session, product, release)
    if found is None:
        names = [r.name for r in releases_of(session, owner)]
        raise UnknownRelease(_unknown(f"release of {owner.name}", release, names))
    return found


def check_name(what: str, name: str) -> None:
    """Raise UnusableName for what cannot be the name of a product, a release or an alias."""
    stripped = name.strip()
    if not stripped or len(stripped) > LONGEST_NAME or not stripped.isprintable():
        raise UnusableName(
            f"{name[:LONGEST_NAME]!r} cannot be the name of a {what}: give between 1 and "
            f"{LONGEST_NAME} printable characters."
        )


def check_is_free(
    session: Session, product: ProductRow, name: str, but: ReleaseRow | None = None
) -> None:
    """Raise UnusableName if a release of a product, other than `but`, is called so already."""
    wanted = name.strip().casefold()
    for row in releases_of(session, product):
        if row is not but and wanted in (n.casefold() for n in (row.name, *row.aliases)):
            raise UnusableName(f"{name!r} is already a name of {product.name} {row.name}.")


def _unknown(what: str, name: str, known: list[str]) -> str:
    there = ", ".join(sorted(known, key=sort_key)) or "none yet"
    return f"There is no {what} {name!r}. Available: {there}."
