"""Records shown as an answer's quotes, each with the citation that it rests on."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.grounding import cite, quoted
from chatbot.turn import Answer, Citation, Record, Turn
from prompts.fencing import visible

MOST_QUOTES = 6
TELLING = 0.8
"""Of the best record's score; what scores less is not quoted."""


def quoted_answer(turn: Turn, lead: str, records: Sequence[Record], shown: int) -> Answer:
    """The best records, at most `shown` characters of them, under a line that leads in."""
    text, citations = quotes(turn, records, shown)
    return Answer(f"{lead}\n\n{text}", False, citations)


def quotes(turn: Turn, records: Sequence[Record], shown: int) -> tuple[str, tuple[Citation, ...]]:
    """The telling ones of the records as a Markdown quotation with marks, and their citations.

    What no reader sees is left out of the quotation; the citations have every character.
    """
    _, release = turn.asked
    lines: list[str] = []
    citations: list[Citation] = []
    least = TELLING * max(record.score for record in records)
    telling = [r for r in records if r.score >= least or r is records[0]]
    for record in within(shown, telling)[:MOST_QUOTES]:
        citations.append(cite(record, release))
        body = "\n> ".join(visible(quoted(record)).splitlines())
        label = " ".join(visible(record.label).split())
        owner = "" if label in body else f" — {label}"
        lines.append(f"> {body}{owner} [{len(citations)}]")
    return "\n>\n".join(lines), tuple(citations)


def within(budget: int, records: Sequence[Record]) -> list[Record]:
    """The records that fit into so many characters, in their order; the first in any case."""
    kept: list[Record] = []
    for record in records:
        if kept and len(record.reading) > budget:
            continue
        kept.append(record)
        budget -= len(record.reading)
        if budget <= 0:
            break
    return kept
