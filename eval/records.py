"""Files of one record a line, to which records are added until somebody kills the program."""

from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from corpora.database.durable import append_line, written_whole
from eval.gold import GoldError
from ingestion.objections import first_objection

Record = TypeVar("Record", bound=BaseModel)


def read_records(path: Path, record: type[Record]) -> tuple[Record, ...]:
    """Read a record a line; none where there is no file, and without a last line that is torn.

    Raises GoldError for another line that is no such record.
    """
    if not path.exists():
        return ()
    text = path.read_text("utf-8", errors="replace")
    read = []
    for number, line in enumerate(text[: text.rfind("\n") + 1].split("\n")[:-1], 1):
        try:
            read.append(record.model_validate_json(line))
        except ValidationError as error:
            raise GoldError(f"{path}, line {number}: {first_objection(error)}") from error
    return tuple(read)


def write_records(path: Path, records: Iterable[BaseModel]) -> None:
    """Put records in the place of all that a file had, whole or not at all."""
    lines = "".join(f"{record.model_dump_json()}\n" for record in records)
    write_whole(path, lines.encode())


def cut_torn_line(path: Path) -> None:
    """Cut off what a kill has left of a last line, so that records can be added."""
    if path.exists():
        with path.open("rb+") as file:
            data = file.read()
            # A whole file is left alone: somebody may be adding to it.
            if not data.endswith(b"\n"):
                file.truncate(data.rfind(b"\n") + 1)


def append_record(path: Path, record: BaseModel) -> None:
    """Add a record to a file; it is on the disk when this returns."""
    append_line(path, record.model_dump_json())


def write_whole(path: Path, data: bytes) -> None:
    """Put data in the place of what a file had, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with written_whole(path) as aside:
        aside.write_bytes(data)
