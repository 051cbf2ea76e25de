"""Limits on figures as options of commands, for a CI that has to fail where one is missed."""

from collections.abc import Sequence
from typing import Annotated

from typer import Exit, Option

from ui.cli.terminal import errors, printable

AtLeast = Annotated[
    list[str] | None, Option(help="A measure and the least it may be: correct=0.8; repeatable.")
]
AtMost = Annotated[
    list[str] | None, Option(help="A measure and the most it may be: failed=0; repeatable.")
]


def fail_if_missed(missed: Sequence[str]) -> None:
    """Tell of each limit that does not hold. Raises Exit with code 3 where there is one."""
    from eval.runs.gates import MISSED

    for line in missed:
        errors.print(f"[bold red]missed:[/] {printable(line)}")
    if missed:
        raise Exit(MISSED)
