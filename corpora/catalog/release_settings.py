"""The releases of a product as an administrator sees and changes them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from corpora.catalog.catalog import (
    check_is_free,
    check_name,
    find_product,
    read_product,
    releases_of,
    require_product,
    require_release,
    taken_of,
)
from corpora.catalog.languages import check_language
from corpora.catalog.release import is_among
from corpora.database.engine import Database
from corpora.database.tables import GenerationRow, MemberRow, ProductRow, ReleaseRow
from corpora.errors import UnusableName


@dataclass(frozen=True)
class ReleaseSettings:
    """What an administrator says of a release; None in `prerelease` and `sorts_as`: as its name.

    `language` is that of all its documents from its next generation on; without one each document
    tells its own.
    """

    aliases: tuple[str, ...] = ()
    sorts_as: str | None = None
    prerelease: bool | None = None
    end_of_life: date | None = None
    hidden: bool = False
    language: str = ""


@dataclass(frozen=True)
class ProductSettings:
    """What an administrator says of a product; without `latest` the order decides.

    `language` is that of all releases of which nothing else is said.
    """

    aliases: tuple[str, ...] = ()
    latest: str | None = None
    language: str = ""


@dataclass(frozen=True)
class ReleaseOverview:
    """A release, offered or not, with the documents that serve it."""

    name: str
    prerelease: bool
    settings: ReleaseSettings
    generation: int | None
    published: datetime | None
    documents: int


@dataclass(frozen=True)
class ProductOverview:
    """A product with all of its releases, the oldest first; `latest` is the one that means so."""

    product: str
    settings: ProductSettings
    latest: str | None
    releases: tuple[ReleaseOverview, ...]

    def release(self, name: str) -> ReleaseOverview | None:
        """Return a release by its name, or None if there is none."""
        return next((r for r in self.releases if r.name == name), None)


@dataclass(frozen=True)
class ReleaseAdministration:
    """All products and releases in the database; a change is made whole or not at all."""

    database: Database

    def products(self) -> tuple[str, ...]:
        """Return the names of all products."""
        with self.database.reading() as session:
            return tuple(sorted(session.scalars(select(ProductRow.name)), key=str.casefold))

    def overview(self, product: str) -> ProductOverview:
        """Return a product with all its releases; raise UnknownRelease if it is not there."""
        with self.database.reading() as session:
            owner = require_product(session, product)
            served = _served(session, owner)
            rows = releases_of(owner)
            newest = read_product(owner).newest
            return ProductOverview(
                owner.name,
                ProductSettings(tuple(owner.aliases), owner.latest, owner.language),
                newest.name if newest else None,
                tuple(
                    ReleaseOverview(
                        row.name,
                        release.prerelease,
                        _settings(row),
                        row.published_generation_id,
                        *served.get(row.id, (None, 0)),
                    )
                    for row, release in zip(
                        rows, read_product(owner, every=True).releases, strict=True
                    )
                ),
            )

    def settings(self, product: str, release: str) -> ReleaseSettings:
        """Return what is said of a release; raise UnknownRelease if it is not there."""
        with self.database.reading() as session:
            return _settings(require_release(session, product, release))

    def change_release(self, product: str, release: str, settings: ReleaseSettings) -> str:
        """Set all that is said of a release and say what follows; or raise UnusableName."""
        return self.revise_release(product, release, lambda _: settings)

    def revise_release(
        self, product: str, release: str, revised: Callable[[ReleaseSettings], ReleaseSettings]
    ) -> str:
        """Set what is said of a release by what is said now, in one transaction; raise as above."""
        with self.database.writing() as session:
            row = require_release(session, product, release)
            settings = revised(_settings(row))
            aliases = _distinct(settings.aliases)
            sorts_as = (settings.sorts_as or "").strip() or None
            for name in (*aliases, *filter(None, [sorts_as])):
                check_name("release", name)
            for alias in aliases:
                if is_among(alias, row.name):
                    raise UnusableName("{alias!r} is the name of this release itself.", alias=alias)
                check_is_free(row.product, alias, but=row)
            row.aliases = aliases
            row.sorts_as = sorts_as
            row.prerelease = settings.prerelease
            row.end_of_life = settings.end_of_life
            row.language = check_language(settings.language)
            return (
                self._hide(session, row, settings.hidden) if settings.hidden != row.retired else ""
            )

    def hide(self, product: str, release: str, *, hidden: bool) -> str:
        """Hide a release or show it again, and say what follows; or raise UnknownRelease.

        It is an admin's word also of one that its source has hidden.
        """
        with self.database.writing() as session:
            return self._hide(session, require_release(session, product, release), hidden)

    def _hide(self, session: Session, row: ReleaseRow, hidden: bool) -> str:
        for taken in taken_of(session, row) if hidden else ():
            # It stays hidden when it is back there.
            taken.hidden = False
        if row.retired == hidden:
            return ""
        row.retired = hidden
        return self.database.on_change(session, row.id)

    def change_product(self, product: str, settings: ProductSettings) -> None:
        """Set all that is said of a product; raise UnusableName, UnknownRelease for its latest."""
        aliases = _distinct(settings.aliases)
        for alias in aliases:
            check_name("product", alias)
        with self.database.writing() as session:
            row = require_product(session, product)
            for alias in aliases:
                other = find_product(session, alias)
                if other not in (None, row):
                    raise UnusableName(
                        "{alias!r} is already a name of the product {other}.",
                        alias=alias,
                        other=other.name,
                    )
                if is_among(alias, row.name):
                    raise UnusableName("{alias!r} is the name of this product itself.", alias=alias)
            row.aliases = aliases
            row.language = check_language(settings.language)
            latest = settings.latest
            row.latest = require_release(session, row.name, latest).name if latest else None


def _served(session: Session, owner: ProductRow) -> dict[int, tuple[datetime | None, int]]:
    """When what serves each release was published, and how many documents it holds."""
    rows = session.execute(
        select(ReleaseRow.id, GenerationRow.published, func.count(MemberRow.document_id))
        .join(GenerationRow, GenerationRow.id == ReleaseRow.published_generation_id)
        .outerjoin(MemberRow, MemberRow.generation_id == GenerationRow.id)
        .where(ReleaseRow.product_id == owner.id)
        .group_by(ReleaseRow.id, GenerationRow.published)
    )
    return {release: (published, documents) for release, published, documents in rows}


def _settings(row: ReleaseRow) -> ReleaseSettings:
    return ReleaseSettings(
        tuple(row.aliases),
        row.sorts_as,
        row.prerelease,
        row.end_of_life,
        row.retired,
        row.language,
    )


def _distinct(names: tuple[str, ...]) -> list[str]:
    """Names without white space around them, without empty ones and without repetitions."""
    kept: dict[str, str] = {}
    for name in filter(None, map(str.strip, names)):
        kept.setdefault(name.casefold(), name)
    return list(kept.values())
