"""`strata people`: whose conversations there are; export or delete those of one person."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ui.terminal import output, print_json, printable

if TYPE_CHECKING:
    from corpora.database import Database

app = typer.Typer(
    help="Those who signed in, and what is kept of them.",
    no_args_is_help=True,
)

Who = Annotated[
    str, typer.Argument(metavar="PERSON", help='As `strata people list` says; "" without sign-in.')
]


@app.command("list")
def list_people(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List people and how many conversations they have."""
    from chatbot.personal_data import people

    found = people(_database())
    if as_json:
        print_json([{"person": person, "conversations": count} for person, count in found])
        return
    if not found:
        output.print("Nobody has asked anything yet.")
    for person, count in found:
        told = f"{person or '(without sign-in)'}: {count:,} conversation{'s' * (count != 1)}"
        output.print(printable(told), highlight=False)


@app.command()
def export(
    person: Who,
    file: Annotated[Path | None, typer.Argument(help="Where to; else it is printed.")] = None,
) -> None:
    """Write all that a person asked and said, with the answers, as JSON."""
    from chatbot.personal_data import export_person

    database = _database()
    exported = export_person(database, person)
    _record(database, "export person", person, conversations=len(exported["conversations"]))
    text = json.dumps(exported, ensure_ascii=False, indent=1)
    if file is None:
        sys.stdout.write(text + "\n")
        return
    file.write_text(text, "utf-8")
    output.print(printable(f"{person}: written to {file}"), highlight=False)


@app.command()
def delete(
    person: Who,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all that is kept of a person; what they did as an admin stays in the audit log."""
    from chatbot.personal_data import delete_person

    if not yes:
        whose = person or "those without sign-in"
        typer.confirm(f"Delete all conversations of {whose}?", abort=True)
    database = _database()
    deleted = delete_person(database, person)
    _record(database, "delete person", person, conversations=deleted)
    told = f"{person}: {deleted:,} conversation{'s' * (deleted != 1)} deleted"
    output.print(printable(told), highlight=False)


def _record(database: Database, action: str, person: str, **details: int) -> None:
    from chatbot.audit import AuditLog
    from chatbot.people import LOCAL
    from chatbot.personal_data import fingerprint

    # Not the name: the log is for good, and would keep what the person wants forgotten.
    AuditLog(database).record(LOCAL, action, fingerprint(person), **details)


def _database() -> Database:
    from chatbot.settings import read_settings
    from corpora.database import open_database

    return open_database(read_settings().database)
