"""Keys for programs: made, shown once, kept as hashes, revoked."""

import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from typing import Any

from sqlalchemy import func, select, update

from chatbot.accounts.audit import recorded
from chatbot.accounts.people import Person, groups_noted
from chatbot.errors import BadInput, NotAllowed, NotSignedIn
from chatbot.text.languages import gettext
from corpora.catalog.rights import Rights, Viewer
from corpora.database.engine import Database
from corpora.database.history_tables import ProgramKeyRow

PREFIX = "strata_"
"""The beginning of every key, by which scanners for leaked secrets recognise it."""
LONGEST_NAME = 80
MOST_KEYS = 20
"""Keys that somebody who is no admin may have."""
PROGRAM = "program:"
"""The beginning of a program's id, which no person's id has."""
_USE_NOTED_EVERY = timedelta(minutes=1)


class Scope(StrEnum):
    """A right that a key gives to a program."""

    ASK = "ask"
    SEARCH = "search"
    INGEST = "ingest"
    ADMIN = "admin"


FOR_ADMINS = frozenset({Scope.INGEST, Scope.ADMIN})
"""Scopes that only an admin can grant; those that one of products grants are for these alone."""


@dataclass(frozen=True)
class ProgramKeys:
    """Makes, finds and revokes keys."""

    database: Database

    def make(
        self,
        person: Person,
        name: str,
        scopes: Collection[Scope],
        questions_per_minute: int,
        *,
        usual: int,
        groups: Collection[str] | None = None,
    ) -> tuple[ProgramKeyRow, str]:
        """Make a key; return its row and the key itself, which is not stored.

        0 `questions_per_minute` are no limit; only an admin grants more than the `usual` number.
        It is in the groups of its owner, or in those that an admin names.
        Raises BadInput without a name or a scope, with more questions, or where somebody has
        MOST_KEYS, and NotAllowed for a scope that only admins can grant.
        """
        name = " ".join(name.split())
        if not name or len(name) > LONGEST_NAME:
            raise BadInput(
                gettext("Give the key a name of at most {number} characters.", number=LONGEST_NAME)
            )
        if not scopes:
            raise BadInput(gettext("Choose what the key may do."))
        of_products = not FOR_ADMINS.isdisjoint(scopes) and not person.is_admin
        if groups is not None:
            person.require_admin()
        if of_products and Rights(self.database.whole).administered(person.viewer) is None:
            person.require_admin()
        if usual and not person.is_admin and not 0 < questions_per_minute <= usual:
            raise BadInput(
                gettext(
                    "Your keys may ask at most {number} questions a minute. An admin can make one "
                    "that may ask more.",
                    number=usual,
                )
            )
        key = PREFIX + secrets.token_urlsafe(32)
        row = ProgramKeyRow(
            name=name,
            digest=_digest(key),
            scopes=sorted(scopes),
            questions_per_minute=max(0, questions_per_minute),
            owner=person.id,
            created=datetime.now(UTC),
            groups=None if groups is None else sorted(filter(None, map(str.strip, groups))),
            of_products=of_products,
        )
        own = select(func.count()).where(ProgramKeyRow.owner == person.id)
        with self.database.writing() as session:
            if not person.is_admin and (session.scalar(own) or 0) >= MOST_KEYS:
                raise BadInput(
                    gettext(
                        "You have {number} keys: revoke one that you no longer need.",
                        number=MOST_KEYS,
                    )
                )
            session.add(row)
            session.flush()
            told: dict[str, Any] = {} if row.groups is None else {"groups": row.groups}
            recorded(session, person, "make key", name, key=row.id, scopes=sorted(scopes), **told)
        return row, key

    def revoke(self, person: Person, program: int) -> None:
        """Revoke a key; at once nobody can use it. Admins may revoke everybody's."""
        with self.database.writing() as session:
            row = session.get(ProgramKeyRow, program)
            if row is None or not (person.is_admin or row.owner == person.id):
                raise NotAllowed("There is no such key of yours.")
            session.delete(row)
            recorded(session, person, "revoke key", row.name, key=program)

    def seen_by(self, person: Person) -> tuple[ProgramKeyRow, ...]:
        """The keys that a person made, all of them for an admin; the newest first."""
        rows = select(ProgramKeyRow).order_by(ProgramKeyRow.id.desc())
        if not person.is_admin:
            rows = rows.where(ProgramKeyRow.owner == person.id)
        with self.database.reading() as session:
            return tuple(session.scalars(rows))

    def one_with(self, program: ProgramKeyRow) -> set[str]:
        """The ids as people of a key's owner and of all their keys."""
        keys = select(ProgramKeyRow).where(ProgramKeyRow.owner == program.owner)
        with self.database.reading() as session:
            return {program.owner, *(person_of(key).id for key in session.scalars(keys))}

    def viewer(self, program: ProgramKeyRow, days: int) -> Viewer:
        """Whose rights a key has: its owner's, though not those of an admin of Strata.

        The owner's groups count if they were seen in the last `days`. A key with the scope of an
        admin of Strata sees everything.
        """
        if is_of_admin(program):
            return Viewer(program.owner, is_admin=True)
        if program.groups is not None:
            return Viewer("", frozenset(program.groups))
        groups = groups_noted(self.database, program.owner, timedelta(days=days))
        return Viewer(program.owner, frozenset(groups))

    def program(self, key: str) -> ProgramKeyRow:
        """The row of a key; raises NotSignedIn where there is no such key."""
        # The key is random: whoever can guess its hash can guess the key.
        of_key = select(ProgramKeyRow).where(ProgramKeyRow.digest == _digest(key))
        with self.database.reading() as session:
            row = session.scalar(of_key)
        if row is None:
            raise NotSignedIn("This key is not valid. Make one on the Account page.")
        now = datetime.now(UTC)
        if row.used is None or now - row.used > _USE_NOTED_EVERY:
            with self.database.writing() as session:
                session.execute(
                    update(ProgramKeyRow).where(ProgramKeyRow.id == row.id).values(used=now)
                )
        return row


def is_of_admin(program: ProgramKeyRow) -> bool:
    """Whether a key has the scope of an admin, of all of Strata."""
    return Scope.ADMIN in program.scopes and not program.of_products


def person_of(program: ProgramKeyRow) -> Person:
    """A program as a person, with an id of its own; an admin if its scopes are an admin's."""
    is_admin = not FOR_ADMINS.isdisjoint(program.scopes) and not program.of_products
    return Person(f"{PROGRAM}{program.id}", program.name, is_admin)


def keys_of(owner: str) -> str:
    """Under which name the use of all keys of one owner is counted together."""
    return f"keys:{owner}"


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()
