"""Who calls: a program with a key, or whoever is on this computer where sign-in is off."""

from dataclasses import dataclass

from starlette.requests import HTTPConnection

from chatbot.accounts.people import LOCAL, NotAllowed, NotSignedIn, Person
from chatbot.accounts.program_keys import ProgramKeys, Scope, person_of
from chatbot.settings import Settings
from corpora.database.engine import Database

PATHS = ("/api/", "/v1/", "/mcp")
"""The beginnings of the paths for programs."""


@dataclass(frozen=True)
class Caller:
    """Who calls and what they may do; `per_minute` is their own limit of questions, if any."""

    person: Person
    scopes: frozenset[Scope]
    per_minute: int | None = None

    def require(self, scope: Scope) -> None:
        """Raise NotAllowed without a scope."""
        if scope not in self.scopes:
            raise NotAllowed(f"This key may not do that: it lacks the scope “{scope}”.")


ON_THIS_COMPUTER = Caller(LOCAL, frozenset(Scope))
"""Everybody on this computer, where sign-in is off."""


def caller_of(connection: HTTPConnection, database: Database, settings: Settings) -> Caller:
    """The caller of a request, by the key in its Authorization header.

    A key never travels in a URL, which ends up in logs, and a person's sign-in is none: what a
    browser sends by itself must not let a foreign page ask. Raises NotSignedIn.
    """
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    if key and scheme.lower() == "bearer":
        program = ProgramKeys(database).program(key.strip())
        scopes = frozenset(map(Scope, program.scopes))
        return Caller(person_of(program), scopes, program.questions_per_minute)
    if settings.sign_in == "none" and not key:
        return ON_THIS_COMPUTER
    raise NotSignedIn(
        "A key is needed: make one on the Account page and send it as “Authorization: Bearer KEY”."
    )
