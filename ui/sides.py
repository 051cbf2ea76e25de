"""The answer to a comparison, apart by release where it has a line for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_MOST = 3
_SHORT = 40


@dataclass(frozen=True)
class Side:
    """What a comparison says of one release, and the numbers of its citations, from 1.

    `value` is its short answer and `text` the words in which it stands, written as those of
    `chatbot.turn.Answer`; both are empty where the answer tells of all releases together.
    """

    release: str
    citations: tuple[int, ...]
    value: str = ""
    text: str = ""


@dataclass(frozen=True)
class Compared:
    """A comparison for the page: what goes before the sides, the sides, what follows them."""

    before: str
    sides: tuple[Side, ...]
    after: str = ""


def compared(reply: Mapping[str, Any], order: Sequence[str]) -> Compared | None:
    """Take the answer to a comparison apart, its sides in the `order` of the releases.

    None where nothing stands on two sides, or on more than fit next to each other.
    """
    names = sorted(reply["compared_releases"], key=lambda n: order.index(n) if n in order else -1)
    if not 2 <= len(names) <= _MOST:
        return None
    cited = {
        name: tuple(i for i, c in enumerate(reply["citations"], 1) if c["release"] == name)
        for name in names
    }
    lines = reply["answer"].split("\n")
    first = next((i for i, line in enumerate(lines) if line.startswith(_lead(names[0]))), 0)
    own = dict(zip(names, lines[first:], strict=False))
    if len(own) == len(names) and all(own[n].startswith(_lead(n)) for n in names):
        sides = (Side(n, cited[n], *_apart(own[n].removeprefix(_lead(n)))) for n in names)
        behind = first + len(names)
        return Compared("\n".join(lines[:first]), tuple(sides), "\n".join(lines[behind:]))
    if all(cited.values()):
        return Compared(reply["answer"], tuple(Side(n, cited[n]) for n in names))
    return None


def _lead(release: str) -> str:
    return f"- **{release}**:"


def _apart(line: str) -> tuple[str, str]:
    """The value of a line, if it begins with one, and the words that follow."""
    value, dash, words = line.strip().partition(" — “")
    if dash or len(value) <= _SHORT:
        return value, f"“{words}" if dash else ""
    return "", line.strip()
