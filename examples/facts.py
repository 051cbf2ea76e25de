"""What is true of a release: values, parameters and alarms, read from their histories."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any

_PASSAGE = re.compile(
    r"^:::(?= )(?: since (?P<since>\S+))?(?: before (?P<before>\S+))?\n(?P<text>.*?)^:::\n",
    re.M | re.S,
)
_STRAY = re.compile(r"^:::.*$", re.M)


@dataclass(frozen=True)
class Facts:
    """All facts of a product: the tables of product.toml, parameters.toml and alarms.toml."""

    product: Mapping[str, Any]
    parameters: Sequence[Mapping[str, Any]]
    alarms: Sequence[Mapping[str, Any]]

    @classmethod
    def load(cls, folder: Path) -> Facts:
        """Read the three files from `folder`."""

        def read(name: str) -> dict[str, Any]:
            return tomllib.loads((folder / f"{name}.toml").read_text(encoding="utf-8"))

        return cls(read("product"), read("parameters")["parameter"], read("alarms")["alarm"])

    @property
    def editions(self) -> Iterator[Edition]:
        """One edition a release, oldest first."""
        for position in range(len(self.product["releases"])):
            yield Edition(self, position)


@dataclass(frozen=True)
class Edition:
    """The facts as they are in one release, `position` counting releases from the oldest."""

    facts: Facts
    position: int

    @property
    def release(self) -> str:
        """The name of the release."""
        return str(self.facts.product["releases"][self.position])

    @property
    def previous(self) -> Edition | None:
        """The edition of the release before, or None for the oldest."""
        return Edition(self.facts, self.position - 1) if self.position else None

    def fill(self, source: str, **more: str) -> str:
        """Turn a source into the text of this release.

        A passage between `::: since R`, `::: before R` or `::: since R before S` and `:::` is
        kept or left out; then every $name becomes a value, a table or one of `more`. Raises
        KeyError for a name that this release does not have, ValueError for a stray `:::`.
        """
        chosen = _PASSAGE.sub(lambda p: p["text"] if self.has(p.groupdict()) else "", source)
        if stray := _STRAY.search(chosen):
            raise ValueError(f"{stray[0]!r} opens or closes no passage; passages do not nest")
        return Template(chosen).substitute(self._names, **more)

    def has(self, entry: Mapping[str, Any]) -> bool:
        """Whether something with `since` and `before` belongs to this release."""
        order = self.facts.product["releases"].index
        since, before = entry.get("since"), entry.get("before")
        return (not since or self.position >= order(since)) and (
            not before or self.position < order(before)
        )

    def value(self, history: Any) -> str:
        """What a value is in this release: the newest entry of its history, or "" before all."""
        if not isinstance(history, Mapping):
            return str(history)
        known = self.facts.product["releases"][: self.position + 1]
        return next((str(history[name]) for name in reversed(known) if name in history), "")

    @cached_property
    def _names(self) -> dict[str, str]:
        facts = self.facts
        names = {name: self.value(history) for name, history in facts.product["values"].items()}
        names = {name: value for name, value in names.items() if value}
        names["release"] = self.release
        names["alarms"] = _table(
            ("Alarm", "Severity", "Cause", "What to do"),
            self._rows(facts.alarms, "name", "severity", "cause", "action"),
        )
        for group in {entry["group"] for entry in facts.parameters}:
            names[f"parameters_{group}"] = _table(
                ("Parameter", "Default", "Unit", "Range or values", "Meaning"),
                self._rows(
                    [entry for entry in facts.parameters if entry["group"] == group],
                    *("code", "default", "unit", "range", "text"),
                ),
            )
        if self.previous:
            old, new = self.previous.release, self.release
            names["previous"] = old
            names["changed_defaults"] = _table(
                ("Where", "Parameter", f"Default in {old}", f"Default in {new}"),
                self._changes(facts.parameters, ("group", "code"), ("default", "unit")),
            )
            names["changed_severities"] = _table(
                ("Alarm", f"Severity in {old}", f"Severity in {new}"),
                self._changes(facts.alarms, ("name",), ("severity",)),
            )
        return names

    def _cell(self, entry: Mapping[str, Any], field: str) -> str:
        if field == "code":
            return f"`{entry['name']}`"
        return self.value(entry.get(field, ""))

    def _rows(self, entries: Iterable[Mapping[str, Any]], *fields: str) -> Iterator[list[str]]:
        for entry in entries:
            if self.has(entry):
                yield [self._cell(entry, field) for field in fields]

    def _changes(
        self,
        entries: Iterable[Mapping[str, Any]],
        named: Sequence[str],
        compared: Sequence[str],
    ) -> Iterator[list[str]]:
        before = self.previous
        for entry in entries:
            if before and before.has(entry) and self.has(entry):
                old, new = (
                    " ".join(filter(None, (edition._cell(entry, field) for field in compared)))
                    for edition in (before, self)
                )
                if old != new:
                    yield [*(self._cell(entry, field) for field in named), old, new]


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
