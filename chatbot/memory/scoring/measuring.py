"""How well an answer stands in its pages and meets its question, without a model or a gold answer.

The measure of the embedded profile for ComRAG 4.1, which leaves open how answers are scored.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.memory.scoring.faithfulness import faithfulness, stands_whole
from chatbot.memory.scoring.form import has_form
from chatbot.memory.scoring.own_words import lead_of, not_of_pages, statements_of
from chatbot.memory.scoring.passages import cited_passages, passage_of
from chatbot.memory.scoring.relevancy import relevancy
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
    """What was measured of an answer, each 0 to 1; it is worth as much as the lower one.

    A sentence of the right page that answers another question is faithful, and no answer.
    """

    faithfulness: float
    relevancy: float

    @property
    def value(self) -> float:
        """The score."""
        return min(self.faithfulness, self.relevancy)


NOTHING = Measured(0.0, 0.0)
"""The measure of what is no answer."""


def measure_turn(turn: Turn, embedder: Embedder) -> Measured:
    """Measure the answer of an answered turn by the records it was made from.

    Where the model doubted it is not relevant, until somebody who read it says that it is good.
    """
    if turn.answer is None or turn.queries is None:
        raise ValueError("only an answered question has an answer to measure")
    measured = measure(
        turn.queries.subject,
        turn.asked,
        turn.answer,
        evidence_of(turn),
        embedder,
        pages=pages_of(turn),
        known=words_of_asker(turn),
    )
    doubted = any(call.doubt >= DOUBTED for call in turn.calls)
    return replace(measured, relevancy=0.0) if doubted else measured


def pages_of(turn: Turn) -> tuple[str, ...]:
    """The texts of the pages that the answer of a turn cites."""
    cited = {citation.page_id for citation in turn.answer.citations} if turn.answer else set()
    return tuple({r.page.id: r.page.text for r in evidence_of(turn) if r.page.id in cited}.values())


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
    asked: tuple[str, str],
    answer: Answer,
    evidence: Sequence[Record],
    embedder: Embedder,
    *,
    pages: Sequence[str] = (),
    known: str = "",
) -> Measured:
    """Measure an answer to `question` (without its release), `asked` of a product and release.

    `evidence` is what the answer was made from, the best first; without it only the citations are
    looked at. A statement that is on the cited `pages` word for word is supported; any other is
    compared with the citations, and one that they do not support makes the answer unfaithful. What
    the asker said, or `known`, needs no support. But a sentence of the lead that has too little of
    its own in common with what bears it, or says yes or no otherwise, makes the answer irrelevant.
    """
    if worth_nothing(answer, asked[1]) or not has_form(question, answer):
        return NOTHING
    cited = cited_passages(answer.citations, evidence)
    others = [passage_of(record) for record in evidence[:_MOST_PASSAGES]]
    passages = list(dict.fromkeys([*cited, *others]))
    statements = not_of_pages(statements_of(answer), pages)
    vectors = embedder.embed([question, *statements, *(p.read for p in passages)])
    of_question, of_statements, of_passages = (
        vectors[0],
        vectors[1 : 1 + len(statements)],
        vectors[1 + len(statements) :],
    )
    told = faithfulness(
        statements, cited, of_statements @ of_passages[: len(cited)].T, f"{question} {known}"
    )
    lead = lead_of(answer)
    if not all(stands_whole(s, cited, " ".join(asked)) for s in not_of_pages(lead, pages)):
        return Measured(told, 0.0)
    return Measured(told, relevancy(question, lead, cited, passages, of_passages @ of_question))


def worth_nothing(answer: Answer, release: str) -> bool:
    """Whether an answer is none, lost a sentence to a check, or crosses a release."""
    return (
        answer.abstained
        or answer.unwritten
        or bool(answer.warnings)
        or not answer.citations
        or any(citation.release != release for citation in answer.citations)
    )
