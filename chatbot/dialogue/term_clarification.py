"""A question of one word that several things are called by is asked back, with those things."""

from collections.abc import Iterator
from dataclasses import replace

from chatbot.text.phrasing import listed
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_code
from chatbot.turn import Answer, Record, Route, Turn
from corpora.indexing.lexical import tokens
from ingestion.page import BlockKind

_MOST = 6


def ask_which_term(turn: Turn) -> Turn:
    """Ask which parameter, row or name is meant where one word fits several and none whole."""
    assert turn.queries is not None
    words = filtered(turn.queries.subject).split()
    if len(words) != 1 or turn.queries.known or len(asked := set(tokens(words[0]))) != 1:
        return turn
    records = (r for chunk in turn.selected for r in chunk.records)
    names = list(dict.fromkeys(name for record in records for name in _names(record)))
    fitting = [name for name in names if asked < set(tokens(name))]
    if len(fitting) < 2 or any(asked == set(tokens(name)) for name in names):
        return turn
    choices = listed(map(as_code, fitting[:_MOST]), "or")
    answer = Answer(f"Which one do you mean: {choices}?", abstained=True)
    return replace(turn, answer=answer, route=Route.CLARIFY)


def _names(record: Record) -> Iterator[str]:
    if record.cells:
        yield record.cells[0][1]
    elif record.kind in (BlockKind.DEFINITION, BlockKind.SIGNATURE):
        name = record.quote.partition(" – ")[0].partition("=")[0]
        yield from [name] if len(name.split()) == 1 else []
