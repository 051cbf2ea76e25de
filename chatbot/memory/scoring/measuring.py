"""How well an answer stands in its pages and meets its question, without a model or a gold answer.

The measure of the embedded profile for ComRAG 4.1, which leaves open how answers are scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.memory.scoring.faithfulness import faithfulness
from chatbot.memory.scoring.passages import cited_passages, passage_of
from chatbot.memory.scoring.relevancy import relevancy
from chatbot.records import sentences
from chatbot.turn import Answer, Record, Turn
from corpora.embedding import Embedder

_MOST_PASSAGES = 40
"""Embedded for one answer at most, beside those it cites."""


@dataclass(frozen=True)
class Measured:
    """What was measured of an answer, each 0 to 1; `value` is their mean."""

    faithfulness: float
    relevancy: float

    @property
    def value(self) -> float:
        """The score that both make."""
        return (self.faithfulness + self.relevancy) / 2


NOTHING = Measured(0.0, 0.0)
"""What is measured of an answer that is withheld, rests on nothing, or crosses a release."""


def measure_turn(turn: Turn, embedder: Embedder) -> Measured:
    """Measure the answer of an answered turn by the records it was made from."""
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to measure")
    return measure(
        turn.queries.subject,
        turn.asked[1],
        turn.answer,
        evidence_of(turn),
        embedder,
        known=words_of_asker(turn),
    )


def evidence_of(turn: Turn) -> list[Record]:
    """The records that an answer was made from, the best first."""
    records = (record for chunk in turn.selected for record in chunk.records)
    return sorted(records, key=lambda record: -record.score)


def words_of_asker(turn: Turn) -> str:
    """What an answer may say without evidence: the question, its product and release."""
    base = turn.queries.base if turn.queries else ""
    return " ".join((turn.question, base, *turn.asked))


def measure(
    question: str,
    release: str,
    answer: Answer,
    evidence: Sequence[Record],
    embedder: Embedder,
    *,
    known: str = "",
) -> Measured:
    """Measure an answer to `question` (without the words of its release) in `release`.

    `evidence` is what the answer was made from, the best first; without it the citations alone are
    looked at, as for an answer that was imported. What the asker said, or `known`, need not stand
    in the evidence.
    """
    if rests_on_nothing(answer, release):
        return NOTHING
    cited = cited_passages(answer.citations, evidence)
    others = [passage_of(record) for record in evidence[:_MOST_PASSAGES]]
    passages = list(dict.fromkeys([*cited, *others]))
    statements = statements_of(answer)
    vectors = embedder.embed([question, *statements, *(p.read for p in passages)])
    asked, of_statements, of_passages = (
        vectors[0],
        vectors[1 : 1 + len(statements)],
        vectors[1 + len(statements) :],
    )
    told = faithfulness(
        statements, cited, of_statements @ of_passages[: len(cited)].T, f"{question} {known}"
    )
    met = relevancy(question, statements, cited, passages, of_passages @ asked)
    return Measured(told, met)


def rests_on_nothing(answer: Answer, release: str) -> bool:
    """Whether an answer is none, was withheld, or does not rest on pages of its own release."""
    return (
        answer.abstained
        or bool(answer.warnings)
        or not answer.citations
        or any(citation.release != release for citation in answer.citations)
    )


def statements_of(answer: Answer) -> tuple[str, ...]:
    """What an answer says in its own words, sentence by sentence; nothing where it only quotes."""
    return tuple(s for line in answer.value.splitlines() for s in sentences(line))
