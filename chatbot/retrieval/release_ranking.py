"""What speaks of another release comes behind the rest."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.retrieval.kinds import Kind, asked_for
from chatbot.retrieval.release_of_text import other_releases
from chatbot.turn import ReducedChunk, RuleStep, Turn
from corpora.catalog.release import Product

SHARE = 0.25
"""What is left of the score of such a record: a model sees it where nothing else is as near."""


def rank_by_release(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Put what speaks of another release behind what does not, unless changes are asked for."""

    def rank(turn: Turn) -> Turn:
        if asked_for(turn.queries.asked, turn.queries.subject) is Kind.CHANGE:
            return turn
        others = other_releases(turn, products())
        behind = {r.place for chunk in turn.reduced for r in chunk.records if others(r)}

        def ranked(chunk: ReducedChunk) -> ReducedChunk:
            shares = [SHARE if record.place in behind else 1.0 for record in chunk.records]
            pairs = zip(chunk.records, shares, strict=True)
            scored = (replace(record, score=record.score * share) for record, share in pairs)
            records = tuple(sorted(scored, key=lambda record: -record.score))
            return replace(chunk, records=records, score=chunk.score * max(shares))

        return replace(turn, reduced=tuple(map(ranked, turn.reduced))) if behind else turn

    return rank
