import pytest
from sqlalchemy import select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.limits import UsageLimits
from chatbot.accounts.people import LOCAL, Person
from chatbot.accounts.program_keys import MOST_KEYS, PREFIX, ProgramKeys, Scope, keys_of, person_of
from chatbot.conversations.personal_data import delete_person, export_person
from chatbot.errors import BadInput, NotAllowed, NotSignedIn
from corpora.database.engine import Database
from corpora.database.history_tables import ProgramKeyRow, UseRow

pytestmark = pytest.mark.database

BO = Person("bo@example.org", "Bo", is_admin=False)
CY = Person("cy@example.org", "Cy", is_admin=False)
ASKS = [Scope.ASK, Scope.SEARCH]


@pytest.fixture
def keys(database: Database) -> ProgramKeys:
    return ProgramKeys(database)


def test_a_key_opens_until_it_is_revoked(keys: ProgramKeys) -> None:
    made, key = keys.make(BO, "  editor\n of Bo ", ASKS, 30, usual=0)
    assert key.startswith(PREFIX)
    assert len(key) > 45
    found = keys.program(key)
    assert (found.name, found.scopes) == ("editor of Bo", sorted(ASKS))
    assert found.questions_per_minute == 30
    assert person_of(found) == Person(f"program:{made.id}", "editor of Bo", is_admin=False)
    assert keys.seen_by(BO)[0].used is not None
    # The key itself is kept nowhere.
    with keys.database.reading() as session:
        kept = session.scalars(select(ProgramKeyRow)).one()
    (entry,) = AuditLog(keys.database).page(LOCAL)[0]
    assert key not in str(vars(kept)) + str(vars(entry))
    keys.revoke(BO, made.id)
    with pytest.raises(NotSignedIn):
        keys.program(key)


@pytest.mark.parametrize("wrong", ["", "strata_", "strata_" + "x" * 43, "'; DROP TABLE people"])
def test_what_is_no_key_opens_nothing(keys: ProgramKeys, wrong: str) -> None:
    keys.make(BO, "editor", ASKS, 0, usual=0)
    with pytest.raises(NotSignedIn):
        keys.program(wrong)


@pytest.mark.parametrize(("name", "scopes"), [(" ", ASKS), ("x" * 81, ASKS), ("editor", [])])
def test_a_key_has_a_name_and_a_scope(keys: ProgramKeys, name: str, scopes: list[Scope]) -> None:
    with pytest.raises(BadInput):
        keys.make(BO, name, scopes, 0, usual=0)


@pytest.mark.parametrize("scope", [Scope.INGEST, Scope.ADMIN])
def test_only_admins_give_what_only_admins_may(keys: ProgramKeys, scope: Scope) -> None:
    with pytest.raises(NotAllowed):
        keys.make(BO, "robot", [scope], 0, usual=0)
    made, _ = keys.make(LOCAL, "robot", [scope], 0, usual=0)
    assert person_of(made).is_admin


def test_only_an_admin_grants_more_questions_or_keys_than_is_usual(keys: ProgramKeys) -> None:
    for more in (0, -1, 21):
        with pytest.raises(BadInput, match="at most 20 questions a minute"):
            keys.make(BO, "editor", ASKS, more, usual=20)
        keys.make(LOCAL, "editor", ASKS, more, usual=20)
    first, _ = keys.make(BO, "editor", ASKS, 20, usual=20)
    for number in range(1, MOST_KEYS):
        keys.make(BO, f"editor {number}", ASKS, 1, usual=20)
    with pytest.raises(BadInput, match="revoke one"):
        keys.make(BO, "one more", ASKS, 1, usual=20)
    keys.make(CY, "another's", ASKS, 1, usual=20)
    keys.revoke(BO, first.id)
    keys.make(BO, "instead", ASKS, 1, usual=20)
    for number in range(MOST_KEYS + 1):
        keys.make(LOCAL, f"robot {number}", ASKS, 0, usual=20)


def test_people_see_and_revoke_their_own_and_admins_all(keys: ProgramKeys) -> None:
    of_bo, key = keys.make(BO, "editor", ASKS, 0, usual=0)
    of_cy, _ = keys.make(CY, "agent", ASKS, 0, usual=0)
    assert [p.id for p in keys.seen_by(BO)] == [of_bo.id]
    assert [p.id for p in keys.seen_by(LOCAL)] == [of_cy.id, of_bo.id]
    for program in (of_bo.id, 999):
        with pytest.raises(NotAllowed, match="no such key"):
            keys.revoke(CY, program)
    assert keys.program(key).id == of_bo.id
    keys.revoke(LOCAL, of_bo.id)
    actions = [(entry.action, entry.person) for entry in AuditLog(keys.database).page(LOCAL)[0]]
    assert actions[0] == ("revoke key", "local")
    assert ("make key", BO.id) in actions


def test_the_keys_of_a_person_go_with_them(keys: ProgramKeys) -> None:
    _, key = keys.make(BO, "editor", ASKS, 0, usual=0)
    exported = export_person(keys.database, BO.id)
    assert exported["keys"][0]["name"] == "editor"
    assert key not in str(exported)
    UsageLimits(keys.database, 1, 1).question(keys_of(BO.id))
    delete_person(keys.database, BO.id)
    with pytest.raises(NotSignedIn):
        keys.program(key)
    with keys.database.reading() as session:
        assert session.scalars(select(UseRow.owner)).all() == []
