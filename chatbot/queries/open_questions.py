"""A reply to a question back becomes the question that was asked."""

from collections.abc import Callable, Sequence

from chatbot.queries.clarification import continued
from chatbot.turn import RuleStep
from corpora.catalog.release import Product


def take_up_question(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Ask the question that a clarification was about, with what the reply names."""

    return lambda turn: continued(turn, products()) if turn.history else turn
