"""`strata people`: whose conversations there are; export or delete those of one person."""

import json
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Typer

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.conversations import personal_data
from corpora.database.engine import Database
from ui.cli.terminal import AsJson, WithoutAsking, open_database, print_result, say, write
from ui.wording.amounts import how_many

app = Typer(name="people", help="List users; export or delete their data.", no_args_is_help=True)

Who = Annotated[
    str,
    Argument(metavar="PERSON", help='As shown by `strata people list`; "" without sign-in.'),
]


@app.command("list")
def list_people(as_json: AsJson = False) -> None:
    """List users and how many conversations they have."""
    people = personal_data.people(open_database())
    lines = [f"{who or '(local)'}: {how_many(count, 'conversation')}" for who, count in people]
    listed = [{"person": person, "conversations": count} for person, count in people]
    print_result(as_json, listed, *(lines or ["No questions yet."]))


@app.command()
def export(
    person: Who,
    file: Annotated[Path | None, Argument(help="Output file (default: print it).")] = None,
) -> None:
    """Write all conversations and feedback of a user as JSON."""
    database = open_database()
    exported = personal_data.export_person(database, person)
    _record(database, "export person", person, len(exported["conversations"]))
    write([json.dumps(exported, ensure_ascii=False, indent=1), "\n"], file)


@app.command()
def delete(person: Who, yes: WithoutAsking = False) -> None:
    """Delete all data of a user; their actions as an admin stay in the audit log."""
    if not yes:
        whose = person or "local users"
        typer.confirm(f"Delete all conversations of {whose}?", abort=True)
    database = open_database()
    deleted = personal_data.delete_person(database, person)
    _record(database, "delete person", person, deleted)
    say(f"{person}: deleted {how_many(deleted, 'conversation')}")


def _record(database: Database, action: str, person: str, conversations: int) -> None:
    # Not the name: the log is permanent, and would keep what the person wants forgotten.
    AuditLog(database).record(
        LOCAL, action, personal_data.fingerprint(person), conversations=conversations
    )
