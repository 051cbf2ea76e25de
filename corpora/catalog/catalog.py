"""The catalog: products, their releases, what these are called, and which generation serves."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from corpora.catalog.languages import check_language, languages_of
from corpora.catalog.release import (
    Product,
    Release,
    SortKey,
    is_among,
    is_named_by_words,
    is_prerelease,
    sort_key,
    unordered,
)
from corpora.database.engine import Database
from corpora.database.read_once import once
from corpora.database.source_tables import SourceReleaseRow, SourceRow
from corpora.database.tables import (
    EmbeddingModelRow,
    GenerationRow,
    MemberRow,
    ProductRow,
    ReleaseRow,
)
from corpora.errors import NoCorpus, UnknownRelease, UnusableName
from ingestion.messages import message, message_noop

LONGEST_NAME = 100


@dataclass(frozen=True, slots=True)
class Generation:
    """One state of a release's documentation; being built until it is published or waits."""

    id: int
    documents: int
    embedding_model: str
    published: datetime | None
    waiting: datetime | None


@dataclass(frozen=True, slots=True)
class Serving:
    """The generation that serves a release, with both names as the catalog writes them."""

    product: str
    release: str
    generation: int


class Catalog:
    """Products and releases in the database; names are compared without regard to case.

    `instead` has generations that answer in place of what serves, by the ids of their releases: so
    one that waits to be published can be asked.
    """

    def __init__(self, database: Database, instead: Mapping[int, int] | None = None) -> None:
        self._database = database
        self._instead = instead or {}
        self._languages: dict[int, tuple[str, ...]] = {}

    def products(self, *, every: bool = False) -> tuple[Product, ...]:
        """Return the products by name, each with the releases that can be asked, oldest first.

        With `every`, also those that are retired or empty.
        """
        return once(self._products, every)

    def _products(self, every: bool) -> tuple[Product, ...]:
        with self._database.reading() as session:
            rows = session.scalars(select(ProductRow).options(selectinload(ProductRow.releases)))
            products = [self._with_languages(row, session, every=every) for row in rows]
        products.sort(key=lambda p: p.name.casefold())
        return tuple(product for product in products if product.releases or every)

    def _with_languages(self, row: ProductRow, session: Session, *, every: bool) -> Product:
        """A product whose releases have the languages of their documents."""
        found = read_product(row, every=every, instead=self._instead)
        # A generation never changes.
        for generation in filter(None, (release.generation for release in found.releases)):
            if generation not in self._languages:
                told = languages_of(session, generation).documents
                self._languages[generation] = tuple(told)
        releases = (
            replace(release, languages=self._languages.get(release.generation or 0, ()))
            for release in found.releases
        )
        return replace(found, releases=tuple(releases))

    def product(self, name: str) -> Product:
        """Return a product by its name or an alias; raise UnknownRelease if there is none."""
        products = self.products()
        for product in products:
            if is_among(name, product.name, *product.aliases):
                return product
        raise UnknownRelease(_unknown(_NO_PRODUCT, name, [p.name for p in products]))

    def has_open_order(self, product: str) -> bool:
        """Whether it is open which release of a product is the latest, so that an admin says it."""
        with self._database.reading() as session:
            found = read_product(require_product(session, product))
        return bool(found.releases) and found.newest is None

    def serving(self, product: str, release: str) -> Serving:
        """Return what serves a release; raise NoCorpus if it is not there, empty or retired."""
        with self._database.reading() as session:
            row = find_release(session, product, release)
            serves = row.published_generation_id if row and not row.retired else None
            generation = self._instead.get(row.id, serves) if row else None
            if row is not None and generation is not None:
                return Serving(row.product.name, row.name, generation)
        there = [f"{r.product} {r.name}" for p in self.products() for r in p.releases]
        raise NoCorpus(
            "There is no documentation of {product} {release}. Available: {there}.",
            product=product,
            release=release,
            there=", ".join(there) or message("none yet"),
        )

    def all_serving(self, product: str) -> tuple[Serving, ...]:
        """Return what serves the releases of a product that can be asked, the oldest first."""
        with self._database.reading() as session:
            row = find_product(session, product)
            return tuple(
                Serving(release.product.name, release.name, release.published_generation_id)
                for release in (releases_of(row) if row else ())
                if release.published_generation_id is not None and not release.retired
            )

    def generations(self, product: str, release: str) -> tuple[Generation, ...]:
        """Return the generations of a release, the newest first."""
        members = select(func.count()).where(MemberRow.generation_id == GenerationRow.id)
        columns = GenerationRow.id, members.scalar_subquery(), EmbeddingModelRow.name
        with self._database.reading() as session:
            row = require_release(session, product, release)
            found = session.execute(
                select(*columns, GenerationRow.published, GenerationRow.waiting)
                .join(EmbeddingModelRow, EmbeddingModelRow.id == GenerationRow.model_id)
                .where(GenerationRow.release_id == row.id)
                .order_by(GenerationRow.id.desc())
            )
            return tuple(Generation(*values) for values in found)

    def add_release(self, product: str, release: str, language: str | None = None) -> int:
        """Return the id of a release, added with its product if it is new; raise UnusableName.

        A `language` is said of all its documents, from its next generation on; "": each tells its
        own.
        """
        check_name("product", product)
        check_name("release", release)
        code = None if language is None else check_language(language)
        with self._database.writing() as session:
            row = find_release(session, product, release)
            if row is None:
                owner = find_product(session, product)
                if owner is None:
                    owner = ProductRow(name=product.strip(), aliases=[])
                    session.add(owner)
                    session.flush()
                check_is_free(owner, release)
                row = ReleaseRow(
                    product_id=owner.id, name=release.strip(), aliases=[], retired=False
                )
                session.add(row)
                session.flush()
            if code is not None:
                row.language = code
            return row.id

    def rollback(self, product: str, release: str) -> str:
        """Let the generation before serve; say what follows, or raise UnknownRelease if none is."""
        with self._database.writing() as session:
            row = require_release(session, product, release)
            before = session.scalar(
                select(GenerationRow.id)
                .where(
                    GenerationRow.release_id == row.id,
                    GenerationRow.published.is_not(None),
                    GenerationRow.id < (row.published_generation_id or 0),
                )
                .order_by(GenerationRow.id.desc())
                .limit(1)
            )
            if before is None:
                raise UnknownRelease(
                    "No earlier version of {product} {release} is kept to roll back to.",
                    product=product,
                    release=release,
                )
            row.published_generation_id = before
            return self._database.on_change(session, row.id)

    def serve(self, product: str, release: str, generation: int) -> str:
        """Let a kept generation serve, and say what follows; raise UnknownRelease if it is gone."""
        with self._database.writing() as session:
            row = require_release(session, product, release)
            kept = session.get(GenerationRow, generation)
            if kept is None or kept.release_id != row.id or kept.published is None:
                raise UnknownRelease(
                    "This version of {product} {release} is no longer kept. Reload the page "
                    "to see the versions that are.",
                    product=product,
                    release=release,
                )
            row.published_generation_id = generation
            return self._database.on_change(session, row.id)


