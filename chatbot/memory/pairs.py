"""Saved answers: a question, its answer, their score, and the cited pages."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from chatbot.memory.suspending import CitedPage
from chatbot.retrieval.support import plain
from chatbot.text.markdown import without_marks
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
"""Pairs that people wrote or vouch for need no citation, and are never evicted or forgotten."""


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
class Score:
    """The score of an answer, 0 to 1, and its source; a part is None where it was not measured."""

    value: float
    origin: ScoreOrigin
    at: datetime
    by: str = ""
    faithfulness: float | None = None
    relevancy: float | None = None


@dataclass(frozen=True)
class Thresholds:
    """τ, δ and γ of ComRAG 4.2: the same topic, the same question, a good answer."""

    tau: float
    delta: float
    gamma: float


@dataclass(frozen=True)
class MemoryQuestion:
    """A question, its `normalized` words, and its vector of length one under `embedding`."""

    text: str
    asks: str
    vector: Vectors
    embedding: str


@dataclass(frozen=True)
class NewPair:
    """A question and its answer {text, value, citations}, with one page for each citation."""

    question: MemoryQuestion
    answer: Mapping[str, Any]
    score: Score
    pages: tuple[CitedPage, ...] = ()
    turn: int | None = None
    links: tuple[str, ...] = ()


def same_value(one: str, other: str) -> bool:
    """Whether two short answers are equal apart from case, quotes and white space."""
    wanted = plain(one).rstrip(".")
    return bool(wanted) and wanted == plain(other).rstrip(".")


def words(text: str) -> str:
    """The words and figures of a text without marks and signs, folded, in order."""
    return " ".join(re.findall(r"\w+", without_marks(text).casefold()))
