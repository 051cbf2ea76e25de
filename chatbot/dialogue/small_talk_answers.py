"""Small talk gets a short reply without a citation."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from chatbot.dialogue.small_talk import small_talk, without_documents
from chatbot.turn import RuleStep, Turn
from corpora.catalog.release import Product


def answer_small_talk(products: Callable[[], Sequence[Product]]) -> RuleStep:
    """Reply to small talk, leave it out of the conversation, and pass on the rest."""

    def answer(turn: Turn) -> Turn:
        if kind := small_talk(turn.question):
            return without_documents(turn, products(), kind)
        return replace(turn, history=tuple(p for p in turn.history if not small_talk(p[0])))

    return answer
