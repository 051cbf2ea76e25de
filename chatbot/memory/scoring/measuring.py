"""Scores without a judge model (ComRAG 4.1 leaves open how answers are scored)."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.memory.pairs import words
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import shared, unsupported
from chatbot.text.markdown import without_marks
from chatbot.text.words import filtered
from chatbot.turn import Answer
from corpora.indexing.lexical import tokens

DOUBT_LIMIT = 0.15
"""The probability of "I don't know" from which an answer counts as worth nothing.

Of 10 such answers on five products that it had not seen, 5 were wrong, of all 63 one in three.
"""
_MIN_SUPPORT = 0.5
"""The least share of a sentence's own words that has to stand in the cited pages."""
_FENCES = ("```", "~~~")


@dataclass(frozen=True)
class Measured:
    """The faithfulness of an answer to its pages and its relevancy to its question, each 0 to 1.

    The relevancy is a judge's, or follows from the writer: 1 for a capable model, 0 where the model
    was in doubt. Else it is None: the answer is neither good nor poor until people say so.
    """

    faithfulness: float
    relevancy: float | None = None

    @property
    def value(self) -> float:
        """The score: the lower one."""
        relevancy = 1.0 if self.relevancy is None else self.relevancy
        return min(self.faithfulness, relevancy)


def measure(
    answer: Answer, texts: Sequence[str], own: str, doubt: float, *, by_capable: bool = False
) -> Measured:
    """The share of an answer's sentences that the `texts` of its cited pages support.

    The asker's `own` words need no support. Where the model was in doubt, the answer scores 0 until
    people say that it is good.
    """
    relevancy = 0.0 if doubt >= DOUBT_LIMIT else 1.0 if by_capable else None
    stated = statements(answer)
    kept = sum(_is_supported(statement, texts, own) for statement in stated)
    return Measured(kept / len(stated) if stated else 0.0, relevancy)


def statements(answer: Answer) -> list[str]:
    """The sentences, items, rows and lines of code of an answer, without marks of citations."""
    lines = without_marks(answer.text).split("\n")
    prose = (line for line in lines if not line.lstrip().startswith(_FENCES))
    return [sentence for line in prose for sentence in sentences(line) if words(sentence)]


def _is_supported(statement: str, texts: Sequence[str], own: str) -> bool:
    new = set(tokens(filtered(statement))) - set(tokens(own))
    is_worded = not new or shared(new, " ".join(texts)) >= _MIN_SUPPORT
    return is_worded and not unsupported(statement, texts, own)
