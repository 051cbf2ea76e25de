"""Rights: who may see a product, or single releases of it, and who administers a product.

Without a word on a product it is open to all. What is said of a name stays said when what has the
name is deleted: made again, it is open to the same people. What somebody may not see is left out
where the database is read (`corpora.database.sight`), and nowhere else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpora.catalog.catalog import find_product, find_release, require_product, require_release
from corpora.catalog.release import is_among, sort_key
from corpora.database.engine import Database
from corpora.database.right_tables import RightRow
from corpora.database.sight import Seen, Sight
from corpora.database.tables import ProductRow, ReleaseRow
from corpora.errors import UnusableRight

LONGEST_NAME = 320
MOST_NAMES = 200
GROUP = "group:"
"""The beginning of a group among the admins of a product; others are people."""


class Audience(StrEnum):
    """To whom a product or release is open."""

    ALL = "all"
    GROUPS = "groups"
    ADMINS = "admins"


@dataclass(frozen=True)
class Right:
    """To whom something is open: with GROUPS to those in one of `groups`, and always to admins."""

    audience: Audience = Audience.ALL
    groups: tuple[str, ...] = ()


OPEN = Right()
"""What everything is as long as nobody says otherwise."""


@dataclass(frozen=True)
class Viewer:
    """Who looks: a person by `id`, with groups; an admin of all of Strata sees everything."""

    id: str = ""
    groups: frozenset[str] = frozenset()
    is_admin: bool = False

    def may_see(self, right: Right) -> bool:
        """Whether a right lets this viewer in."""
        if self.is_admin or right.audience is Audience.ALL:
            return True
        return right.audience is Audience.GROUPS and not self.groups.isdisjoint(right.groups)

    def is_among(self, admins: Iterable[str]) -> bool:
        """Whether this viewer is one of the admins of a product."""
        own = {f"{GROUP}{name}" for name in self.groups}
        # A proxy may call a person as it likes: none of them is a group.
        if self.id and not self.id.startswith(GROUP):
            own.add(self.id)
        return not own.isdisjoint(admins)


NOBODY = Viewer()
"""Somebody of whom nothing is known: sees what is open to all."""


@dataclass(frozen=True)
class ProductRights:
    """What is said of a product; `releases` holds those of which something else is said.

    `deleted` names those of them that are not there any more; "" is the product itself.
    """

    product: str
    right: Right = OPEN
    releases: tuple[tuple[str, Right], ...] = ()
    admins: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def of(self, release: str) -> Right:
        """The right that counts for a release."""
        return dict(self.releases).get(release, self.right)


@dataclass(frozen=True)
class Rights:
    """The rights in a database, which is one without a sight."""

    database: Database

    def every(self) -> tuple[ProductRights, ...]:
        """What is said of each product, by name."""
        with self.database.reading() as session:
            found = _said(session)
        return tuple(sorted((f.rights for f in found), key=lambda of: of.product.casefold()))

    def of(self, product: str) -> ProductRights:
        """What is said of a product; raises UnknownRelease if there is none."""
        with self.database.reading() as session:
            name = _row(session, product, "").product
            return next(f.rights for f in _said(session) if is_among(name, f.row.name))

    def change(self, product: str, release: str, right: Right | None) -> None:
        """Say to whom a product is open, or a release of it, if one is named.

        None takes back what was said: a release is then as its product, and a product open to all.
        Raises UnusableRight, and UnknownRelease for what is not there, unless something was said
        of it.
        """
        right = _checked(right) if right else None
        with self.database.writing() as session:
            row = _row(session, product, release)
            now = right or OPEN
            row.audience, row.groups = now.audience.value, list(now.groups)
            _keep(session, row, nothing_said=right is None)

    def change_admins(self, product: str, admins: Iterable[str]) -> None:
        """Say who administers a product, by address or as "group:NAME". Raises as `change`."""
        # Addresses are kept in small letters, as whoever signs in with one is.
        names = [n if n.startswith(GROUP) else n.lower() for n in _names(admins)]
        if GROUP in names:
            raise UnusableRight("“{group}” names no group: write {group}NAME.", group=GROUP)
        with self.database.writing() as session:
            row = _row(session, product, "")
            row.admins = names
            _keep(session, row, nothing_said=_right(row) == OPEN)

    def sight(self, viewer: Viewer) -> Sight | None:
        """What a viewer sees; None where that is everything."""
        if viewer.is_admin:
            return None
        with self.database.reading() as session:
            if session.scalar(select(RightRow.id).limit(1)) is None:
                return None
            shown = [(found, _shown(found, viewer)) for found in _said(session)]
        return _sight(shown) if any(names is not None for _, names in shown) else None

    def administered(self, viewer: Viewer) -> Sight | None:
        """The products that somebody administers, and nothing else; None without any.

        An admin of all of Strata administers no single one.
        """
        if viewer.is_admin or not viewer.id:
            return None
        with self.database.reading() as session:
            if session.scalar(select(RightRow.id).limit(1)) is None:
                return None
            shown = [
                (found, None if viewer.is_among(found.rights.admins) else ())
                for found in _said(session)
            ]
        if all(names == () for _, names in shown):
            return None
        return replace(_sight(shown), administered_by=viewer.id)

    def alone(self, product: str) -> Sight:
        """What there is of one product, and nothing else."""
        with self.database.reading() as session:
            said = _said(session)
        return _sight((of, None if is_among(product, of.row.name) else ()) for of in said)


class _Named(NamedTuple):
    """The names of a product or release, as those of its row are read."""

    id: int | None
    name: str
    aliases: Sequence[str] = ()


@dataclass(frozen=True)
class _Said:
    """A product with its releases, as columns of their rows, and what is said of them.

    Those that are not there have no id.
    """

    row: _Named
    releases: Sequence[_Named]
    rights: ProductRights


def _said(session: Session) -> list[_Said]:
    # By columns: it is read with every request, where anything is said at all.
    releases: dict[int, list[_Named]] = {}
    columns = ReleaseRow.product_id, ReleaseRow.id, ReleaseRow.name, ReleaseRow.aliases
    for product, *names in session.execute(select(*columns)):
        releases.setdefault(product, []).append(_Named._make(names))
    said: dict[str, list[RightRow]] = {}
    for right in session.scalars(select(RightRow)):
        said.setdefault(right.product.casefold(), []).append(right)
    rows = session.execute(select(ProductRow.id, ProductRow.name, ProductRow.aliases))
    products = list(map(_Named._make, rows))
    there = {product.name.casefold() for product in products}
    products += [_Named(None, rights[0].product) for n, rights in said.items() if n not in there]
    return [
        _of(product, releases.get(product.id or 0, []), said.get(product.name.casefold(), []))
        for product in products
    ]


def _of(product: _Named, there: Sequence[_Named], said: Sequence[RightRow]) -> _Said:
    names = {release.name.casefold(): release.name for release in there}
    own = next((row for row in said if not row.release), None)
    of = [(names.get(r.release.casefold(), r.release), _right(r)) for r in said if r.release]
    gone = [name for name, _ in of if name.casefold() not in names]
    rights = ProductRights(
        product.name,
        _right(own) if own else OPEN,
        tuple(sorted(of, key=lambda of: sort_key(of[0]))),
        tuple(own.admins) if own else (),
        (*([""] if product.id is None else []), *sorted(gone, key=sort_key)),
    )
    return _Said(product, [*there, *(_Named(None, name) for name in gone)], rights)


def _shown(found: _Said, viewer: Viewer) -> tuple[str, ...] | None:
    """The releases of a product that are seen; None: every one, those too that are yet to come."""
    rights = found.rights
    if viewer.is_among(rights.admins):
        return None
    names = [release.name for release in found.releases]
    seen = tuple(sorted(name for name in names if viewer.may_see(rights.of(name))))
    # What is uploaded later is as the product.
    if len(seen) == len(names) and viewer.may_see(rights.right):
        return None
    return seen if any(r.id is not None and r.name in seen for r in found.releases) else ()


def _sight(shown: Iterable[tuple[_Said, tuple[str, ...] | None]]) -> Sight:
    seen: list[Seen] = []
    products: list[int] = []
    releases: list[int] = []
    unseen: list[str] = []
    for found, names in shown:
        row = found.row
        hidden = [r for r in found.releases if names is not None and r.name not in names]
        releases += [release.id for release in hidden if release.id is not None]
        if names is None or names:
            seen.append(Seen((row.name, *row.aliases), names))
            unseen += [name for release in hidden for name in (release.name, *release.aliases)]
        else:
            products += [] if row.id is None else [row.id]
            unseen += [row.name, *row.aliases]
    # In an order of its own, so that equal ones are equal.
    by_name = sorted(seen, key=lambda one: one.names)
    return Sight(
        tuple(by_name), tuple(sorted(products)), tuple(sorted(releases)), tuple(sorted(unseen))
    )


def _right(row: RightRow) -> Right:
    return Right(Audience(row.audience), tuple(row.groups))


def _row(session: Session, product: str, release: str) -> RightRow:
    """What is said of a product or release, a new row where nothing is. Raises UnknownRelease."""
    owner, found = find_product(session, product), find_release(session, product, release)
    product, release = owner.name if owner else product, found.name if found else release
    said = [row for row in session.scalars(select(RightRow)) if is_among(product, row.product)]
    for row in said:
        if is_among(release, row.release):
            return row
    if not said:
        require_product(session, product)
    if release:
        require_release(session, product, release)
    return RightRow(
        product=product, release=release, audience=Audience.ALL.value, groups=[], admins=[]
    )


def _keep(session: Session, row: RightRow, *, nothing_said: bool) -> None:
    if row.admins or not nothing_said:
        session.add(row)
    elif row.id is not None:
        session.delete(row)


def _checked(right: Right) -> Right:
    groups = tuple(_names(right.groups))
    if right.audience is Audience.GROUPS and not groups:
        raise UnusableRight("Name at least one group, or open it to admins alone.")
    return Right(right.audience, groups if right.audience is Audience.GROUPS else ())


def _names(given: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(filter(None, map(str.strip, given))))
    for name in names:
        if len(name) > LONGEST_NAME or not name.isprintable():
            raise UnusableRight(
                "{name!r} cannot be a group or an address: give at most {longest_name} "
                "printable characters.",
                name=name[:LONGEST_NAME],
                longest_name=LONGEST_NAME,
            )
    if len(names) > MOST_NAMES:
        raise UnusableRight(
            "{number} names are given, the limit is {most_names}.",
            number=len(names),
            most_names=MOST_NAMES,
        )
    return names
