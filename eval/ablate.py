"""What each hand-written rule earns: `python -m eval.ablate [--spent FOLDER --data DIR]`.

Leaves out each pattern, word list and number of the packages that answer, one at a time, and asks
again what it touched: rows of the scenario table, or spent questions, to which a model's replies
are recorded, so that none has to run (`eval/cases.py` has what such a folder holds). A rule that
loses nothing earns nothing there; CONTRIBUTING.md says which rules stay.
"""

import ast
import functools
import gc
import importlib
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Annotated, Any

import typer
from rich.console import Console

from chatbot.assembly import open_chatbot
from chatbot.settings import read_settings
from eval.cases import Case, Result, scenario_cases, spent_cases
from eval.scenarios import opened, read_rows

PACKAGES = (
    *("answering", "chain", "comparison", "releases", "retrieval", "text", "understanding"),
)
"""Of `chatbot/`, those that answer."""
NEVER = re.compile(r"(?!)")
_USES = {"search", "match", "fullmatch", "findall", "finditer", "sub", "subn", "split"}
_ROOT = Path(__file__).parents[1]
TABLE = _ROOT / "tests" / "scenarios"


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
        if name not in _USES:
            return value

        def called(*args: Any, **options: Any) -> Any:
            text = args[1] if name.startswith("sub") else args[0]
            if self._pattern.search(text):
                self._touched.add(Watched.asked)
            return value(*args, **options)

        return called


def main(
    spent: Annotated[
        Path | None, typer.Option(help="Spent questions to ask instead, with recorded replies.")
    ] = None,
    data: Annotated[Path | None, typer.Option(help="A data folder with what they ask.")] = None,
    profile: Annotated[str | None, typer.Option(help="With which they were recorded.")] = None,
    only: Annotated[str, typer.Option(help="Part of the names of the modules to look at.")] = "",
) -> None:
    """Print for each rule what goes wrong without it, and what goes right without it only."""
    console = Console(width=140)
    with ExitStack() as stack:
        if spent is None:
            made = Path(stack.enter_context(TemporaryDirectory())) / "data"
            cases = scenario_cases(stack.enter_context(opened(TABLE, made)), read_rows(TABLE))
        else:
            chatbot = open_chatbot(read_settings(data_dir=data, profile=profile))
            cases = list(spent_cases(spent, chatbot))
        rules = [rule for rule in rules_of(PACKAGES) if only in rule.module]
        touched, before = first_run(cases, rules)
        counts = Counter(before.values())
        summary = ", ".join(f"{counts[result]} {result}" for result in Result)
        console.print(f"{len(cases)} cases: {summary}; {len(rules)} rules.")
        for rule in rules:
            again = [c for c in cases if c.id in touched[rule.module, rule.name]]
            with left_out(rule):
                now = {case: case.ask() for case in again}
            console.print(line_of(rule, before, now), highlight=False)


def line_of(rule: Rule, before: Mapping[str, Result], now: Mapping[Case, Result]) -> str:
    """What a rule earns: what is lost and won without it, and which prompts become others.

    It earns its place if two questions on two products are lost. Whether one is lost whose prompt
    becomes another, only a model could tell.
    """
    lost, won, changed = (
        [case for case, result in now.items() if result is after and before[case.id] is first]
        for first, after in (
            (Result.RIGHT, Result.WRONG),
            (Result.WRONG, Result.RIGHT),
            (Result.RIGHT, Result.CHANGED),
        )
    )
    parts = [f"{rule.module}.{rule.name}: asked {len(now)}"]
    for what, cases in (("lost", lost), ("won", won), ("prompt changed", changed)):
        if cases:
            parts.append(f"{what} {len(cases)} {' '.join(case.id for case in cases[:6])}")
    if len({case.product for case in lost}) > 1:
        parts.append("earns its place")
    elif not lost and not changed:
        parts.append("earns nothing")
    return ", ".join(parts)


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


def first_run(
    cases: Sequence[Case], rules: Sequence[Rule]
) -> tuple[dict[tuple[str, str], set[str]], dict[str, Result]]:
    """The ids of the cases that each rule may touch, and what becomes of each with all rules.

    That are those for which its pattern was found, or in which a function of its module ran.
    """
    ran: dict[str, set[str]] = {}

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            ran.setdefault(frame.f_globals.get("__name__", ""), set()).add(Watched.asked)

    patterns = [rule for rule in rules if isinstance(rule.value, re.Pattern)]
    touched: dict[tuple[str, str], set[str]] = {(r.module, r.name): set() for r in patterns}
    watched = [(r, Watched(r.value, touched[r.module, r.name])) for r in patterns]
    results = {}
    with _instead(watched), _profiled(note):
        for case in cases:
            Watched.asked = case.id
            results[case.id] = case.ask()
    others = {(r.module, r.name): ran.get(r.module, set()) for r in rules}
    return others | touched, results


@contextmanager
def _profiled(note: Callable[[FrameType, str, object], None]) -> Iterator[None]:
    """Within it a function hears of each call, also in the threads of questions, which begin in it.

    A chatbot that has been asked before has its threads, and they are not heard.
    """
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


if __name__ == "__main__":
    typer.run(main)
