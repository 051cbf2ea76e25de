"""Saved answers: a question, its answer, their score, and the cited pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

import numpy as np

from chatbot.retrieval.support import plain
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.indexing.embedding import Vectors


class Store(StrEnum):
    """The two stores of ComRAG 4.2: answers that score γ or more, and the others."""

    HIGH = "high"
    LOW = "low"


class ScoreOrigin(StrEnum):
    """The source of a score; each outranks those before it."""

    MEASURED = "measured"
    THUMBS = "thumbs"
    RATING = "rating"
    IMPORTED = "imported"
    CURATED = "curated"


HUMAN_ORIGINS = (ScoreOrigin.IMPORTED, ScoreOrigin.CURATED)
"""Pairs that people wrote or vouch for need no citation, and are never evicted."""


class Rating(StrEnum):
    """The rating of an answer by an admin."""

    GOOD = "good"
    BAD = "bad"
    WRONG_RELEASE = "wrong release"
    INCOMPLETE = "incomplete"


class Role(StrEnum):
    """The relation of a turn to a pair: it made it, reused it, or had it in its prompt."""

    SOURCE = "source"
    REUSE = "reuse"
    REFERENCE = "reference"
    AVOID = "avoid"


@dataclass(frozen=True)
class MemoryQuestion:
    """A question, its `normalized` words, and its vector of length one under `embedding`."""

    text: str
    asks: str
    vector: Vectors
    embedding: str


def new_pair(
    question: MemoryQuestion,
    answer: Mapping[str, Any],
    pages: Sequence[MemoryPageRow] = (),
    *,
    score: float = 1.0,
    origin: ScoreOrigin,
    by: str = "",
    **others: Any,
) -> MemoryPairRow:
    """A pair that is in no store yet, scored now; its answer is {text, value, citations}.

    There is a page for each citation. `others` are further columns of `MemoryPairRow`.
    """
    now = datetime.now(UTC)
    made = {"score": score, "origin": origin, "rated_by": by, "rated": now, "created": now}
    row = MemoryPairRow(answer=dict(answer), **{**made, **others})
    for ordinal, page in enumerate(pages):
        page.ordinal = ordinal
    row.pages = list(pages)
    write_question(row, question)
    return row


def write_question(row: MemoryPairRow, question: MemoryQuestion) -> None:
    """Give a pair a question as it is read now."""
    row.question, row.asks, row.embedding = question.text, question.asks, question.embedding
    row.vector = question.vector.astype("<f4").tobytes()


def memory_question(row: MemoryPairRow) -> MemoryQuestion:
    """The question of a pair."""
    vector = np.frombuffer(row.vector, "<f4")
    return MemoryQuestion(row.question, row.asks, vector, row.embedding)


def same_value(one: str, other: str) -> bool:
    """Whether two short answers are equal apart from case, quotes and white space."""
    wanted = plain(one).rstrip(".")
    return bool(wanted) and wanted == plain(other).rstrip(".")
