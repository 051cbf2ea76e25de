"""What each hand-written rule earns: `python -m eval.ablate [--folder tests/scenarios]`.

Leaves out each pattern, word list and number of the packages that answer, one at a time, and asks
the rows of the scenario table again whose answer it touched. A rule that loses no row earns
nothing there; CONTRIBUTING.md says which rules stay.
"""

import ast
import functools
import gc
import importlib
import re
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Annotated, Any

import typer
from rich.console import Console

from eval.scenarios import Row, Scenarios, faults, opened, read_rows

PACKAGES = tuple(
    "answering chain comparison dialogue queries releases retrieval text".split()  # noqa: SIM905
)
NEVER = re.compile(r"(?!)")
_ROOT = Path(__file__).parents[1]


@dataclass(frozen=True)
class Rule:
    """A constant of a module: a pattern, a list of words or a number."""

    module: str
    name: str
    value: Any

    @property
    def without(self) -> Any:
        """What stands in its place when it is left out."""
        return NEVER if isinstance(self.value, re.Pattern) else type(self.value)()


class Watched:
    """A pattern that notes for which row it was found anywhere."""

    asked: str = ""

    def __init__(self, pattern: re.Pattern[str], touched: set[str]) -> None:
        self._pattern, self._touched = pattern, touched

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._pattern, name)
        if name not in {
            "search",
            "match",
            "fullmatch",
            "findall",
            "finditer",
            "sub",
            "subn",
            "split",
        }:
            return value

        def called(*args: Any, **options: Any) -> Any:
            text = args[1] if name.startswith("sub") else args[0]
            if self._pattern.search(text):
                self._touched.add(Watched.asked)
            return value(*args, **options)

        return called


def main(
    folder: Annotated[Path, typer.Option(help="Where the scenario table lies.")] = Path(
        "tests/scenarios"
    ),
    only: Annotated[str, typer.Option(help="Part of the names of the modules to look at.")] = "",
) -> None:
    """Print for each rule which rows it loses, and which hold without it only."""
    console = Console(width=140)
    rows = read_rows(folder)
    with TemporaryDirectory() as data, opened(folder, Path(data) / "data") as scenarios:
        rules = [rule for rule in rules_of(PACKAGES) if only in rule.module]
        touched, held = _first_run(scenarios, rows, rules)
        console.print(f"{sum(held.values())} of {len(rows)} rows hold; {len(rules)} rules.")
        for rule in rules:
            asked = [row for row in rows if row.id in touched[rule.module, rule.name]]
            with left_out(rule):
                now = {row.id: _holds(scenarios, row) for row in asked}
            lost = [i for i, holds in now.items() if held[i] and not holds]
            won = [i for i, holds in now.items() if holds and not held[i]]
            console.print(
                f"{rule.module}.{rule.name}: asked {len(asked)}, lost {len(lost)} "
                f"{' '.join(lost[:6])}{f', won {won}' if won else ''}",
                highlight=False,
            )


def rules_of(packages: Sequence[str]) -> list[Rule]:
    """The patterns, word lists and numbers that modules of some packages define."""
    found = []
    for package in packages:
        for path in sorted((_ROOT / "chatbot" / package).glob("*.py")):
            name = ".".join(path.relative_to(_ROOT).with_suffix("").parts)
            module = importlib.import_module(name)
            for constant in _constants(path):
                value = getattr(module, constant, None)
                if isinstance(value, re.Pattern | frozenset | dict | tuple | int | float) and value:
                    found.append(Rule(name, constant, value))
    return found


def _constants(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_bytes()).body:
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        yield from (t.id for t in targets if isinstance(t, ast.Name) and t.id.isupper())


@contextmanager
def left_out(rule: Rule) -> Iterator[None]:
    """Within it the rule is left out wherever it is used."""
    with _instead([(rule, rule.without)]):
        yield


@contextmanager
def _instead(others: Sequence[tuple[Rule, Any]]) -> Iterator[None]:
    """Put other values in the place of rules in all modules that have them by their names."""
    by_name: dict[str, list[tuple[Rule, Any]]] = {}
    for rule, other in others:
        by_name.setdefault(rule.name, []).append((rule, other))
    changed = []
    for name, module in list(sys.modules.items()):
        if not name.startswith(("chatbot.", "corpora.", "eval.")):
            continue
        for attribute, value in list(vars(module).items()):
            for rule, other in by_name.get(attribute, ()):
                if value is rule.value:
                    changed.append((module, attribute, value))
                    setattr(module, attribute, other)
    _forget()
    try:
        yield
    finally:
        for module, attribute, value in changed:
            setattr(module, attribute, value)
        _forget()


def _forget() -> None:
    """Empty what functions have kept of earlier calls."""
    for kept in gc.get_objects():
        if type(kept) is functools._lru_cache_wrapper:
            kept.cache_clear()


def _first_run(
    scenarios: Scenarios, rows: Sequence[Row], rules: Sequence[Rule]
) -> tuple[dict[tuple[str, str], set[str]], dict[str, bool]]:
    """The rows that each rule may touch, and which rows hold.

    That are those for which its pattern was found, or in which a function of its module ran.
    """
    ran: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.setdefault(frame.f_globals.get("__name__", ""), set()).add(Watched.asked)

    patterns = [rule for rule in rules if isinstance(rule.value, re.Pattern)]
    touched: dict[tuple[str, str], set[str]] = {(r.module, r.name): set() for r in patterns}
    watched = [(r, Watched(r.value, touched[r.module, r.name])) for r in patterns]
    held = {}
    with _instead(watched), _profiled(note):
        for row in rows:
            Watched.asked = row.id
            held[row.id] = _holds(scenarios, row)
    others = {(r.module, r.name): ran.get(r.module, set()) for r in rules}
    return others | touched, held


@contextmanager
def _profiled(note: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    """Within it a function hears of each call, also in the threads of questions, which begin in it.

    A chatbot that has been asked before has its threads, and they are not heard.
    """
    threading.setprofile(note)
    try:
        yield
    finally:
        threading.setprofile(None)


def _holds(scenarios: Scenarios, row: Row) -> bool:
    try:
        return not list(faults(row, scenarios.reply_to(row)))
    except Exception:  # noqa: BLE001
        # The edge of an ablation: a rule without which nothing is answered is one that is needed.
        return False


if __name__ == "__main__":
    typer.run(main)
