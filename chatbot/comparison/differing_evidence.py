"""What the best evidence of each of several releases says that no other has word for word."""

from collections.abc import Sequence
from dataclasses import replace

from chatbot.comparison.pages import has_words
from chatbot.retrieval.forms import in_words
from chatbot.retrieval.provenance import cite
from chatbot.turn import Answer, Record, Turn
from corpora.indexing.corpus import Corpus

NEAR = 0.7
"""Of the best record's score, from which a record may tell what differs."""
TOLD = 2
"""Records that a side tells at most."""


def told_by_evidence(sides: Sequence[Turn], corpora: Sequence[Corpus]) -> list[Turn] | None:
    """The sides, each answered by its own best records; None where one has no evidence.

    `corpora` are those of the sides, in order. A side that has nothing of its own says what it has
    in common with another (docs/decisions/0021).
    """
    ranked = [_worded(side) for side in sides]
    if not all(ranked):
        return None
    answered = []
    for side, records, corpus in zip(sides, ranked, corpora, strict=True):
        others = [c for c in corpora if c is not corpus]
        own = [r for r in records if not all(has_words(other, r) for other in others)]
        told = own[:TOLD] or records[:1]
        text = " ".join(f"{in_words(record)} [{n}]" for n, record in enumerate(told, 1))
        citations = tuple(cite(record, side.asked[1]) for record in told)
        value = " ".join(map(in_words, told))
        answer = Answer(text, False, citations, value, unwritten=True)
        answered.append(replace(side, answer=answer))
    return answered


def _worded(side: Turn) -> list[Record]:
    """The records that answer a side about as well as its best, without what only leads in."""
    ranked = side.ranked
    return [r for r in ranked if r.score >= NEAR * ranked[0].score and not r.quote.endswith(":")]
