"""Shared parts of the commands: consoles, options, output, progress bars, opening the data."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic_core import to_jsonable_python
from rich.console import Console, RenderableType
from rich.markdown import Markdown
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TaskID,
    TextColumn,
)
from rich.progress import TimeRemainingColumn as Remaining
from typer import BadParameter, Option

from chatbot.administration.overview import ReleaseFilter
from chatbot.memory import suspending
from chatbot.review.exports import Format
from chatbot.settings import read_settings
from chatbot.text.markdown import for_any_reader
from corpora.database.engine import Database

if TYPE_CHECKING:
    from chatbot.chatbot import Chatbot

output = Console(soft_wrap=True, highlight=False, emoji=False)
errors = Console(stderr=True, soft_wrap=True, highlight=False, emoji=False)
"""Results go to standard output, everything else to standard error."""

_WIDE = 500
"""Columns of a table in a pipe or a file, where lines need not end."""
SOME_LEFT_OUT = 3
"""Exit code of a command that did its work, but left out some lines or files."""

AsJson = Annotated[bool, Option("--json", help="Print JSON.")]
Profile = Annotated[str | None, Option(help="The chain of steps to use.")]
ExportFormat = Annotated[Format, Option("--format")]
OutputFile = Annotated[Path | None, Option("--output", help="Output file (default: print it).")]
OfProduct = Annotated[str, Option("--product", help="Only this product.")]
OfRelease = Annotated[str, Option("--release", help="Only this release of the product.")]
WithoutAsking = Annotated[bool, Option("--yes", help="Do not ask for confirmation.")]


def release_filter(product: str, release: str) -> ReleaseFilter:
    """The part of the memory that options name."""
    if release and not product:
        raise BadParameter("--release needs --product beside it")
    return ReleaseFilter(product, release)


def print_json(value: Any) -> None:
    """Print a value, models and dataclasses included, as JSON."""
    text = json.dumps(to_jsonable_python(value), ensure_ascii=False, indent=2)
    output.print(text, markup=False)


def print_result(as_json: bool, value: Any, *shown: RenderableType) -> None:
    """Print the result of a command: as JSON for programs, as tables and text for people."""
    if as_json:
        print_json(value)
        return
    if not output.is_terminal:
        output.width = _WIDE
    for part in shown:
        if isinstance(part, str):
            output.print(printable(part))
        else:
            output.print(part)


def printable(text: str) -> str:
    """Text of any origin for the terminal, without control characters and markup."""
    return escape("".join(c for c in text if c in "\n\t" or c.isprintable()))


def say(text: str, style: str | None = None) -> None:
    """Print text of any origin as it stands."""
    output.print(printable(text), style=style)


def print_answer(text: str, citations: int) -> None:
    """Print an answer: formatted on a terminal, as plain Markdown into a file or a pipe."""
    shown = "".join(c for c in text if c == "\n" or c.isprintable())
    if not output.is_terminal:
        output.print(shown, markup=False)
        return
    written = for_any_reader("\\[{}]".format, citations).whole(shown)
    output.print(Markdown(written, hyperlinks=False), soft_wrap=False)


def write(pieces: Iterable[str], file: Path | None, encoding: str = "utf-8") -> None:
    """Write an export to a file, or to standard output where none is given."""
    if file is None:
        sys.stdout.writelines(pieces)
        return
    with file.open("w", encoding=encoding, newline="") as written:
        written.writelines(pieces)
    say(f"Wrote {file}")


@contextmanager
def progress_bars(*more: ProgressColumn) -> Iterator[Callable[..., None]]:
    """Yield `show(name, done, total, item="")`, which shows a progress bar for each name."""
    columns = more or (
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("[dim]{task.fields[item]}"),
    )
    name_column = TextColumn("{task.description:<10}")
    with Progress(name_column, BarColumn(), *columns, console=errors) as bar:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int | None, item: str = "") -> None:
            if name not in tasks:
                tasks[name] = bar.add_task(name, total=total, item="")
            bar.update(tasks[name], completed=done, total=total, item=printable(item[-40:]))

        yield show


def open_chatbot(**options: Any) -> "Chatbot":
    """Open the chatbot of the settings; `options` that are not None take precedence."""
    from chatbot import assembly

    return assembly.open_chatbot(read_settings(**options))


def open_database() -> Database:
    """Open the database of the settings, for commands that need no model."""
    return suspending.open_database(read_settings())
