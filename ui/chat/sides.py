"""The answer to a comparison, apart by release where it has a line for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BESIDE = 3
"""Releases whose sources alone fit next to each other."""
_SHORT = 60


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


def compared(reply: Mapping[str, Any]) -> Compared | None:
    """Take the answer to a comparison apart; None where it does not tell its releases apart.

    Answers of earlier versions do not tell their sides.
    """
    cited = {s["release"]: tuple(s["citations"]) for s in reply.get("sides", ())}
    if len(cited) < 2:
        return None
    lines = reply["answer"].split("\n")
    leads = {release: f"- **{release}**:" for release in cited}
    first = next((i for i, line in enumerate(lines) if line.startswith(tuple(leads.values()))), 0)
    behind = first + len(cited)
    own = dict(zip(cited, lines[first:behind], strict=False))
    if len(own) == len(cited) and all(own[r].startswith(leads[r]) for r in cited):
        sides = (Side(r, cited[r], *_apart(own[r].removeprefix(leads[r]))) for r in cited)
        return Compared("\n".join(lines[:first]), tuple(sides), "\n".join(lines[behind:]))
    if len(cited) <= _BESIDE and all(cited.values()):
        return Compared(reply["answer"], tuple(Side(r, cited[r]) for r in cited))
    return None


def _apart(line: str) -> tuple[str, str]:
    """The value of a line, if it is a short one, and the words that follow."""
    value, dash, words = line.strip().partition(" — “")
    quoted = f"“{words}" if dash else ""
    if len(value) <= _SHORT:
        return value, quoted
    return "", f"{value}\n\n{quoted}".rstrip()
