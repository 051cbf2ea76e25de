"""Full-text search over the turns of all conversations; whose they are is for the caller to say."""

from __future__ import annotations

import re

from sqlalchemy import ColumnElement, Integer, Select, func, literal_column, select, text
from sqlalchemy.orm import Session

from corpora.database.history_tables import TurnTextRow

_WORD = re.compile(r"\w+")
MOST_WORDS = 20


def turns_with(session: Session, wanted: str) -> Select[int] | None:
    """Return a query for the ids of turns that hold every word wanted, the last one as a prefix.

    None where nothing is wanted: words are letters and digits, whatever stands between them.
    """
    words = _WORD.findall(wanted)[:MOST_WORDS]
    if not words:
        return None
    if session.get_bind().dialect.name == "postgresql":
        return select(TurnTextRow.turn_id).where(_postgres(words))
    # Quoted, so that no word is an operator of FTS5.
    query = " ".join(f'"{word}"' for word in words) + "*"
    found: Select[int] = select(literal_column("rowid", Integer)).select_from(text("turn_search"))
    return found.where(text("turn_search MATCH :wanted").bindparams(wanted=query))


def _postgres(words: list[str]) -> ColumnElement[bool]:
    query = " & ".join(words) + ":*"
    return func.to_tsvector("simple", TurnTextRow.text).bool_op("@@")(
        func.to_tsquery("simple", query)
    )
