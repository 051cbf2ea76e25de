"""A reply that only chooses a product or a release goes on with the question before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.clarification import continued
from chatbot.turn import RuleStep, Turn
from corpora.release import Product


def take_up_question(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Ask the question that a clarification was about, with the choice that the reply makes.

    The conversation is told without its clarifications from here on; what is kept of it stays as
    it was typed.
    """

    def take_up(turn: Turn) -> Turn:
        if not turn.history:
            return turn
        request = continued(
            turn.question,
            turn.history,
            products(),
            product=turn.product,
            release=turn.release,
            conversation_release=turn.conversation_release,
        )
        return replace(
            turn,
            question=request.question,
            history=request.history,
            product=request.product,
            release=request.release,
        )

    return take_up
