"""How well an answer stands in its pages and meets its question, without a model or a gold answer.

The measure of the embedded profile for ComRAG 4.1, which leaves open how answers are scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chatbot.memory.scoring.faithfulness import faithfulness, stands_whole
from chatbot.memory.scoring.relevancy import has_form, relevancy
from chatbot.memory.scoring.statements import (
    cited_passages,
    lead_of,
    not_of_pages,
    own_statements,
    passage_of,
)
from chatbot.turn import Answer, Record, Turn
from corpora.indexing.embedding import Embedder

DOUBTED = 0.15
"""How likely the model was to say that it does not know, from which on its answer is no good one.

Of 10 such answers on five products that it had not seen, 5 were wrong, of all 63 one in three.
"""
_MOST_PASSAGES = 40
"""Embedded for one answer at most, beside those it cites."""


@dataclass(frozen=True)
class Measured:
    """What was measured of an answer, each 0 to 1; it is worth as much as the lower one."""

    faithfulness: float
    relevancy: float

    @property
    def value(self) -> float:
        """The score."""
        return min(self.faithfulness, self.relevancy)


NOTHING = Measured(0.0, 0.0)
"""The measure of what is no answer."""


def measure_turn(turn: Turn, embedder: Embedder) -> Measured:
    """Measure an answered turn; where the model doubted, it is not relevant until people say so."""
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to measure")
    measured = measure(
        turn.queries.subject,
        turn.asked,
        turn.answer,
        turn.ranked,
        embedder,
        pages=pages_of(turn),
        known=words_of_asker(turn),
    )
    doubted = any(call.doubt >= DOUBTED for call in turn.calls)
    return replace(measured, relevancy=0.0) if doubted else measured


def pages_of(turn: Turn) -> tuple[str, ...]:
    """The texts of the pages that the answer of a turn cites."""
    cited = {citation.page_id for citation in turn.answer.citations} if turn.answer else set()
    return tuple({r.page.id: r.page.text for r in turn.ranked if r.page.id in cited}.values())


def words_of_asker(turn: Turn) -> str:
    """What an answer may say without evidence: the question, its product and release."""
    base = turn.queries.base if turn.queries else ""
    return " ".join((turn.question, base, *turn.asked))


def measure(
    question: str,
    asked: tuple[str, str],
    answer: Answer,
    evidence: Sequence[Record],
    embedder: Embedder,
    *,
    pages: Sequence[str] = (),
    known: str = "",
) -> Measured:
    """Measure an answer to `question` (without its release), `asked` of a product and release.

    `evidence` is what it was made from, the best first; without it only the citations are looked
    at. What the `pages` say word for word, and what the asker said or is `known`, needs no support.
    """
    if worth_nothing(answer, asked[1]) or not has_form(question, answer):
        return NOTHING
    cited = cited_passages(answer.citations, evidence)
    others = [passage_of(record) for record in evidence[:_MOST_PASSAGES]]
    passages = list(dict.fromkeys([*cited, *others]))
    statements = own_statements(answer, pages)
    vectors = embedder.embed([question, *statements, *(p.read for p in passages)])
    of_statements, of_passages = np.split(vectors[1:], [len(statements)])
    cosines = of_statements @ of_passages[: len(cited)].T
    told = faithfulness(statements, cited, cosines, f"{question} {known}")
    lead = lead_of(answer)
    if not all(stands_whole(s, cited, " ".join(asked)) for s in not_of_pages(lead, pages)):
        return Measured(told, 0.0)
    return Measured(told, relevancy(question, lead, cited, passages, of_passages @ vectors[0]))


def worth_nothing(answer: Answer, release: str) -> bool:
    """Whether an answer is none, lost a sentence to a check, or crosses a release."""
    return (
        answer.abstained
        or answer.unwritten
        or bool(answer.warnings)
        or not answer.citations
        or any(citation.release != release for citation in answer.citations)
    )
