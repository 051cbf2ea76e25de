"""The release of a turn: of its question, in its conversation, with what the caller chose."""

from __future__ import annotations

from collections.abc import Sequence

from chatbot.releases.resolution import Resolution
from chatbot.releases.rules import resolve_release
from chatbot.turn import Turn
from corpora.catalog.release import Product


def resolve_turn(turn: Turn, products: Sequence[Product]) -> Resolution:
    """Find the release that a turn's question is about (`resolve_release`)."""
    return resolve_release(
        turn.question,
        products,
        product=turn.product,
        release=turn.release,
        history=turn.history,
        conversation_release=turn.conversation_release,
    )
