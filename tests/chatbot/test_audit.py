import pytest
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from corpora.database.engine import Database

pytestmark = pytest.mark.database

ANN = Person("ann@example.org", "Ann", is_admin=True)


@pytest.fixture
def log(database: Database) -> AuditLog:
    log = AuditLog(database)
    log.record(ANN, "upload", "valve 2.0", files=3)
    log.record(LOCAL, "rollback", "valve 2.0", generation=1)
    log.record(ANN, "rate", "turn 5", rating="bad")
    return log


def told(log: AuditLog) -> list[tuple[object, ...]]:
    return [(e.id, e.at, e.person, e.action, e.subject, e.details) for e in log.page(LOCAL)[0]]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE audit_log SET person = 'nobody'",
        "UPDATE audit_log SET details = '{}' WHERE id = 1",
        "DELETE FROM audit_log",
        "DELETE FROM audit_log WHERE id = 1",
        pytest.param(
            "INSERT OR REPLACE INTO audit_log (id, at, person, action, subject, details) "
            "VALUES (1, '2026-01-01 00:00:00', 'nobody', 'x', 'x', '{}')",
            marks=pytest.mark.sqlite,
        ),
    ],
)
def test_what_is_recorded_stays(database: Database, log: AuditLog, change: str) -> None:
    before = told(log)
    with pytest.raises(DBAPIError, match="append-only"), database.writing() as session:
        session.execute(text(change))
    assert told(log) == before


def test_pages_go_back_in_time(log: AuditLog) -> None:
    first, before = log.page(ANN, size=2)
    assert ([e.action for e in first], before) == (["rate", "rollback"], first[-1].id)
    second, before = log.page(ANN, size=2, before=before)
    assert ([e.action for e in second], before) == (["upload"], None)


def test_pages_by_action_and_person(log: AuditLog) -> None:
    actions, people = log.choices(ANN)
    assert actions == ("rate", "rollback", "upload")
    assert people == ("ann@example.org", "local")
    of_ann, _ = log.page(ANN, person="ann@example.org")
    assert [e.subject for e in of_ann] == ["turn 5", "valve 2.0"]
    assert [e.details for e in log.page(ANN, action="upload")[0]] == [{"files": 3}]
    assert log.page(ANN, action="upload", person="local") == ((), None)
    assert [r["action"] for r in log.rows(ANN)] == ["rate", "rollback", "upload"]
    assert [r["action"] for r in log.rows(ANN, person="local")] == ["rollback"]
