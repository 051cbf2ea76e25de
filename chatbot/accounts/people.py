"""A person and what they may do."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import select

from chatbot.errors import BadInput, NotAllowed, NotSignedIn
from chatbot.text.languages import gettext
from corpora.catalog.rights import Viewer
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import PersonRow
from corpora.database.right_tables import MembershipRow
from ingestion.messages import message, message_noop

_NOTED_EVERY = timedelta(hours=1)


LIMITED = (
    *(message_noop("answer"), message_noop("question"), message_noop("comment")),
    *(message_noop("note"), message_noop("corrected answer"), message_noop("gold answer")),
)
"""What has a limit."""


def require_short(what: str, text: str, longest: int) -> None:
    """Raise BadInput for a text with more characters than the limit."""
    if len(text) > longest:
        raise BadInput(
            "The {what} has {number:,} characters, the limit is {longest:,}: shorten it.",
            what=message(what),
            number=len(text),
            longest=longest,
        )


@dataclass(frozen=True)
class Person:
    """A person who uses Strata; `id` is the account that signed in, empty without sign-in.

    `signed_in` is when they signed in, None where that is not known.
    """

    id: str
    name: str
    is_admin: bool
    groups: frozenset[str] = frozenset()
    signed_in: datetime | None = field(default=None, compare=False)

    def require_admin(self, over: Database | None = None) -> None:
        """Raise NotAllowed unless this is an admin, of Strata or of all that is in `over`."""
        sight = over.sight if over else None
        if not (self.is_admin or (sight and self.id and sight.administered_by == self.id)):
            raise NotAllowed(
                gettext("Only admins can do this. Ask an admin of this Strata for it.")
            )

    @property
    def viewer(self) -> Viewer:
        """Whose rights count."""
        return Viewer(self.id, self.groups, self.is_admin)


LOCAL = Person("", "local", is_admin=True)
"""The only person of a Strata without sign-in."""


@dataclass(frozen=True)
class Account:
    """Somebody as a provider knows them: `subject` never changes hands, an address may.

    The address is empty where it is not verified, the subject where only the address is known.
    """

    subject: str
    address: str
    name: str
    is_admin: bool
    groups: frozenset[str] = frozenset()
    signed_in: datetime | None = field(default=None, compare=False)


def person_of_account(database: Database, account: Account) -> Person:
    """Return the person of an account.

    Their id is the first address they signed in with, for good: if the provider later gives that
    address to somebody else, it does not open what is kept under it.
    """
    kept = _kept_id(database, account) if account.subject else account.address
    return Person(kept, account.name, account.is_admin, account.groups, account.signed_in)


def _kept_id(database: Database, account: Account) -> str:
    known = select(PersonRow.id).where(PersonRow.subject == account.subject)
    with database.reading() as session:
        if (kept := session.scalar(known)) is not None:
            return kept
    with database.writing() as session:
        for name in filter(None, (account.address, account.subject)):
            row = {"subject": account.subject, "id": name, "created": datetime.now(UTC)}
            session.execute(insert_or_ignore(session, PersonRow).values(row))
            if (kept := session.scalar(known)) is not None:
                return kept
    raise NotSignedIn("{subject} cannot be told from somebody else.", subject=account.subject)


def note_groups(database: Database, person: Person) -> None:
    """Keep the groups of a person's newest sign-in, for the keys that they made.

    An older one may go on elsewhere, which does not bring back a group that they have left.
    """
    now, groups = person.signed_in or datetime.now(UTC), sorted(person.groups)
    with database.reading() as session:
        kept = session.get(MembershipRow, person.id)
        is_older = kept and now < kept.seen
        if is_older or (kept and kept.groups == groups and now - kept.seen < _NOTED_EVERY):
            return
    with database.writing() as session:
        session.merge(MembershipRow(person=person.id, groups=groups, seen=now))


def groups_noted(database: Database, person: str, within: timedelta) -> Collection[str]:
    """The groups that a person was in when last seen; none where that is longer ago."""
    with database.reading() as session:
        kept = session.get(MembershipRow, person)
    return kept.groups if kept and datetime.now(UTC) - kept.seen <= within else ()