def read_product(
    row: ProductRow, *, every: bool = False, instead: Mapping[int, int] | None = None
) -> Product:
    """Return a product with those of its releases that can be asked, or all.

    Beside numbers a name without one (next, main) is that of a pre-release. Releases whose ids are
    in `instead` can be asked, and have the generation there in place of the published one.
    """
    instead = instead or {}
    rows = releases_of(row)
    in_words = {r.name for r in rows if is_named_by_words(r.sorts_as or r.name)}
    unfinished = in_words if len(in_words) < len(rows) else set()
    asked = [
        r
        for r in rows
        if every or r.id in instead or (r.published_generation_id is not None and not r.retired)
    ]
    releases = tuple(
        Release(
            row.name,
            release.name,
            tuple(release.aliases),
            is_prerelease(release.name) or release.name in unfinished
            if release.prerelease is None
            else release.prerelease,
            release.end_of_life,
            id=release.id,
            generation=instead.get(release.id, release.published_generation_id),
        )
        for release in asked
    )
    finals = {r.name for r in releases if not r.prerelease} or {r.name for r in releases}
    sorted_as = {r.sorts_as or r.name: r.name for r in asked if r.name in finals}
    in_doubt = tuple(sorted_as[name] for name in unordered([*sorted_as]))
    return Product(row.name, tuple(row.aliases), releases, row.latest, in_doubt)


