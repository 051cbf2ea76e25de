from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.conversations.conversations import Conversations
from chatbot.conversations.personal_data import UnknownPerson, fingerprint
from corpora.database.engine import Database
from tests.chatbot.asked import asked
from ui.cli.main import app

BO, CY = "bo@example.org", "cy@example.org"


@pytest.fixture(autouse=True)
def kept(data_dir: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bo and Cy have each asked something."""
    monkeypatch.setenv("STRATA_DATA_DIR", str(data_dir))
    asked(database, "Does the relay latch?", owner=BO)
    asked(database, "Does the breaker trip?", owner=CY)


def run(*arguments: str, typed: str = "") -> str:
    result = CliRunner().invoke(app, ["people", *arguments], input=typed)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_people_are_listed() -> None:
    assert run("list").splitlines() == [f"{BO}: 1 conversation", f"{CY}: 1 conversation"]
    assert json.loads(run("list", "--json"))[0] == {"person": BO, "conversations": 1}


def test_a_person_is_exported_and_deleted_and_the_audit_log_names_nobody(
    database: Database, tmp_path: Path
) -> None:
    file = tmp_path / "bo.json"
    run("export", BO, str(file))
    (conversation,) = json.loads(file.read_text("utf-8"))["conversations"]
    assert conversation["turns"][0]["question"] == "Does the relay latch?"
    assert "breaker" not in file.read_text("utf-8")
    assert run("export", CY).startswith("{")

    assert "Aborted" in run("delete", BO, typed="n\n")
    assert Conversations(database, BO).recent()
    assert "deleted 1 conversation" in run("delete", BO, typed="y\n")
    assert not Conversations(database, BO).recent()
    assert Conversations(database, CY).recent()

    entries = AuditLog(database).page(LOCAL)[0]
    done = [entry.action for entry in entries]
    assert done == ["delete person", "export person", "export person"]
    assert entries[0].subject == fingerprint(BO)
    assert BO not in str(entries)
    with pytest.raises(UnknownPerson):
        run("delete", BO, "--yes")
