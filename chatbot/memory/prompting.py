"""What was answered before, as data in the prompt of an answer (ComRAG 4.3)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from chatbot.memory.pairs import BY_HAND, Origin, same_value
from chatbot.memory.scoring.own_words import words
from chatbot.text.citation_markers import without_marks
from chatbot.turn import Answer, Recollection, Remembered, Route, Turn
from prompts import Fenced, fenced

GOOD = "Answered before, to be checked against the documentation:"
BAD = "Answers that were wrong before:"
RELATIONS = "Relations of what they name, to be checked likewise:"
OUTSIDE = "Not from the documentation, for understanding only, never to be stated:"


@dataclass(frozen=True)
class Room:
    """How much of what was answered before may stand in a prompt: pairs, and characters in all.

    The relations of what the good pairs name have as many characters of their own.
    """

    pairs: int
    characters: int


def with_remembered(evidence: Fenced, turn: Turn, room: Room) -> Fenced:
    """The evidence of a prompt, and behind it what was answered before; alone if nothing was."""
    found = turn.recollection or Recollection()
    good = _lines(found.good, room, GOOD)
    used = len(GOOD) + sum(map(len, good)) if good else 0
    bad = _lines(found.bad, replace(room, characters=room.characters - used), BAD)
    related = _related(found, room.characters - len(RELATIONS), outside=False) if good else []
    left = room.characters - len(OUTSIDE) - sum(map(len, related))
    outside = _related(found, left, outside=True) if good else []
    sections = [evidence]
    for lead, tag, lines in (
        (GOOD, "answered", good),
        (RELATIONS, "relations", related),
        (OUTSIDE, "relations", outside),
        (BAD, "rejected", bad),
    ):
        if lines:
            text = "\n".join(lines)
            sections.append(Fenced(f"{lead}\n{fenced(tag, text)}"))
    return Fenced("\n\n".join(sections))


def route_of(turn: Turn, room: Room) -> Route:
    """The route of an answer that a model writes: by reference where good pairs stand beside it."""
    found = turn.recollection
    return Route.REFERENCE if found and _lines(found.good, room, GOOD) else turn.route


def is_rejected(turn: Turn, value: str, same: float) -> bool:
    """Whether people said of this very answer to this question (nearer than `same`) that it is bad.

    What was only measured as bad is no more than a hint to the model: measures err.
    """
    found = turn.recollection
    return any(
        same_value(pair.value, value)
        for pair in (found.bad if found else ())
        if pair.similarity >= same and pair.origin != Origin.MEASURED
    )


def repeats(answer: Answer, pair: Remembered) -> bool:
    """Whether an answer has the lead of an earlier one, or what follows it, word for word."""
    said = f" {words(answer.text)} "
    lead = words(pair.value)
    body = words(pair.answer).removeprefix(lead).strip()
    return any(part and f" {part} " in said for part in (lead, body))


def _lines(pairs: Sequence[Remembered], room: Room, lead: str) -> list[str]:
    """One line for each pair, as far as they fit; what only quotes has none."""
    lines = []
    for pair in pairs[: room.pairs]:
        said = pair.value or (without_marks(pair.answer) if pair.origin in BY_HAND else "")
        if said:
            lines.append(f"{_line(pair.question)} → {_line(said)}")
    return _fitting(lines, room.characters - len(lead))


def _related(found: Recollection, left: int, *, outside: bool) -> list[str]:
    """The relations as sentences: what others than the documentation state, or all else."""
    told = (r for r in found.relations if bool(r.source) is outside)
    return _fitting((_line(r.attributed) for r in told), left)


def _fitting(lines: Iterable[str], left: int) -> list[str]:
    """The lines that fit into so many characters."""
    fitting = []
    for line in lines:
        if len(line) <= left:
            left -= len(line)
            fitting.append(line)
    return fitting


def _line(text: str) -> str:
    return " ".join(text.split())