def find_product(session: Session, name: str) -> ProductRow | None:
    """Return the row of a product by its name or an alias, or None."""
    rows = session.scalars(select(ProductRow)).all()
    return next((row for row in rows if is_among(name, row.name, *row.aliases)), None)


def find_release(session: Session, product: str, release: str) -> ReleaseRow | None:
    """Return the row of a release by its name, or None."""
    owner = find_product(session, product)
    rows = releases_of(owner) if owner else []
    return next((row for row in rows if is_among(release, row.name)), None)


def taken_of(session: Session, release: ReleaseRow) -> list[SourceReleaseRow]:
    """Return what is known of a release at its sources, which may spell its names otherwise."""
    names = release.product.name, *release.product.aliases
    rows = session.execute(
        select(SourceReleaseRow, SourceRow.product).join(
            SourceRow, SourceRow.id == SourceReleaseRow.source_id
        )
    )
    return [
        taken
        for taken, product in rows
        if is_among(product, *names) and is_among(taken.name, release.name)
    ]


def releases_of(product: ProductRow) -> list[ReleaseRow]:
    """Return the rows of all releases of a product, the oldest first, names in words last."""

    def place(row: ReleaseRow) -> tuple[bool, SortKey, str]:
        name = row.sorts_as or row.name
        return is_named_by_words(name), sort_key(name), row.name

    return sorted(product.releases, key=place)


def require_product(session: Session, name: str) -> ProductRow:
    """Return the row of a product by its name or an alias; raise UnknownRelease if none."""
    found = find_product(session, name)
    if found is None:
        names = [row.name for row in session.scalars(select(ProductRow))]
        raise UnknownRelease(_unknown(_NO_PRODUCT, name, names))
    return found


def require_release(session: Session, product: str, release: str) -> ReleaseRow:
    """Return the row of a release by its name; raise UnknownRelease if there is none."""
    owner = require_product(session, product)
    found = find_release(session, product, release)
    if found is None:
        names = [row.name for row in owner.releases]
        raise UnknownRelease(_unknown(_NO_RELEASE, release, names, owner.name))
    return found


def check_name(what: str, name: str) -> None:
    """Raise UnusableName for what cannot be the name of a product, a release or an alias."""
    stripped = name.strip()
    if not stripped or len(stripped) > LONGEST_NAME or not stripped.isprintable():
        raise UnusableName(
            "{name!r} cannot be the name of a product, a release or an alias: give between 1 and "
            "{longest_name} printable characters.",
            name=name[:LONGEST_NAME],
            longest_name=LONGEST_NAME,
        )


def check_is_free(product: ProductRow, name: str, but: ReleaseRow | None = None) -> None:
    """Raise UnusableName if a release of a product, other than `but`, is called so already."""
    for row in product.releases:
        if row is not but and is_among(name, row.name, *row.aliases):
            raise UnusableName(
                "{name!r} is already a name of {product} {release}.",
                name=name,
                product=product.name,
                release=row.name,
            )


_NO_PRODUCT = message_noop("There is no product {name!r}. Available: {there}.")
_NO_RELEASE = message_noop("There is no release of {product} {name!r}. Available: {there}.")


def _unknown(what: str, name: str, known: list[str], product: str = "") -> str:
    there = ", ".join(sorted(known, key=sort_key)) or message("none yet")
    return message(what, name=name, there=there, product=product)
