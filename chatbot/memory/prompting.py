"""Saved answers as data in a prompt (ComRAG 4.3), and what a turn has to do with them."""

from collections.abc import Iterable, Sequence

from chatbot.memory.pairs import HUMAN_ORIGINS, Role, same_value
from chatbot.text.languages import gettext_noop
from chatbot.text.markdown import without_marks
from chatbot.turn import Recollection, Remembered, Route, Turn
from prompts import Fenced, fenced

GOOD = "Answered before, to be checked against the documentation:"
BAD = "Answers that were wrong before:"
RELATIONS = "Relations of what they name, to be checked likewise:"
OUTSIDE = "Not from the documentation, for understanding only, never to be stated:"
PAIRS, CHARACTERS = 2, 600
"""The most pairs and characters of a section of a prompt: a small model reads slowly."""
REJECTED = gettext_noop("The same answer was rated poorly before and is not given again.")
"""The warning in place of an answer that people rated poorly before."""


def with_remembered(evidence: Fenced, turn: Turn) -> Fenced:
    """The evidence of a prompt, and behind it the saved answers, if there are any."""
    recollection = turn.recollection or Recollection()
    good, relations = _lines(recollection.good), recollection.relations
    sections = [evidence]
    for lead, tag, lines in (
        (GOOD, "answered", good),
        (RELATIONS, "relations", _fitting(r.sentence for r in relations if good and not r.source)),
        (OUTSIDE, "relations", _fitting(r.attributed for r in relations if good and r.source)),
        (BAD, "rejected", _lines(recollection.bad)),
    ):
        if lines:
            text = "\n".join(lines)
            sections.append(Fenced(f"{lead}\n{fenced(tag, text)}"))
    return Fenced("\n\n".join(sections))


def _lines(pairs: Sequence[Remembered]) -> list[str]:
    """One line for each pair, as far as they fit; a pair that only quotes has none."""
    values = (
        (pair, pair.value or (without_marks(pair.answer) if pair.origin in HUMAN_ORIGINS else ""))
        for pair in pairs[:PAIRS]
    )
    return _fitting(f"{pair.question} → {value}" for pair, value in values if value)


def _fitting(lines: Iterable[str]) -> list[str]:
    left, fitting = CHARACTERS, []
    for line in (" ".join(line.split()) for line in lines):
        if len(line) <= left:
            left -= len(line)
            fitting.append(line)
    return fitting


def route_of(turn: Turn) -> Route:
    """The route of an answer that a model writes: by reference where good pairs stand beside it."""
    shown = turn.recollection and _lines(turn.recollection.good)
    return Route.REFERENCE if shown else turn.route


def is_rejected(turn: Turn, value: str, same: float) -> bool:
    """Whether people rejected this answer to this question (with a cosine of at least `same`)."""
    bad = turn.recollection.bad if turn.recollection else ()
    return any(same_value(p.value, value) for p in bad if p.similarity >= same)


def role_of(turn: Turn) -> tuple[Role | None, tuple[Remembered, ...]]:
    """The role of the memory in a turn, and the pairs; None where it had none."""
    recollection = turn.recollection or Recollection()
    if recollection.reused is not None:
        return Role.REUSE, (recollection.reused,)
    if turn.answer is None or turn.answer.abstained:
        return None, ()
    if turn.route is Route.REFERENCE:
        return Role.REFERENCE, recollection.good
    return (Role.AVOID, recollection.bad) if recollection.bad else (None, ())
