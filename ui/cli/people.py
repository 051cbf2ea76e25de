"""`strata people`: whose conversations there are; export or delete those of one person."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.cli.terminal import output, print_json, printable
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from corpora.database.engine import Database

app = typer.Typer(
    help="List users; export or delete their data.",
    no_args_is_help=True,
)

Who = Annotated[
    str,
    typer.Argument(metavar="PERSON", help='As shown by `strata people list`; "" without sign-in.'),
]


@app.command("list")
def list_people(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List users and how many conversations they have."""
    from chatbot.conversations.personal_data import people

    found = people(_database())
    if as_json:
        print_json([{"person": person, "conversations": count} for person, count in found])
        return
    if not found:
        output.print("No questions yet.")
    for person, count in found:
        told = f"{person or '(anonymous)'}: {how_many(count, 'conversation')}"
        output.print(printable(told), highlight=False)


@app.command()
def export(
    person: Who,
    file: Annotated[Path | None, typer.Argument(help="Output file (default: print it).")] = None,
) -> None:
    """Write all conversations and feedback of a user as JSON."""
    from chatbot.conversations.personal_data import export_person

    database = _database()
    exported = export_person(database, person)
    _record(database, "export person", person, conversations=len(exported["conversations"]))
    text = json.dumps(exported, ensure_ascii=False, indent=1)
    if file is None:
        sys.stdout.write(text + "\n")
        return
    file.write_text(text, "utf-8")
    output.print(printable(f"Wrote {file}"), highlight=False)


@app.command()
def delete(
    person: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Delete all data of a user; what they did as an admin stays in the audit log."""
    from chatbot.conversations.personal_data import delete_person

    if not yes:
        whose = person or "anonymous users"
        typer.confirm(f"Delete all conversations of {whose}?", abort=True)
    database = _database()
    deleted = delete_person(database, person)
    _record(database, "delete person", person, conversations=deleted)
    told = f"{person}: deleted {how_many(deleted, 'conversation')}"
    output.print(printable(told), highlight=False)


def _record(database: Database, action: str, person: str, **details: int) -> None:
    from chatbot.accounts.audit import AuditLog
    from chatbot.accounts.people import LOCAL
    from chatbot.conversations.personal_data import fingerprint

    # Not the name: the log is for good, and would keep what the person wants forgotten.
    AuditLog(database).record(LOCAL, action, fingerprint(person), **details)


def _database() -> Database:
    from chatbot.settings import read_settings
    from corpora.database.engine import open_database

    return open_database(read_settings().database)
